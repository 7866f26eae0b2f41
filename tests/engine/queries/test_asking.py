"""What lists can be asked: the short form and the full form, and what is refused where."""

from __future__ import annotations

import json

import pytest

from app.crm.models import CrmCompany
from schemas.query.conditions import split
from tests.engine.queries.conftest import COMPANIES, DEALS


def names(actor, **query):
    answer = actor.get(DEALS, query_string={"sort": "name", **query})
    assert answer.status_code == 200, answer.json
    return [row["name"] for row in answer.json["data"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"amount[gte]": "1500"}, ["crane two", "Zulu"]),
        ({"amount[gt]": "7", "amount[lt]": "1500"}, ["Crane"]),
        ({"amount[lte]": "7"}, ["50% off_x\\"]),
        ({"amount[ne]": "1500"}, ["50% off_x\\", "Boat", "Crane"]),
        ({"amount[in]": "7,500"}, ["50% off_x\\", "Crane"]),
        ({"amount[nin]": "7,500"}, ["Boat", "crane two", "Zulu"]),
        ({"amount[isNull]": "true"}, ["Boat"]),
        ({"name[contains]": "%"}, ["50% off_x\\"]),
        ({"name[contains]": "_"}, ["50% off_x\\"]),
        ({"name[endsWith]": "\\"}, ["50% off_x\\"]),
        ({"name[startsWith]": "CRANE"}, ["Crane", "crane two"]),
        ({"name[gt]": "crane"}, ["crane two", "Zulu"]),
        ({"company.name": "Harbour, Works"}, ["Boat", "Crane", "Zulu"]),
        ({"company.name[in]": "Harbour\\, Works,x"}, ["Boat", "Crane", "Zulu"]),
        ({"company.industry": "steel", "company.name[startsWith]": "él"}, ["50% off_x\\", "crane two"]),
        ({"search": "cra"}, ["Crane", "crane two"]),
        ({"search": "TWO crane"}, ["crane two"]),
        ({"where": '{"or": [{"amount": 7}, {"not": {"amount": {"lt": 9999}}}]}'}, ["50% off_x\\", "Boat"]),
    ],
)  # fmt: skip
def test_conditions_find_the_rows_that_meet_them(owner, query, expected):
    assert names(owner, **query) == expected


def test_several_conditions_on_one_relation_to_many_speak_of_the_same_row(owner):
    def found(**query):
        return [row["name"] for row in owner.get(COMPANIES, query_string=query).json["data"]]

    assert found(**{"deals.amount": "7", "deals.name[startsWith]": "50"}) == ["Élan"]
    assert found(**{"deals.amount": "7", "deals.name": "crane two"}) == []


@pytest.mark.parametrize(
    ("query", "code", "place"),
    [
        ("amount[gte]=many", "INVALID_FILTER", "amount[gte]"),
        ("amount[contains]=1", "INVALID_FILTER", "amount[contains]"),
        ("amount[nope]=1", "INVALID_FILTER", "amount[nope]"),
        ("amount[gte]=1&amount[gte]=2", "INVALID_FILTER", "amount[gte]"),
        ("amount[gte]=9223372036854775808", "INVALID_FILTER", "amount[gte]"),
        ("amount[isNull]=yes", "INVALID_FILTER", "amount[isNull]"),
        ("createdAt[gt]=0000-01-01T00:00:00Z", "INVALID_FILTER", "createdAt[gt]"),
        ("createdAt[gt]=infinity", "INVALID_FILTER", "createdAt[gt]"),
        ("name[contains]=%00", "INVALID_FILTER", "name[contains]"),
        (f"name[contains]={'x' * 513}", "INVALID_FILTER", "name[contains]"),
        (f"amount[in]={','.join(['1'] * 201)}", "INVALID_FILTER", "amount[in]"),
        ("phone[eq]=1", "INVALID_FILTER", "phone[eq]"),
        ("description[contains]=x", "INVALID_FILTER", "description[contains]"),
        ("company.nope=1", "INVALID_FILTER", "company.nope"),
        ("nope.name=1", "INVALID_FILTER", "nope.name"),
        ("company.deals.company.deals.name=1", "INVALID_FILTER", "company.deals.company.deals.name"),
        ("amount[gte", "INVALID_FILTER", "amount[gte"),
        ("[gte]=1", "INVALID_FILTER", "[gte]"),
        ("where=[]", "INVALID_FILTER", "where"),
        ("where={", "INVALID_FILTER", "where"),
        ('where={"amount": {}}', "INVALID_FILTER", "where.amount"),
        ('where={"amount": [1]}', "INVALID_FILTER", "where.amount"),
        ('where={"amount": true}', "INVALID_FILTER", "where.amount"),
        ('where={"or": [{"stage": "lead"}, {"company": {"nope": 1}}]}', "INVALID_FILTER", "where.or[1].company.nope"),
        ('where={"deliverables": {"stage": 1}}', "INVALID_FILTER", "where.deliverables"),
        ('where={"name": "\\ud800"}', "INVALID_FILTER", "where"),
        ("sort=", "INVALID_SORT", "sort"),
        ("sort=name,name", "INVALID_SORT", "sort"),
        ("sort=name,-name", "INVALID_SORT", "sort"),
        ("sort=currency", "INVALID_SORT", "sort"),
        ("sort=..", "INVALID_SORT", "sort"),
        ("a..b=1", "INVALID_FILTER", "a..b"),
        ("fields=name&fields=id", "INVALID_FIELDS", "fields"),
        ("sort=deliverables.title", "INVALID_SORT", "sort"),
        ("sort=id,name,stage,amount,closedAt,createdAt", "INVALID_SORT", "sort"),
        ("sort=--name", "INVALID_SORT", "sort"),
        ("fields=name,nope", "INVALID_FIELDS", "fields"),
        ("fields=company.name", "INVALID_FIELDS", "fields"),
        ("expand=companyId", "INVALID_EXPAND", "expand"),
        ("expand=company.deals.company.deals", "INVALID_EXPAND", "expand"),
        ("expand=deliverables&take=1000", "INVALID_EXPAND", "expand"),
        ("expand=company.deals.contact&take=250", "INVALID_EXPAND", "expand"),
        ("search=", "INVALID_SEARCH", "search"),
        ("search=%25%26", "INVALID_SEARCH", "search"),
        ("count=many", "INVALID_PAGINATION", "count"),
        ("cursor=&skip=1", "INVALID_PAGINATION", "skip"),
        ("cursor=AAAA", "INVALID_PAGINATION", "cursor"),
        ("cursor=%F0%9F%98%80", "INVALID_PAGINATION", "cursor"),
    ],
)
def test_what_breaks_a_rule_is_refused_at_its_place(owner, query, code, place):
    answer = owner.get(f"{DEALS}?{query}")
    assert (answer.status_code, answer.json["code"]) == (400, code), answer.json
    assert list(answer.json["details"]["fields"]) == [place]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"wher": {}}, "wher"),
        ({"where": {"amount": {"in": list(range(1001))}}}, "where.amount.in"),
        ({"where": {"and": [{"amount": number} for number in range(65)]}}, "where.and[64].amount"),
        ({"where": {"amount": {"gte": "1000"}}}, "where.amount.gte"),
        ({"where": {"amount": {"in": [1, "2"]}}}, "where.amount.in[1]"),
        ({"where": {"name": {"contains": 5}}}, "where.name.contains"),
        ({"where": {"id": {"in": ["x"]}}}, "where.id.in[0]"),
        ({"where": {"and": [{}] * 128}}, "where.and[127]"),
        ({"where": {"and": [{"company": {}}] * 65}}, "where.and[63].company"),
        ({"where": {"or": []}}, "where.or"),
        ({"expand": {"company": {"expand": ["nope"]}}}, "expand.company.expand"),
        (
            {"expand": {"company": {"expand": {"deals": {"expand": {"contact": {"expand": {"company": {}}}}}}}}},
            "expand.company.expand.deals.expand.contact.expand.company",
        ),
        ({"take": "5"}, "take"),
        ({"take": 1001}, "take"),
        ({"skip": -1}, "skip"),
        ({"sort": "name"}, "sort"),
        ({"fields": [1]}, "fields"),
        ({"search": 5}, "search"),
        ({"expand": {"company": {"take": 1}}}, "expand.company.take"),
        ({"expand": {"deliverables": {"take": 101}}}, "expand.deliverables.take"),
        ({"expand": {"deliverables": {"where": {"nope": 1}}}}, "expand.deliverables.where.nope"),
    ],
)
def test_a_body_is_read_as_strictly(owner, body, place):
    for answer in (owner.post(f"{DEALS}/_query", body), owner.send("QUERY", DEALS, json=body)):
        assert answer.status_code == 400
        assert list(answer.json["details"]["fields"]) == [place]


def test_conditions_that_nest_too_deeply_are_refused(owner):
    where = {"amount": 1}
    for _ in range(7):
        where = {"not": where}
    assert owner.post(f"{DEALS}/_query", {"where": where}).json["code"] == "INVALID_FILTER"
    assert owner.post(f"{DEALS}/_query", {"where": where["not"]}).status_code == 200


def test_a_query_needs_no_more_than_reading_does(cast, owner):
    key = cast.key(owner, "read")
    for answer in (key.post(f"{DEALS}/_query", {"take": 1}), key.send("QUERY", DEALS, json={}),
                   key.get(f"{DEALS}/_aggregate")):  # fmt: skip
        assert answer.status_code == 200
    assert key.post(DEALS, {}).status_code == 403
    assert owner.get(DEALS).headers["Accept-Query"] == '"application/json"'


def test_an_empty_body_is_the_plain_list(owner):
    assert owner.send("QUERY", DEALS, json={}).data == owner.get(DEALS).data


def test_a_segment_with_an_underscore_is_no_record(owner):
    for path in (f"{DEALS}/_query", "/api/v1/ai/_query", f"{COMPANIES}/_query"):
        assert owner.get(path).status_code == 405
        assert owner.delete(path).status_code == 405


def test_keys_are_listed_by_query_with_errors_of_their_own_shape(cast):
    owner = cast.user()
    for name in ("b", "A", "c"):
        owner.post("/api/v1/auth/api-key", {"name": name})
    path = "/api/v1/auth/api-key"
    assert [key["name"] for key in owner.get(path, query_string={"sort": "name"}).json["data"]] == ["A", "b", "c"]
    found = owner.post(f"{path}/_query", {"where": {"name": {"gt": "a"}}, "fields": ["name"], "sort": ["-name"]}).json
    assert [set(key) for key in found["data"]] == [{"id", "name"}] * 2
    refused = owner.send("QUERY", path, json={"sort": ["keyHash"]})
    assert (refused.status_code, refused.json["statusCode"]) == (400, 400)


@pytest.mark.parametrize(
    ("text", "values"),
    [("a,b", ["a", "b"]), ("a\\,b,c", ["a,b", "c"]), ("a\\\\,b", ["a\\", "b"]), ("", [""]), (",", ["", ""]),
     ("a\\", ["a\\"]), ("\\x,y", ["\\x", "y"])],
)  # fmt: skip
def test_commas_part_values_unless_a_backslash_stands_before_them(text, values):
    assert split(text) == values


def test_every_bracketed_parameter_survives_the_url(owner):
    sent = {"where": json.dumps({"company": {"name": "Harbour, Works"}}), "amount[gte]": "1", "take": "1"}
    assert owner.get(DEALS, query_string=sent).json["meta"]["count"] == 2


def test_a_model_without_text_has_no_search(owner):
    assert owner.get("/api/v1/ai/vote?search=x").json["code"] == "INVALID_SEARCH"
    assert CrmCompany.searchable
