"""What follows a booking, in its transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from decimal import ROUND_UP, Decimal

from sqlalchemy import select

from rental.models import RentalBooking, RentalItem
from rowgate import Invalid, Write, failing_at, on_create, on_update

DAY = timedelta(days=1)


@on_create(RentalBooking, many=True)
@on_update(RentalBooking, changing=["starts_at", "ends_at"], many=True)
def price_bookings(bookings: Sequence[RentalBooking], writes: Sequence[Write]) -> None:
    """A booking costs as many days as it begins, and is of an item of its organization; raises Invalid."""
    wanted = select(RentalItem).where(RentalItem.id.in_({booking.item_id for booking in bookings}))
    items = {item.id: item for item in writes[0].unit.session.scalars(wanted)}
    for index, (booking, write) in enumerate(zip(bookings, writes, strict=True)):
        is_new = not write.before
        with failing_at(index):
            if is_new or write.changed("starts_at", "ends_at"):
                price(booking, items[booking.item_id])


def price(booking: RentalBooking, item: RentalItem) -> None:
    """Price one booking of ``item``; raises Invalid."""
    if item.organization_id != booking.organization_id:
        raise Invalid({"itemId": ["Is of another organization."]})
    length = booking.ends_at - booking.starts_at
    if length < item.shortest:
        raise Invalid({"endsAt": ["Is shorter than the item is lent."]})
    days = Decimal(str(length / DAY)).quantize(Decimal(1), ROUND_UP)
    booking.price = item.daily_price | {"amount": str(Decimal(item.daily_price["amount"]) * days)}
