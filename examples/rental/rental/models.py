"""What is stored: items, who books them, and invoices."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Any
from uuid import UUID

from sqlalchemy import cast, func, types
from sqlalchemy.orm import Mapped

from rowgate import (
    CALLER_ORGANIZATION,
    FILTERABLE,
    IMMUTABLE,
    READ_ONLY,
    SCOPE_READS,
    SORTABLE,
    UNLISTED,
    Organization,
    Policy,
    Record,
    Rule,
    boolean,
    check,
    color,
    computed,
    count_of,
    country,
    day,
    decimal,
    duration,
    encrypted,
    enum,
    excludes,
    file,
    image,
    index,
    ip_address,
    ip_network,
    json,
    language,
    long_text,
    money,
    point,
    position,
    reference,
    sequence,
    slug,
    sorted_by,
    string,
    time_of_day,
    timestamp,
    unique,
    virtual,
)
from rowgate.kinds import Integer, Money

DAY = 24 * 60 * 60
BY = {"default": CALLER_ORGANIZATION}
TRAITS = {
    "type": "object",
    "properties": {
        "seats": {"type": "integer", "minimum": 0},
        "engine": {"enum": ["none", "electric", "diesel"]},
        "skipper": {"type": "boolean"},
        "depth": {"type": "number"},
        "berth": {
            "type": "object",
            "properties": {"harbor": {"type": "string", "maxLength": 100}, "place": {"type": ["integer", "null"]}},
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}


def for_a_week(daily: dict[str, str]) -> dict[str, str]:
    return daily | {"amount": str(Decimal(daily["amount"]) * 6)}


class RentalItem(Record):
    """Something that can be booked; what is in the catalogue is shown to everybody."""

    __tablename__ = "rental_item"
    domain, segment = "rental", "item"
    policy = Policy(
        Organization("organization_id", public={"published": [True]}), anonymous=True, anonymous_search=True
    )
    searchable = ("name", "description")
    bookkeeping = ("booking_count",)
    keys = (
        sorted_by("daily_price"),
        sorted_by("organization_id", "rank"),
        index("location", using="gist"),
        index("organization_id", "traits.seats"),
        check("opens_at < closes_at", "closes_at", message="Must be after opensAt."),
    )

    organization_id: Mapped[UUID] = reference("auth_organization", "cascade", IMMUTABLE, FILTERABLE, **BY)
    name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=200)
    slug: Mapped[str] = slug("name")
    description: Mapped[str | None] = long_text(UNLISTED, max=20_000)
    published: Mapped[bool] = boolean(FILTERABLE, default=False)
    daily_price: Mapped[dict[str, str]] = money(FILTERABLE, SORTABLE, min="0")
    weight_kg: Mapped[Decimal | None] = decimal(FILTERABLE, SORTABLE, precision=8, scale=3, min="0")
    color: Mapped[str | None] = color(FILTERABLE)
    picture_id: Mapped[UUID | None] = image(FILTERABLE, max_bytes=10 * 1024 * 1024, sizes=(160, 960))
    instructions_id: Mapped[UUID | None] = file(max_bytes=20 * 1024 * 1024, types=["application/pdf"])
    traits: Mapped[dict[str, Any]] = json(FILTERABLE, shape=TRAITS, default={})
    tracker: Mapped[IPv4Address | IPv6Address | None] = ip_address(SCOPE_READS, FILTERABLE, SORTABLE)
    tracked_in: Mapped[IPv4Network | IPv6Network | None] = ip_network(SCOPE_READS, FILTERABLE, SORTABLE)
    rank: Mapped[Decimal] = position("organization_id", note="in the catalogue")
    booking_count: Mapped[int] = count_of("rental_booking", "item_id", where="state <> 'cancelled'")
    lock_code: Mapped[str | None] = encrypted(SCOPE_READS, max=20, note="of the shed that it stands in")
    made_in: Mapped[str | None] = country(FILTERABLE)
    manual: Mapped[str] = language(FILTERABLE, default="en")
    bought_on: Mapped[date | None] = day(FILTERABLE, SORTABLE)
    location: Mapped[dict[str, float] | None] = point(FILTERABLE)
    opens_at: Mapped[time] = time_of_day(FILTERABLE, SORTABLE, default=time(9))
    closes_at: Mapped[time] = time_of_day(FILTERABLE, default=time(18))
    shortest: Mapped[timedelta] = duration(FILTERABLE, SORTABLE, default=timedelta(hours=1))
    weekly_price = computed(Money(), of=["daily_price"], make=for_a_week, note="six days are paid")


class RentalBooking(Record):
    """An item that somebody has for a while; no two have it at once."""

    __tablename__ = "rental_booking"
    domain, segment = "rental", "booking"
    policy = Policy(Organization("organization_id"))
    keys = (excludes("item_id", during=("starts_at", "ends_at"), where="state <> 'cancelled'"),)
    transitions = {"state": {"reserved": ["lent", "cancelled"], "lent": ["returned"]}}

    organization_id: Mapped[UUID] = reference("auth_organization", "cascade", IMMUTABLE, FILTERABLE, **BY)
    item_id: Mapped[UUID] = reference("rental_item", "cascade", IMMUTABLE, FILTERABLE)
    contact_id: Mapped[UUID | None] = reference("crm_contact", "set null", FILTERABLE)
    starts_at: Mapped[datetime] = timestamp(FILTERABLE, SORTABLE)
    ends_at: Mapped[datetime] = timestamp(FILTERABLE, SORTABLE)
    state: Mapped[str] = enum("reserved", "lent", "returned", "cancelled", flags=(FILTERABLE,), default="reserved")
    price: Mapped[dict[str, Any] | None] = money(READ_ONLY, FILTERABLE, SORTABLE)
    days = virtual(
        Integer(0, 36_500), READ_ONLY, FILTERABLE, SORTABLE, note="days that it begins",
        expression=lambda row: cast(func.ceil(func.extract("epoch", row.ends_at - row.starts_at) / DAY), types.Integer),
    )  # fmt: skip


class RentalInvoice(Record):
    """What a booking costs. Numbers of an organization have no gaps, so that none is removed."""

    __tablename__ = "rental_invoice"
    domain, segment = "rental", "invoice"
    policy = Policy(Organization("organization_id"), delete=Rule.NONE)
    keys = (unique("organization_id", "number"),)

    organization_id: Mapped[UUID] = reference("auth_organization", "cascade", IMMUTABLE, FILTERABLE, **BY)
    number: Mapped[int] = sequence("organization_id")
    booking_id: Mapped[UUID | None] = reference("rental_booking", "set null", IMMUTABLE, FILTERABLE)
    due_on: Mapped[date] = day(FILTERABLE, SORTABLE)
    total: Mapped[dict[str, str]] = money(IMMUTABLE, FILTERABLE, SORTABLE, min="0")
