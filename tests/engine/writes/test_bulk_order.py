"""Arrays count in their order: unique values that move between records, and records that others take along."""

from __future__ import annotations

import pytest

from app.ai.models.answering import AiChain, AiChainProvider
from app.ai_research.models import AiResearchQuestion
from app.crm.models import CrmCompany, CrmContact
from app.storage.models import StorageUpload
from app.testing.workshop import Workshop

CONTACT = "/api/v1/crm/contact"


@pytest.fixture
def shop(cast):
    return Workshop(cast, cast.user())


@pytest.fixture
def contacts(shop):
    company = shop.make(CrmCompany)["id"]
    made = [shop.make(CrmContact, companyId=company, email=f"{name}@order.example") for name in "abc"]
    return sorted(made, key=lambda each: each["id"])


@pytest.mark.parametrize("first", [0, 2], ids=["older_first", "younger_first"])
def test_a_value_that_one_record_gives_up_can_be_taken_by_a_later_one(shop, contacts, first):
    gives, takes = contacts[first], contacts[2 - first]
    answer = shop.owner.patch(
        CONTACT, [{"id": gives["id"], "email": "z@order.example"}, {"id": takes["id"], "email": gives["email"]}]
    )
    assert answer.status_code == 200, answer.json
    assert [each["email"] for each in answer.json["data"]] == ["z@order.example", gives["email"]]


@pytest.mark.parametrize("first", [0, 2], ids=["older_first", "younger_first"])
def test_a_value_is_not_free_before_its_record_gives_it_up(shop, contacts, first):
    takes, gives = contacts[first], contacts[2 - first]
    answer = shop.owner.patch(
        CONTACT, [{"id": takes["id"], "email": gives["email"]}, {"id": gives["id"], "email": "z@order.example"}]
    )
    assert (answer.status_code, answer.json["code"]) == (409, "UNIQUE_VIOLATION")
    assert answer.json["details"]["items"] == [
        {"index": 0, "code": "UNIQUE_VIOLATION", "fields": {"email": ["Is already taken."]}}
    ]
    stored = [shop.owner.get(f"{CONTACT}/{each['id']}").json for each in contacts]
    assert stored == contacts


def test_two_records_do_not_swap_unique_values_as_single_changes_could_not(shop, contacts):
    one, other = contacts[:2]
    sent = [{"id": one["id"], "email": other["email"]}, {"id": other["id"], "email": one["email"]}]
    assert shop.owner.patch(CONTACT, sent).status_code == 409


@pytest.mark.parametrize("first", [0, 1])
def test_a_switch_that_one_row_may_have_moves_in_the_order_of_the_array(shop, first):
    made = [shop.make(AiChain, name="one", isDefault=True), shop.make(AiChain, name="two")]
    path = AiChain.collection_path()
    if first:  # the younger one has it
        shop.owner.patch(path, [{"id": made[0]["id"], "isDefault": False}, {"id": made[1]["id"], "isDefault": True}])
    off, on = made[first], made[1 - first]
    refused = shop.owner.patch(path, [{"id": on["id"], "isDefault": True}, {"id": off["id"], "isDefault": False}])
    assert (refused.status_code, refused.json["details"]["items"][0]["index"]) == (409, 0)
    moved = shop.owner.patch(path, [{"id": off["id"], "isDefault": False}, {"id": on["id"], "isDefault": True}])
    assert [each["isDefault"] for each in moved.json["data"]] == [False, True]


def test_positions_are_moved_in_the_order_of_the_array(shop):
    chain = shop.make(AiChain)["id"]
    places = [shop.make(AiChainProvider, chainId=chain) for _ in range(3)]
    path = AiChainProvider.collection_path()
    up = [{"id": each["id"], "position": each["position"] + 1} for each in places]
    assert shop.owner.patch(path, up).status_code == 409
    answer = shop.owner.patch(path, up[::-1])
    assert [each["position"] for each in answer.json["data"]] == [3, 2, 1]


def test_a_record_that_goes_with_an_earlier_one_of_the_array_is_deleted_with_it(shop):
    parent = shop.make(AiResearchQuestion)
    child = shop.make(AiResearchQuestion, projectId=parent["projectId"], parentQuestionId=parent["id"])
    path = AiResearchQuestion.collection_path()
    for ids in ([parent["id"], child["id"]],):
        answer = shop.owner.delete(path, json={"ids": ids})
        assert answer.status_code in (200, 404), answer.json
        left = [shop.owner.get(f"{path}/{each}").status_code for each in ids]
        assert left == ([404, 404] if answer.status_code == 200 else [200, 200])


def test_each_file_of_an_array_takes_and_gives_back_its_room(shop):
    bucket = shop.owner.get("/api/v1/storage/bucket").json["data"][0]
    made = shop.owner.post(StorageUpload.collection_path(), [shop.body(StorageUpload) for _ in range(3)]).json["data"]
    used = shop.owner.get(f"/api/v1/storage/bucket/{bucket['id']}").json
    assert (used["usedBytes"], used["uploadCount"]) == (sum(each["size"] for each in made), 3)
    shop.owner.delete(StorageUpload.collection_path(), json={"ids": [each["id"] for each in made[:2]]})
    used = shop.owner.get(f"/api/v1/storage/bucket/{bucket['id']}").json
    assert (used["usedBytes"], used["uploadCount"]) == (made[2]["size"], 1)
