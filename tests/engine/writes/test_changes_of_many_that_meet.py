"""Changes of many records at once that would give one the value of another."""

from __future__ import annotations

import pytest

from tests.writes import created

CONTACTS = "/api/v1/crm/contact"


@pytest.fixture
def owner(cast):
    return cast.user()


@pytest.fixture
def contacts(owner):
    company = created(owner, "crm/company", name="Harbour Works")
    return [
        created(owner, "crm/contact", firstName=name, lastName="B", email=f"{name}@b.example", companyId=company["id"])
        for name in ("anne", "bob")
    ]


def places(response):
    """Which records of the request were refused, as taken."""
    assert response.status_code == 409, response.json
    items = response.json["details"]["items"]
    assert {item["code"] for item in items} == {"UNIQUE_VIOLATION"}
    return [item["index"] for item in items]


def emails(owner):
    return {row["email"] for row in owner.get(CONTACTS).json["data"]}


def test_a_value_that_another_record_has_is_refused_at_its_place(owner, contacts):
    anne, bob = contacts
    wanted = [{"id": anne["id"], "title": "Crew"}, {"id": bob["id"], "email": anne["email"]}]
    assert places(owner.patch(CONTACTS, wanted)) == [1]
    assert emails(owner) == {"anne@b.example", "bob@b.example"}


def test_a_value_that_comes_twice_is_refused_at_the_second(owner, contacts):
    wanted = [{"id": each["id"], "email": "same@b.example"} for each in contacts]
    assert places(owner.patch(CONTACTS, wanted)) == [1]


def test_one_value_for_all_that_match_is_refused(owner, contacts):
    wanted = {"where": {"lastName": "B"}, "set": {"email": "same@b.example"}, "max": 10}
    assert places(owner.post(f"{CONTACTS}/_matching/_update", wanted)) == [1]
    assert emails(owner) == {"anne@b.example", "bob@b.example"}


def test_a_write_about_all_that_match_says_what_to_set(owner, contacts):
    refused = owner.post(f"{CONTACTS}/_matching/_update", {"where": {}, "max": 10})
    assert (refused.status_code, list(refused.json["details"]["fields"])) == (400, ["set"])
