"""Columns of exact values, declared in one line each as those in ``fields``: days and durations, amounts, codes of
standards, addresses and points, files and pictures; and fields that are worked out or encrypted."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Any

from sqlalchemy.orm import MappedColumn

from app.engine.declare import amounts, codes, counters, dates, files, places, positions
from app.engine.declare.fields import (
    ENCRYPTED,
    FILTERABLE,
    READ_ONLY,
    SORTABLE,
    FieldFlag,
    FieldSpec,
    Numbered,
    SlugOf,
    Virtual,
    column,
)
from app.engine.declare.kind import Kind
from app.engine.declare.kinds import SAFE_MAX, Integer, String
from config import SettingError

SHORTEST_SLUG = 16
SLUG_PATTERN = "^[a-z0-9]+(-[a-z0-9]+)*$"


def sequence(per: str = "", *flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """A number that the service counts, without gaps among the rows that are alike in the id ``per``, as of an
    organization: invoices. Who makes one waits for the transaction of the one before. Declare the two ``unique``."""
    counted = {"default": Numbered(per), **rest}
    return column(Integer(1, SAFE_MAX), READ_ONLY, FILTERABLE, SORTABLE, *flags, **counted)


def slug(of: str, *flags: FieldFlag, max: int = 200, **rest: Any) -> MappedColumn[Any]:
    """A name for addresses, made of the text ``of`` where none is sent: ``an-old-boat``. No two rows have the same; it
    stays as it is when the text changes."""
    if max < SHORTEST_SLUG:
        raise SettingError(f"A slug has room for {SHORTEST_SLUG} characters at least")
    kind = String(max, 1, pattern=SLUG_PATTERN)
    return column(kind, FILTERABLE, *flags, **{"default": SlugOf(of), "unique": True, **rest})


def day(*flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """A day of the calendar: ``2026-11-23``."""
    return column(dates.Date(), *flags, **rest)


def time_of_day(*flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """A time of day to the second, in no zone: ``09:30:00``."""
    return column(dates.TimeOfDay(), *flags, **rest)


def duration(
    *flags: FieldFlag, min: timedelta = timedelta(), max: timedelta = dates.LONGEST, **rest: Any
) -> MappedColumn[Any]:
    """A length of time to the millisecond, at most 36,500 days: ``PT1H30M``."""
    return column(dates.Duration(min, max), *flags, **rest)


def decimal(
    *flags: FieldFlag, precision: int, scale: int, min: str = "", max: str = "", **rest: Any
) -> MappedColumn[Any]:
    """An exact number of at most ``precision`` digits, ``scale`` of them behind the point; a string on the wire."""
    return column(amounts.Decimal(precision, scale, min, max), *flags, **rest)


def money(*flags: FieldFlag, min: str = "", **rest: Any) -> MappedColumn[Any]:
    """An amount in a currency: ``{"amount": "12.50", "currency": "EUR"}``."""
    return column(amounts.Money(min), *flags, **rest)


def country(*flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """A country by its two letters (ISO 3166-1)."""
    return column(codes.Country(), *flags, **rest)


def language(*flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """A language by its tag (BCP 47), such as ``de`` or ``pt-BR``."""
    return column(codes.Language(), *flags, **rest)


def currency(*flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """A currency by its three letters (ISO 4217)."""
    return column(codes.Currency(), *flags, **rest)


def color(*flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """A color as ``#rrggbb``."""
    return column(codes.Color(), *flags, **rest)


def ip_address(*flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """An address of IPv4 or IPv6."""
    return column(places.IpAddress(), *flags, **rest)


def ip_network(*flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """A network of IPv4 or IPv6: ``10.0.0.0/8``."""
    return column(places.IpNetwork(), *flags, **rest)


def point(*flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """A point on the earth: ``{"lat": 52.52, "lng": 13.405}``. ``index("location", using="gist")`` serves ``near``."""
    return column(places.Point(), *flags, **rest)


def file(*flags: FieldFlag, max_bytes: int, types: Collection[str] = (), **rest: Any) -> MappedColumn[Any]:
    """A file that goes with its record: takes the id of an upload, of one of ``types`` where they are named. The field
    may be empty; it ends in ``_id``."""
    return column(files.File(types=tuple(types), max_bytes=max_bytes), *flags, **rest)


def image(
    *flags: FieldFlag, max_bytes: int, sizes: Collection[int] = (), types: Collection[str] = files.PICTURES, **rest: Any
) -> MappedColumn[Any]:
    """A picture that goes with its record, and smaller ones of it by the pixels of their longer side."""
    return column(files.Image(types=tuple(types), max_bytes=max_bytes, sizes=tuple(sorted(sizes))), *flags, **rest)


def count_of(table: str, by: str, *flags: FieldFlag, where: str = "", **rest: Any) -> MappedColumn[Any]:
    """How many rows of ``table`` refer to a row ``by`` a column, of those that meet the SQL ``where``: kept in the
    transactions that write them. Name it in ``bookkeeping``; whoever reads it learns how many are hidden, too."""
    kind = counters.Counter(0, SAFE_MAX, table, by, where)
    return column(kind, READ_ONLY, FILTERABLE, SORTABLE, *flags, **{"default": 0, **rest})


def position(per: str = "", *flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """Where a record stands among those that are alike in ``per``, as of a list: ``sort`` by it. A write takes
    ``first``, ``last``, ``before:{id}`` and ``after:{id}``; a new record stands last."""
    return column(positions.Position(per), FILTERABLE, SORTABLE, *flags, **{"default": positions.Placed(per), **rest})


def encrypted(*flags: FieldFlag, max: int, min: int = 0, **rest: Any) -> MappedColumn[Any]:
    """A text that is stored encrypted, and read as it was sent. It is in no condition, search, export or log."""
    return column(String(max, min), ENCRYPTED, *flags, **rest)


def computed(kind: Kind, *flags: FieldFlag, of: Collection[str], make: Callable[..., Any], note: str = "") -> Virtual:
    """A field that Python makes of those of the attributes ``of`` when a record is read, shown to whoever sees all of
    them. One that is filtered or sorted by is made in SQL: ``virtual``."""
    return Virtual(FieldSpec(kind, frozenset((READ_ONLY, *flags)), note=note), make=make, of=tuple(of))
