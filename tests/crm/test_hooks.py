"""Deals, their people and their companies."""

from __future__ import annotations

import pytest

from tests.writes import changed, created, messages


@pytest.fixture
def company(owner):
    return created(owner, "crm/company", name="Acme")


def open_deal(owner, company, **body):
    return created(owner, "crm/deal", name="Deal", companyId=company["id"], **body)


def test_a_deal_gets_its_probability_from_its_stage(owner, company):
    deal = open_deal(owner, company)
    assert (deal["stage"], deal["probability"], deal["ownerId"]) == ("lead", 10, str(owner.user_id))
    assert changed(owner, "crm/deal", deal, stage="proposal").json["probability"] == 50
    assert changed(owner, "crm/deal", deal, stage="negotiation", probability=60).json["probability"] == 60


def test_closing_a_deal_dates_it_and_reopening_empties_the_date(owner, company):
    deal = open_deal(owner, company)
    won = changed(owner, "crm/deal", deal, stage="won").json
    assert won["closedAt"] == won["stageChangedAt"]
    assert changed(owner, "crm/deal", deal, stage="negotiation").json["closedAt"] is None


def test_a_lost_deal_needs_a_reason(owner, company):
    deal = open_deal(owner, company)
    assert messages(changed(owner, "crm/deal", deal, stage="lost"), "lostReason")
    assert changed(owner, "crm/deal", deal, stage="lost", lostReason="price").status_code == 200


def test_the_contact_of_a_deal_is_one_of_its_company(owner, company):
    other = created(owner, "crm/company", name="Other")
    person = {"firstName": "A", "lastName": "B", "email": "a@example.com", "companyId": other["id"]}
    contact = created(owner, "crm/contact", **person)
    refused = owner.post("/api/v1/crm/deal", {"name": "D", "companyId": company["id"], "contactId": contact["id"]})
    assert messages(refused, "contactId")


def test_the_owner_of_a_deal_is_a_member(cast, owner, company):
    guest = cast.user()
    cast.colleague(owner)
    body = {"name": "D", "companyId": company["id"], "ownerId": str(guest.user_id)}
    assert owner.post("/api/v1/crm/deal", body).json["code"] == "FOREIGN_KEY_VIOLATION"


def test_a_public_company_of_somebody_else_cannot_be_pinned(cast, owner):
    public = created(cast.user(), "crm/company", name="Open", visibility="public")
    person = {"firstName": "A", "lastName": "B", "email": "a@example.com", "companyId": public["id"]}
    assert owner.post("/api/v1/crm/contact", person).json["code"] == "FOREIGN_KEY_VIOLATION"
