"""What an item is like: JSON of a declared shape, and conditions on what lies within it."""

from __future__ import annotations

import json

import pytest
from asking import ITEMS, names
from sqlalchemy import text

from app.testing.database import transaction

BARGE = {"seats": 12, "engine": "diesel", "skipper": True, "depth": 1.25, "berth": {"harbor": "Köpenick", "place": 7}}
PUNT = {"seats": 4, "engine": "none", "skipper": False, "depth": 0.1, "berth": {"harbor": "Spandau"}}


@pytest.fixture
def fleet(item):
    item(name="barge", traits=BARGE)
    item(name="punt", traits=PUNT)
    item(name="bare")


@pytest.mark.parametrize(
    ("traits", "said"),
    [({"seats": -1}, "seats: -1 is less than the minimum of 0."), ({"seats": "4"}, "seats: '4' is not of type"),
     ({"berth": {"pier": 1}}, "berth: Additional properties"), ({"wheels": 4}, "Additional properties"),
     ([], "Not a valid object.")],
)  # fmt: skip
def test_what_has_another_shape_is_refused_at_its_place(owner, item, traits, said):
    price = {"amount": "1", "currency": "EUR"}
    answer = owner.post(ITEMS, {"name": "Boat", "dailyPrice": price, "traits": traits})
    assert answer.status_code == 400
    assert answer.json["details"]["fields"]["traits"][0].startswith(said)
    made = item()
    assert owner.put(f"{ITEMS}/{made['id']}", {"traits": traits}).status_code == 400


@pytest.mark.parametrize(
    ("parameter", "value", "found"),
    [("traits.seats", "12", ["barge"]), ("traits.seats[gte]", "4", ["barge", "punt"]),
     ("traits.seats[lt]", "5", ["punt"]), ("traits.engine", "diesel", ["barge"]),
     ("traits.engine[in]", "none,electric", ["punt"]),
     ("traits.engine[ne]", "none", ["bare", "barge"]), ("traits.skipper", "true", ["barge"]),
     ("traits.depth[lte]", "0.1", ["punt"]), ("traits.depth", "1.25", ["barge"]),
     ("traits.berth.harbor[startsWith]", "köp", ["barge"]), ("traits.berth.harbor[contains]", "PANDA", ["punt"]),
     ("traits.berth.place[isNull]", "true", ["bare", "punt"]), ("traits[isNull]", "true", [])],
)  # fmt: skip
def test_a_parameter_asks_for_a_member(owner, fleet, parameter, value, found):
    assert names(owner.get(ITEMS, query_string={parameter: value, "sort": "name"})) == found


def test_conditions_nest_as_the_json_does(owner, fleet):
    def asked(traits):
        return names(owner.get(ITEMS, query_string={"where": json.dumps({"traits": traits}), "sort": "name"}))

    assert asked({"engine": "diesel", "berth": {"harbor": "Köpenick", "place": {"gt": 6}}}) == ["barge"]
    assert asked({"seats": {"in": [4, 12]}, "skipper": False}) == ["punt"]
    assert asked({"isNull": False}) == ["bare", "barge", "punt"]
    by = {"seats": 12, "engine": "diesel", "skipper": True}
    assert asked(by) == ["barge"]


@pytest.mark.parametrize(
    ("asked", "place"),
    [({"traits.wheels": "4"}, "traits.wheels"), ({"traits.berth": "x"}, "traits.berth"), ({"traits": "x"}, "traits"),
     ({"traits.seats": "many"}, "traits.seats"), ({"traits.seats[contains]": "4"}, "traits.seats[contains]"),
     ({"traits.engine": "steam"}, "traits.engine"), ({"traits.seats.more": "4"}, "traits.seats.more"),
     ({"where": '{"traits": {"wheels": 4}}'}, "where.traits.wheels"),
     ({"where": '{"traits": {"berth": 4}}'}, "where.traits.berth"),
     ({"where": '{"traits": {"berth": {"eq": 4}}}'}, "where.traits.berth.eq"),
     ({"where": '{"traits": {"seats": "4"}}'}, "where.traits.seats"), ({"sort": "traits.seats"}, "sort")],
)  # fmt: skip
def test_what_is_no_member_is_refused_at_its_place(owner, asked, place):
    answer = owner.get(ITEMS, query_string=asked)
    assert (answer.status_code, list(answer.json["details"]["fields"])) == (400, [place]), answer.json


def test_what_was_stored_before_the_shape_was_declared_breaks_no_condition(app, owner, item):
    made = item(name="old")
    with app.app_context(), transaction() as session:
        told = json.dumps({"seats": "many", "skipper": "yes", "depth": [1], "berth": 5})
        session.execute(text("UPDATE rental_item SET traits = :told WHERE id = :id"), {"told": told, "id": made["id"]})
    for asked in (
        {"traits.seats[gte]": "0"},
        {"traits.skipper": "true"},
        {"traits.depth": "1"},
        {"traits.berth.harbor": "x"},
    ):
        assert names(owner.get(ITEMS, query_string=asked)) == []


def test_who_does_not_see_the_json_asks_for_nothing_in_it(owner, fleet):
    access = [{"models": ["rental/item"], "operations": ["list", "read"], "fields": ["name"]}]
    key = owner.post("/api/v1/auth/api-key", {"name": "partner", "access": access}).json["key"]
    for asked in ({"traits.seats": "12"}, {"where": '{"traits": {"seats": 12}}'}):
        answer = owner.get(ITEMS, query_string=asked, headers={"Authorization": f"Bearer {key}"})
        assert answer.json["code"] == "INVALID_FILTER"
        assert "seats" not in answer.json["error"].partition("traits.seats")[2]


def test_an_index_over_a_member_serves_its_condition(app, owner, fleet):
    plan = "EXPLAIN SELECT id FROM rental_item WHERE organization_id = :home AND " + (
        "(CASE WHEN jsonb_typeof(traits #> '{seats}') = 'number' THEN (traits #> '{seats}')::numeric END) = 12::bigint"
    )
    with app.app_context(), transaction() as session:
        session.execute(text("SET LOCAL enable_seqscan = off"))
        told = "\n".join(session.scalars(text(plan), {"home": owner.organization_id}))
    assert "ix_rental_item_organization_id_traits_seats" in told
