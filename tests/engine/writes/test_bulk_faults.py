"""Arrays count as a whole: one refused record refuses all, and each refusal tells its place."""

from __future__ import annotations

import pytest

from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.testing.workshop import Workshop
from tests.engine.writes.twins import CREATABLE, bodies, growth, name_of

CONTACT, COMPANY, DEAL = "/api/v1/crm/contact", "/api/v1/crm/company", "/api/v1/crm/deal"
ABSENT = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"


@pytest.fixture
def shop(cast):
    return Workshop(cast, cast.user())


def maker(shop, model):
    return shop.maker(model)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("model", CREATABLE, ids=name_of)
def test_a_fault_at_any_place_leaves_nothing_of_an_array_of_creates(app, shop, model, place):
    sent = bodies(shop, model)
    sent = (sent * 3)[:3] if len(sent) < 3 else sent
    sent[place] = {**sent[place], "noSuchField": 1}
    actor = maker(shop, model)  # who may be made now
    with growth(app) as grown:
        answer = actor.post(model.collection_path(), sent)
    assert answer.status_code == 400, answer.json
    told = answer.json["details"]
    items = told if model.legacy_envelope else told["items"]
    assert items[0]["index"] == place
    assert grown == {}


def contact(shop, company, **values):
    return shop._body(CrmContact) | {"companyId": company} | values


FAULTS = {
    "field": ({"firstName": ""}, 400, "VALIDATION_ERROR", ["firstName"]),
    "read_only": ({"createdById": ABSENT}, 400, "VALIDATION_ERROR", ["createdById"]),
    "unknown": ({"x": 1}, 400, "VALIDATION_ERROR", ["x"]),
    "reference": ({"companyId": ABSENT}, 400, "FOREIGN_KEY_VIOLATION", ["companyId"]),
    "organization": ({"organizationId": ABSENT}, 400, "FOREIGN_KEY_VIOLATION", ["organizationId"]),
    "unique": ({"email": "there@faults.example"}, 409, "UNIQUE_VIOLATION", ["email"]),
}


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_refused_create_is_told_as_the_single_one_with_its_place(app, shop, fault, place):
    values, status, code, fields = FAULTS[fault]
    company = shop.make(CrmCompany)["id"]
    shop.make(CrmContact, companyId=company, email="there@faults.example")
    sent = [contact(shop, company) for _ in range(3)]
    sent[place] |= values
    alone = shop.owner.post(CONTACT, sent[place])
    with growth(app) as grown:
        answer = shop.owner.post(CONTACT, sent)
    assert (answer.status_code, answer.json["code"]) == (alone.status_code, alone.json["code"]) == (status, code)
    assert answer.json["details"] == {
        "items": [{"index": place, "code": code, "fields": alone.json["details"]["fields"]}]
    }
    assert list(alone.json["details"]["fields"]) == fields
    assert grown == {}


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_refusal_by_a_hook_tells_its_place(app, shop, place):
    company = shop.make(CrmCompany)["id"]
    sent = [shop._body(CrmDeal) | {"companyId": company} for _ in range(3)]
    sent[place]["stage"] = "lost"
    with growth(app) as grown:
        answer = shop.owner.post(DEAL, sent)
    assert [each["index"] for each in answer.json["details"]["items"]] == [place]
    assert list(answer.json["details"]["items"][0]["fields"]) == ["lostReason"]
    assert grown == {}


CHANGES = {
    "absent": ({"id": ABSENT}, 404, "NOT_FOUND"),
    "no_uuid": ({"id": "x"}, 404, "NOT_FOUND"),
    "version": ({"ifMatch": "7"}, 412, "PRECONDITION_FAILED"),
    "fixed": ({"createdById": ABSENT}, 400, "VALIDATION_ERROR"),
    "field": ({"email": "no address"}, 400, "VALIDATION_ERROR"),
    "reference": ({"companyId": ABSENT}, 400, "FOREIGN_KEY_VIOLATION"),
    "unique": ({"email": "there@faults.example"}, 409, "UNIQUE_VIOLATION"),
}


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("fault", CHANGES)
def test_a_refused_change_refuses_all_and_tells_its_place(shop, fault, place):
    values, status, code = CHANGES[fault]
    company = shop.make(CrmCompany)["id"]
    shop.make(CrmContact, companyId=company, email="there@faults.example")
    made = [shop.make(CrmContact, companyId=company) for _ in range(3)]
    sent = [{"id": each["id"], "title": "new"} for each in made]
    sent[place] |= values
    answer = shop.owner.patch(CONTACT, sent)
    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert [(each["index"], each["code"]) for each in answer.json["details"]["items"]] == [(place, code)]
    assert [shop.owner.get(f"{CONTACT}/{each['id']}").json for each in made] == made


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("fault", ["absent", "referred_to"])
def test_a_refused_delete_refuses_all_and_tells_its_place(shop, fault, place):
    made = [shop.make(CrmCompany, name=f"company {number}") for number in range(3)]
    ids = [each["id"] for each in made]
    if fault == "absent":
        ids[place] = ABSENT
    else:
        shop.make(CrmContact, companyId=ids[place])
    answer = shop.owner.delete(COMPANY, json={"ids": ids})
    assert answer.status_code == (404 if fault == "absent" else 400), answer.json
    assert [each["index"] for each in answer.json["details"]] == [place]
    assert {shop.owner.get(f"{COMPANY}/{each['id']}").status_code for each in made} == {200}


def test_the_first_fault_says_the_status_and_every_fault_is_told(shop):
    company = shop.make(CrmCompany)["id"]
    sent = [contact(shop, company) for _ in range(6)]
    sent[1]["companyId"] = ABSENT
    sent[3]["email"] = "no address"
    sent[5]["organizationId"] = ABSENT
    answer = shop.owner.post(CONTACT, sent)
    assert (answer.status_code, answer.json["code"]) == (400, "FOREIGN_KEY_VIOLATION")
    assert [(each["index"], each["code"]) for each in answer.json["details"]["items"]] == [
        (1, "FOREIGN_KEY_VIOLATION"), (3, "VALIDATION_ERROR"), (5, "FOREIGN_KEY_VIOLATION"),
    ]  # fmt: skip


def test_of_many_faults_a_hundred_are_told(shop):
    answer = shop.owner.post(CONTACT, [{} for _ in range(150)])
    assert [each["index"] for each in answer.json["details"]["items"]] == list(range(100))


def test_records_of_one_array_that_break_a_unique_rule_together_are_told(shop):
    company = shop.make(CrmCompany)["id"]
    sent = [contact(shop, company, email=each) for each in ("a@x.example", "b@x.example", "a@x.example")]
    answer = shop.owner.post(CONTACT, sent)
    assert answer.status_code == 409
    assert [each["index"] for each in answer.json["details"]["items"]] == [2]


MALFORMED = {
    "empty": [], "too_long": [{}] * 1001, "text": ["x"], "number": [1], "nested": [[{}]], "null": [None],
}  # fmt: skip


@pytest.mark.parametrize("shape", MALFORMED)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_an_array_of_anything_but_one_to_a_thousand_objects_is_refused(app, shop, method, shape):
    with growth(app) as grown:
        answer = shop.owner.send(method, CONTACT, json=MALFORMED[shape])
    assert (answer.status_code, answer.json["code"]) == (400, "VALIDATION_ERROR")
    assert grown == {}


@pytest.mark.parametrize("ids", [[], ["x"] * 1001, "x", None, [1], [["x"]], [None], {}], ids=repr)
def test_ids_that_are_no_list_of_one_to_a_thousand_are_refused(shop, ids):
    answer = shop.owner.delete(CONTACT, json={"ids": ids})
    assert answer.status_code == (404 if ids == ["x"] else 400), answer.json


@pytest.mark.parametrize("ids", ["", ",", f"{ABSENT},", f",{ABSENT}"])
def test_ids_in_the_query_of_which_one_is_left_out_are_refused(shop, ids):
    answer = shop.owner.delete(CONTACT, query_string={"ids": ids})
    assert (answer.status_code, answer.json["details"]["fields"]) == (400, {"ids": ["Must be ids, between commas."]})


def test_ids_are_named_in_one_place_and_at_most_200_in_the_query(shop):
    both = shop.owner.delete(CONTACT, query_string={"ids": ABSENT}, json={"ids": [ABSENT]})
    many = shop.owner.delete(CONTACT, query_string={"ids": ",".join([ABSENT] * 201)})
    none, other = shop.owner.delete(CONTACT), shop.owner.delete(CONTACT, json={"ids": [ABSENT], "x": 1})
    assert [each.status_code for each in (both, many, none, other)] == [400] * 4


def test_a_record_that_is_named_twice_refuses_the_array(shop):
    made = shop.make(CrmContact)
    twice = shop.owner.patch(CONTACT, [{"id": made["id"], "title": "a"}, {"id": made["id"], "title": "b"}])
    gone = shop.owner.delete(CONTACT, json={"ids": [made["id"], made["id"].upper()]})
    for answer in (twice, gone):
        assert answer.status_code == 400
        assert [(each["index"], list(each["fields"])) for each in answer.json["details"]["items"]] == [(1, ["id"])]
    assert shop.owner.get(f"{CONTACT}/{made['id']}").json == made


def test_an_array_is_as_large_as_any_body_at_most(shop, build):
    small = build(max_json_bytes=2000)
    owner = type(shop.owner)(small, shop.owner.token)
    answer = owner.post(CONTACT, [contact(shop, ABSENT) for _ in range(30)])
    assert (answer.status_code, answer.json["code"]) == (413, "PAYLOAD_TOO_LARGE")
