"""What contacts are sent about their bookings, as it lies in the outbox."""

from __future__ import annotations

import pytest
from asking import BOOKINGS, at
from sqlalchemy import select

from app.mail.models import PlatformMail
from rowgate import SYSTEM, run_unit
from rowgate.models import CrmContact


@pytest.fixture
def grace(workshop):
    """Somebody who books."""
    return workshop.make(CrmContact, firstName="Grace", email="grace@example.com")


@pytest.fixture
def outbox(app, owner):
    """Mails about bookings of ``owner``: kind, address and subject, or as a browser shows one."""
    columns = (PlatformMail.id, PlatformMail.kind, PlatformMail.to, PlatformMail.subject)
    kinds = PlatformMail.kind.in_(["rental-booked", "rental-cancelled"])

    def sent(part=None):
        ids = [each["id"] for each in owner.get(BOOKINGS, query_string={"take": 100}).json["data"]]
        found = select(*columns).where(kinds, PlatformMail.cause.in_(ids)).order_by(PlatformMail.id)
        with app.app_context():
            mails = run_unit(SYSTEM, lambda unit: [tuple(row) for row in unit.session.execute(found)])
        if part is None:
            return [mail[1:] for mail in mails]
        return [app.test_client().get(f"/mailbox/{mail[0]}{part}").text for mail in mails]

    return sent


def test_a_contact_is_told_of_a_booking_and_that_it_is_cancelled(owner, item, book, grace, outbox):
    booking = book(item(), 1, 3, contactId=grace["id"]).json
    assert outbox() == [("rental-booked", "grace@example.com", "An old boat is reserved for you")]
    path = f"{BOOKINGS}/{booking['id']}"
    assert owner.patch(path, {"endsAt": at(4)}).status_code == 200
    assert owner.patch(path, {"state": "cancelled"}).status_code == 200
    assert outbox()[1:] == [("rental-cancelled", "grace@example.com", "Cancelled: An old boat")]


def test_a_mail_says_in_html_and_in_text_what_is_booked_until_when_and_for_how_much(item, book, grace, outbox):
    book(item(name="Bread & boats"), 1, 3, contactId=grace["id"])
    (html,), (text,) = outbox("/html"), outbox("")
    for shown in (html, text):
        for part in ("Hello Grace", "Bread &amp; boats", "2027-03-01 09:00 UTC", "2027-03-03 09:00 UTC", "25.00 EUR"):
            assert part in shown
    assert "<td>25.00 EUR</td>" in html


def test_a_mail_is_in_german_where_the_manual_of_the_item_is(owner, item, book, grace, outbox):
    booking = book(item(manual="de-AT"), 1, 3, contactId=grace["id"]).json
    owner.patch(f"{BOOKINGS}/{booking['id']}", {"state": "cancelled"})
    subjects = [subject for _, _, subject in outbox()]
    assert subjects == ["An old boat ist für Sie reserviert", "Storniert: An old boat"]
    assert all("Guten Tag" in html and "Von" in html for html in outbox("/html"))


def test_of_an_array_each_contact_is_told_of_what_is_theirs(owner, item, workshop, grace, outbox):
    ada = workshop.make(CrmContact, firstName="Ada", email="ada@example.com")
    of = [(item(name="Boat"), grace), (item(name="Bike"), ada), (item(name="Barn"), None), (item(name="Bell"), grace)]
    sent = [
        {"itemId": thing["id"], "startsAt": at(1), "endsAt": at(2), "contactId": contact and contact["id"]}
        for thing, contact in of
    ]
    made = owner.post(BOOKINGS, sent).json["data"]
    assert sorted(outbox()) == [
        ("rental-booked", "ada@example.com", "Bike is reserved for you"),
        ("rental-booked", "grace@example.com", "Bell is reserved for you"),
        ("rental-booked", "grace@example.com", "Boat is reserved for you"),
    ]
    states = ["cancelled", "lent", "cancelled", "cancelled"]
    changes = [{"id": each["id"], "state": state} for each, state in zip(made, states, strict=True)]
    assert owner.put(BOOKINGS, changes).status_code == 200
    told = sorted(subject for kind, _, subject in outbox() if kind == "rental-cancelled")
    assert told == ["Cancelled: Bell", "Cancelled: Boat"]


def test_what_is_refused_or_never_reserved_is_told_to_nobody(owner, item, book, grace, outbox):
    boat = item()
    assert book(boat, 1, 3).status_code == 201
    assert book(boat, 2, 4, contactId=grace["id"]).status_code == 409
    assert book(boat, 5, 6, contactId=grace["id"], state="cancelled").status_code == 201
    assert outbox() == []
