"""Mails to those whom bookings are for, in the transaction of these: none tells of a booking that is not there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select

from rental.models import RentalBooking, RentalItem
from rowgate import Unit, Write, on_create, on_update
from rowgate.mail import send_mail
from rowgate.models import CrmContact


@on_create(RentalBooking, many=True)
def tell_of_bookings(bookings: Sequence[RentalBooking], writes: Sequence[Write]) -> None:
    """Send the contacts what is reserved for them."""
    tell(writes[0].unit, "rental-booked", [each for each in bookings if each.state == "reserved"])


@on_update(RentalBooking, changing=["state"], many=True)
def tell_of_cancellations(bookings: Sequence[RentalBooking], writes: Sequence[Write]) -> None:
    """Send the contacts what is no longer reserved for them."""
    both = zip(bookings, writes, strict=True)
    cancelled = [booking for booking, write in both if write.entered("state", booking, "cancelled")]
    tell(writes[0].unit, "rental-cancelled", cancelled)


def tell(unit: Unit, kind: str, bookings: Sequence[RentalBooking]) -> None:
    """Send a mail of ``kind`` for each booking that has a contact, in the language of the item's manual: contacts have
    none of their own."""
    contacts = rows(unit, CrmContact, {each.contact_id for each in bookings if each.contact_id is not None})
    told = [each for each in bookings if each.contact_id in contacts]
    items = rows(unit, RentalItem, {each.item_id for each in told})
    for booking in told:
        contact, item = contacts[booking.contact_id], items[booking.item_id]
        values = {"name": contact.first_name, "item": item.name} | details(booking)
        # Bookings may follow each other, within what an address gets in a day.
        language = item.manual.partition("-")[0]
        send_mail(unit, kind, contact.email, values, cause=booking.id, language=language, paused=False)


def rows(unit: Unit, model: Any, ids: set[UUID]) -> dict[UUID, Any]:
    """The rows of a model that have one of the ``ids``, by these."""
    found = unit.session.scalars(select(model).where(model.id.in_(ids))) if ids else ()
    return {row.id: row for row in found}


def details(booking: RentalBooking) -> dict[str, str]:
    """When a booking is, and what it costs, as mails show it."""
    price = f"{booking.price['amount']} {booking.price['currency']}" if booking.price else ""
    return {"starts": shown(booking.starts_at), "ends": shown(booking.ends_at), "price": price}


def shown(moment: datetime) -> str:
    """A moment as mails show it."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
