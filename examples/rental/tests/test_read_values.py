"""Values that are more than their columns: encrypted texts, and what Python makes of others."""

from __future__ import annotations

import pytest
from asking import BOAT, EUR, ITEMS, names
from rental.models import RentalItem
from sqlalchemy import text

from app.testing.database import transaction

WEEK = {"amount": "75.00", "currency": "EUR"}


@pytest.fixture
def stored(app):
    """What the database has in a column of an item."""

    def read(column, item):
        with app.app_context(), transaction() as session:
            asked = text(f"SELECT {column} FROM {RentalItem.__tablename__} WHERE id = :id")
            return session.scalar(asked, {"id": item["id"]})

    return read


def test_an_encrypted_text_is_read_as_it_was_sent(owner, item, stored):
    made = item(lockCode="B-4711")
    assert made["lockCode"] == "B-4711"
    assert "4711" not in stored("lock_code", made)
    (listed,) = owner.get(ITEMS).json["data"]
    (expanded,) = owner.post(f"{ITEMS}/_query", {"fields": ["lockCode", "weeklyPrice"]}).json["data"]
    assert listed["lockCode"] == owner.get(f"{ITEMS}/{made['id']}").json["lockCode"] == expanded["lockCode"] == "B-4711"
    assert set(expanded) == {"id", "lockCode", "weeklyPrice"}


def test_an_update_that_repeats_an_encrypted_text_changes_nothing(owner, item):
    made = item(lockCode="B-4711")
    again = owner.put(f"{ITEMS}/{made['id']}", made)
    assert (again.status_code, again.json["updatedAt"]) == (200, made["updatedAt"])
    assert owner.put(f"{ITEMS}/{made['id']}", {"lockCode": "C-1"}).json["lockCode"] == "C-1"
    assert owner.put(f"{ITEMS}/{made['id']}", {"lockCode": None}).json["lockCode"] is None


def test_an_encrypted_text_is_in_no_export_and_in_no_version(owner, item):
    made = item(lockCode="B-4711")
    owner.put(f"{ITEMS}/{made['id']}", {"lockCode": "C-0815", "name": "Barge"})
    seen = [owner.get(f"{ITEMS}/_export", query_string={"as": form}).text for form in ("csv", "ndjson", "json")] + [
        owner.get(f"{ITEMS}/{made['id']}/_history").text,
        owner.get("/api/v1/_changes").text,
    ]
    for answer in seen:
        assert "4711" not in answer
        assert "0815" not in answer
        assert "lockCode" not in answer


def test_conditions_do_not_reach_what_is_encrypted_or_made_in_python(owner, item):
    item(lockCode="B-4711")
    for name in ("lockCode", "weeklyPrice"):
        for asked in ({name: "B-4711"}, {"where": f'{{"{name}": {{"isNull": true}}}}'}):
            assert owner.get(ITEMS, query_string=asked).json["code"] == "INVALID_FILTER"
        assert owner.get(ITEMS, query_string={"sort": name}).json["code"] == "INVALID_SORT"
        measured = owner.get(f"{ITEMS}/_aggregate", query_string={"countDistinct": name})
        assert measured.json["code"] == "INVALID_FIELDS"


def test_a_field_of_some_readers_stays_theirs(cast, owner, item):
    made = item(published=True, lockCode="B-4711")
    for reader in (cast.nobody, cast.user()):
        shown = reader.get(f"{ITEMS}/{made['id']}").json
        assert "lockCode" not in shown
        assert shown["weeklyPrice"] == WEEK
    (listed,) = [
        each for each in cast.nobody.get(ITEMS, query_string={"take": 100}).json["data"] if each["id"] == made["id"]
    ]
    assert "lockCode" not in listed


def test_a_value_of_python_is_in_every_answer(owner, item):
    made = item()
    assert made["weeklyPrice"] == WEEK
    assert owner.get(f"{ITEMS}/{made['id']}").json["weeklyPrice"] == WEEK
    assert owner.get(f"{ITEMS}/{made['id']}", query_string={"fields": "weeklyPrice"}).json == {
        "id": made["id"], "weeklyPrice": WEEK,
    }  # fmt: skip
    (listed,) = owner.get(ITEMS, query_string={"fields": "weeklyPrice"}).json["data"]
    assert listed == {"id": made["id"], "weeklyPrice": WEEK}
    booking = {"itemId": made["id"], "startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-02T09:00:00Z"}
    owner.post("/api/v1/rental/booking", booking)
    (booked,) = owner.get("/api/v1/rental/booking", query_string={"expand": "item"}).json["data"]
    assert booked["item"]["weeklyPrice"] == WEEK
    changed = owner.put(f"{ITEMS}/{made['id']}", {"dailyPrice": {"amount": "2", "currency": "EUR"}}).json
    assert changed["weeklyPrice"] == {"amount": "12.00", "currency": "EUR"}
    refused = owner.put(f"{ITEMS}/{made['id']}", {"weeklyPrice": EUR})
    assert refused.status_code == 400


def test_who_does_not_see_what_a_value_is_made_of_does_not_see_it(owner, item):
    made = item()
    shown = {}
    for fields in (["name", "weeklyPrice"], ["dailyPrice", "weeklyPrice"], ["dailyPrice"]):
        access = [{"models": ["rental/item"], "operations": ["list", "read"], "fields": fields}]
        key = owner.post("/api/v1/auth/api-key", {"name": "partner", "access": access}).json["key"]
        asked = {"headers": {"Authorization": f"Bearer {key}"}}
        answers = owner.get(f"{ITEMS}/{made['id']}", **asked).json, owner.get(ITEMS, **asked).json["data"][0]
        shown["+".join(fields)] = ["weeklyPrice" in each for each in answers]
        if fields[0] == "name":
            answer = owner.get(ITEMS, query_string={"fields": "weeklyPrice"}, **asked)
            assert answer.json["code"] == "INVALID_FIELDS"
    assert shown == {
        "name+weeklyPrice": [False, False], "dailyPrice+weeklyPrice": [True, True], "dailyPrice": [False, False],
    }  # fmt: skip


def test_a_grant_that_shows_it_on_some_rows_shows_it_there_alone(owner, item):
    cheap, dear = item(), item(dailyPrice={"amount": "900", "currency": "EUR"})
    where = {"dailyPrice": {"lt": {"amount": "100", "currency": "EUR"}}}
    access = [
        {"models": ["rental/item"], "operations": ["list", "read"], "fields": ["name", "weeklyPrice"]},
        {"models": ["rental/item"], "operations": ["list", "read"], "fields": ["dailyPrice"], "where": where},
    ]
    key = owner.post("/api/v1/auth/api-key", {"name": "partner", "access": access}).json["key"]
    asked = {"headers": {"Authorization": f"Bearer {key}"}}
    found = {each["id"]: "weeklyPrice" in each for each in owner.get(ITEMS, **asked).json["data"]}
    assert found == {cheap["id"]: True, dear["id"]: False}
    assert names(owner.get(ITEMS, query_string={"sort": "name"}, **asked)) == [BOAT["name"]] * 2


def test_an_encrypted_text_is_in_no_answer_that_is_kept_for_a_repetition(app, owner):
    sent = {"headers": {"Idempotency-Key": "once"}}
    first, again = (owner.post(ITEMS, BOAT | {"lockCode": "B-4711"}, **sent) for _ in range(2))
    assert (first.json["lockCode"], again.headers["Idempotency-Truncated"]) == ("B-4711", "true")
    assert again.json["id"] == first.json["id"]
    with app.app_context(), transaction() as session:
        kept = session.scalars(text("SELECT response_body::text FROM platform_idempotency_key")).all()
    assert not any("4711" in each for each in kept if each)


def test_a_grant_shows_a_value_of_python_on_its_rows_alone(owner, item):
    first, second = item(name="first"), item(name="second")
    fields = ["name", "dailyPrice"]
    access = [
        {"models": ["rental/item"], "operations": ["list", "read"], "fields": [*fields, *more], "where": {"name": name}}
        for name, more in (("first", ["weeklyPrice"]), ("second", []))
    ]
    key = owner.post("/api/v1/auth/api-key", {"name": "partner", "access": access}).json["key"]
    asked = {"headers": {"Authorization": f"Bearer {key}"}}
    listed = {each["id"]: "weeklyPrice" in each for each in owner.get(ITEMS, **asked).json["data"]}
    read = {each["id"]: "weeklyPrice" in owner.get(f"{ITEMS}/{each['id']}", **asked).json for each in (first, second)}
    chosen = owner.get(ITEMS, query_string={"fields": "weeklyPrice"}, **asked).json["data"]
    assert listed == read == {each["id"]: "weeklyPrice" in each for each in chosen}
    assert listed == {first["id"]: True, second["id"]: False}
