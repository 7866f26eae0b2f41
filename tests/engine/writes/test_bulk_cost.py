"""What many records cost: as many statements as a few, and an answer of bounded size."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.testing.workshop import Workshop

FEW, MANY = 10, 500
API = "/api/v1"


@pytest.fixture(scope="module")
def shop(cast):
    return Workshop(cast, cast.user())


def bodies(shop, model, number, round_):
    company = shop.make(CrmCompany)["id"]
    if model is CrmContact:
        contact = {"firstName": "A", "lastName": "B", "companyId": company}
        return [{**contact, "email": f"{round_}-{number}-{place}@cost.example"} for place in range(number)]
    if model is CrmDeal:
        return [{"name": f"deal {place}", "companyId": company, "stage": "won"} for place in range(number)]
    return [{"name": f"company {place}"} for place in range(number)]


def changes_of(shop, model):
    if model is CrmCompany:
        return {"industry": "shipping"}
    return {"companyId": shop.make(CrmCompany)["id"], **({"stage": "negotiation"} if model is CrmDeal else {})}


def changes_alike(model):
    return {"title": "x"} if model is CrmContact else {"name": "x"}


@pytest.mark.parametrize("model", [CrmContact, CrmDeal, CrmCompany], ids=lambda model: model.segment)
def test_many_take_as_many_statements_as_a_few(counting, shop, model):
    path, counts = model.collection_path(), {}
    for number in (FEW, MANY):
        sent, changed = bodies(shop, model, number, "plain"), changes_of(shop, model)
        with counting() as creating:
            made = shop.owner.post(path, sent)
        assert made.status_code == 201, made.json
        ids = [each["id"] for each in made.json["data"]]
        with counting() as changing:
            assert shop.owner.patch(path, [{"id": each, **changed} for each in ids]).status_code == 200
        with counting() as matching:
            asked = {"where": {"id": {"in": ids}}, "set": changes_alike(model), "max": 1000}
            answer = shop.owner.post(f"{path}/_matching/_update", asked)
        assert answer.json == {"meta": {"count": number}}, answer.json
        with counting() as deleting:
            assert shop.owner.delete(path, json={"ids": ids}).status_code == 200
        counts[number] = [len(each) for each in (creating, changing, matching, deleting)]
    assert counts[MANY] == counts[FEW]
    assert max(counts[MANY]) <= 12


@pytest.mark.parametrize("resolution", ["merge", "ignore"])
def test_an_upsert_of_many_takes_as_many_statements_as_one_of_a_few(counting, shop, resolution):
    counts = []
    for number in (FEW, MANY):
        sent = bodies(shop, CrmContact, number, resolution)
        shop.owner.post(CrmContact.collection_path(), sent[::2])
        asked = {"onConflict": "email", "resolution": resolution}
        with counting() as done:
            answer = shop.owner.post(
                CrmContact.collection_path(), [{**each, "title": "x"} for each in sent], query_string=asked
            )
        assert answer.json["meta"]["created"] == number // 2
        counts.append(len(done))
    assert counts[0] == counts[1] <= 14


@pytest.mark.parametrize("operation", ["create", "change"])
def test_ids_and_versions_are_all_that_a_minimal_answer_has(shop, operation):
    path, sent = CrmContact.collection_path(), bodies(shop, CrmContact, 3, f"minimal-{operation}")
    made = shop.owner.post(path, sent, query_string={"return": "minimal"})
    assert made.status_code == 201
    ids = [each["id"] for each in made.json["data"]]
    if operation == "change":
        made = shop.owner.patch(path, [{"id": each, "title": "x"} for each in ids], query_string={"return": "minimal"})
    version = 1 if operation == "create" else 2
    assert made.json == {"data": [{"id": each, "version": version} for each in ids], "meta": {"count": 3}}
    assert shop.owner.post(path, sent, query_string={"return": "all"}).status_code == 400


def test_a_change_of_many_large_records_answers_no_more_than_a_list_would(shop, build):
    """A short body may change much text, all of which would come back."""
    path, sent = CrmDeal.collection_path(), bodies(shop, CrmDeal, 20, "large")
    made = shop.owner.post(path, [{**each, "description": "x" * 2000} for each in sent]).json["data"]
    small = type(shop.owner)(build(max_answer_bytes=20_000), shop.owner.token)
    changes = [{"id": each["id"], "nextStep": "Call"} for each in made]
    answer = small.patch(path, changes)
    assert (answer.status_code, answer.json["code"]) == (400, "INVALID_PAGINATION")
    assert shop.owner.get(f"{path}/{made[0]['id']}").json == made[0]
    assert small.patch(path, changes, query_string={"return": "minimal"}).status_code == 200


def test_arrays_in_opposite_order_wait_for_each_other_and_do_not_fail(shop):
    path, sent = CrmContact.collection_path(), bodies(shop, CrmContact, 40, "crossed")
    ids = [each["id"] for each in shop.owner.post(path, sent).json["data"]]
    for _ in range(5):
        arrays = [[{"id": each, "title": order[0]} for each in order] for order in (ids, ids[::-1]) * 2]
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(shop.owner.patch, [path] * 4, arrays))
        assert {each.status_code for each in answers} == {200}
    versions = shop.owner.get(path, query_string={"take": 1000, "versions": "true"}).json["meta"]["versions"]
    assert {versions[each] for each in ids} <= set(range(1 + 5, 1 + 21))
