"""What follows a booking, in its transaction."""

from __future__ import annotations

from datetime import timedelta
from decimal import ROUND_UP, Decimal

from rental.models import RentalBooking, RentalItem
from rowgate import Invalid, Write, on_create, on_update

DAY = timedelta(days=1)


@on_create(RentalBooking)
def price_booking(booking: RentalBooking, write: Write) -> None:
    """A booking costs as many days as it begins, and is of an item of its organization; raises Invalid."""
    item = write.unit.get(RentalItem, booking.item_id)
    if item.organization_id != booking.organization_id:
        raise Invalid({"itemId": ["Is of another organization."]})
    if booking.ends_at - booking.starts_at < item.shortest:
        raise Invalid({"endsAt": ["Is shorter than the item is lent."]})
    days = (Decimal(str((booking.ends_at - booking.starts_at) / DAY))).quantize(Decimal(1), ROUND_UP)
    booking.price = item.daily_price | {"amount": str(Decimal(item.daily_price["amount"]) * days)}


@on_update(RentalBooking, changing=["starts_at", "ends_at"])
def price_anew(booking: RentalBooking, write: Write) -> None:
    """A booking of another length has another price."""
    price_booking(booking, write)
