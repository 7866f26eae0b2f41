"""What the tests of the rental send, and what they read of answers."""

from __future__ import annotations

import io

from PIL import Image
from rental.models import RentalBooking, RentalInvoice, RentalItem

ITEMS, BOOKINGS, INVOICES = (model.collection_path() for model in (RentalItem, RentalBooking, RentalInvoice))
EUR = {"amount": "12.50", "currency": "EUR"}
PUBLIC = {"visibility": "public"}
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


def picture(width=400, height=300, form="PNG"):
    written = io.BytesIO()
    Image.new("RGB", (width, height), "#0a7d5c").save(written, form)
    return written.getvalue()


def file_of(item, name="pictureId", size=None):
    return f"{ITEMS}/{item['id']}/_files/{name}" + (f"?size={size}" if size else "")


def is_there(actor, upload_id):
    return actor.get(f"/api/upload/{upload_id}").status_code == 200
