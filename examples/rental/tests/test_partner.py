"""The key of a partner's program: it reads what is published, makes bookings, and does nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from asking import BERLIN, BOOKINGS, EUR, INVOICES, ITEMS, at, names

from rowgate.models import AuthApiKey, CrmContact
from rowgate.testing import Actor

README = Path(__file__).parents[1] / "README.md"


@pytest.fixture
def partner(owner):
    """The program, with the key that the README makes for it."""
    sent = re.search(r"-d '(\{[^']*\})'", README.read_text())
    made = owner.post(AuthApiKey.collection_path(), json.loads(sent[1]))
    assert made.status_code == 201, made.json
    return Actor(owner.app, made.json["key"])


@pytest.fixture
def boat(item):
    return item(published=True, location=BERLIN, weightKg="80.5")


def test_it_lists_and_reads_of_published_items_what_it_is_shown(partner, item, boat):
    kept_back = item(name="Kept back")
    shown = {"id": boat["id"], "name": "An old boat", "slug": boat["slug"], "dailyPrice": EUR, "location": BERLIN}
    assert partner.get(f"{ITEMS}/{boat['id']}").json == shown
    listed = partner.get(ITEMS, query_string={"location[near]": "52.5,13.4,10", "sort": "dailyPrice"})
    assert listed.json["data"] == [shown]
    assert names(partner.get(ITEMS)) == ["An old boat"]
    assert partner.get(f"{ITEMS}/{kept_back['id']}").status_code == 404
    for query in ({"fields": "name,weightKg"}, {"weightKg[gt]": "1"}, {"sort": "boughtOn"}, {"published": "false"}):
        assert partner.get(ITEMS, query_string=query).status_code == 400, query


def test_it_books_what_is_published_and_is_told_the_id_alone(owner, partner, item, boat, book):
    made = book(boat, 1, 3, actor=partner)
    assert (made.status_code, list(made.json)) == (201, ["id"])
    assert owner.get(f"{BOOKINGS}/{made.json['id']}").json["price"] == {"amount": "25.00", "currency": "EUR"}
    assert book(boat, 2, 4, actor=partner).json["code"] == "OVERLAP"
    assert book(item(name="Kept back"), 1, 3, actor=partner).status_code == 400
    times = [{"itemId": boat["id"], "startsAt": at(day), "endsAt": at(day + 1)} for day in (5, 7)]
    assert partner.post(BOOKINGS, times).status_code == 201
    assert len(owner.get(BOOKINGS).json["data"]) == 3


def test_it_does_nothing_else(owner, partner, boat, book, workshop):
    booking, contact = book(boat, 1, 3).json, workshop.make(CrmContact)
    for more in ({"contactId": contact["id"]}, {"state": "lent"}, {"organizationId": str(owner.organization_id)}):
        assert book(boat, 5, 6, actor=partner, **more).status_code == 400, more
    paths = [ITEMS, BOOKINGS, INVOICES, CrmContact.collection_path()]
    refused = [
        *(partner.get(path) for path in paths[1:]),
        *(partner.get(f"{path}/_export") for path in paths),
        partner.get(f"{BOOKINGS}/{booking['id']}"),
        partner.patch(f"{BOOKINGS}/{booking['id']}", {"state": "cancelled"}),
        partner.delete(f"{BOOKINGS}/{booking['id']}"),
        partner.post(ITEMS, {"name": "Theirs", "dailyPrice": EUR}),
        partner.patch(f"{ITEMS}/{boat['id']}", {"name": "Theirs"}),
        partner.delete(f"{ITEMS}/{boat['id']}"),
        partner.post(INVOICES, {"dueOn": "2027-04-01", "total": EUR}),
        partner.get(AuthApiKey.collection_path()),
    ]
    assert {answer.status_code for answer in refused} <= {403, 404}, [answer.json for answer in refused]
    assert owner.get(f"{BOOKINGS}/{booking['id']}").json["state"] == "reserved"
