"""What the tests of the rental send, and what they read of answers."""

from __future__ import annotations

from rental.models import RentalBooking, RentalInvoice, RentalItem

ITEMS, BOOKINGS, INVOICES = (model.collection_path() for model in (RentalItem, RentalBooking, RentalInvoice))
EUR = {"amount": "12.50", "currency": "EUR"}
BOAT = {"name": "An old boat", "dailyPrice": EUR}
BERLIN, POTSDAM, SUVA, NADI = (
    {"lat": 52.52, "lng": 13.405}, {"lat": 52.3906, "lng": 13.0645}, {"lat": -18.1416, "lng": 178.4419},
    {"lat": -17.7765, "lng": -179.9},
)  # fmt: skip


def at(day):
    return f"2027-03-{day:02}T09:00:00.000Z"


def names(answer):
    assert answer.status_code == 200, answer.json
    return [each["name"] for each in answer.json["data"]]
