"""Spans of time, by which moments and dates are grouped, compared and sorted: hours, days, weeks, and so on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from app.engine.declare.dates import Date
from app.engine.declare.kind import Kind, Operator
from app.engine.declare.kinds import Timestamp
from app.engine.declare.record import Field
from app.engine.read.query import Comparison, Condition, Junction
from app.foundation.clock import moment_of

EARLIEST, LATEST = "timestamptz '0001-02-01 00:00Z'", "timestamptz '9999-11-30 00:00Z'"
DAY = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?", re.ASCII)
EXPECTED = "Is no day such as 2026-11-23, nor the beginning of one, such as 2026-11 or 2026, nor a moment."
UTC_ZONE = "UTC"
SINGLE = (Operator.EQ, Operator.NE, Operator.GT, Operator.GTE, Operator.LT, Operator.LTE)
OPERATORS = (*SINGLE, Operator.IN, Operator.NIN, Operator.IS_NULL)


class Interval(StrEnum):
    """The spans that moments are grouped by; a week begins on Monday (ISO 8601)."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


class Span(NamedTuple):
    """From a moment, or a date, up to another, which belongs to the next span."""

    start: datetime | date
    end: datetime | date


def is_moment(field: Field) -> bool:
    return isinstance(field.spec.kind, Timestamp)


def has_days(field: Field) -> bool:
    """Whether it is grouped by spans of the calendar where that is asked for."""
    return isinstance(field.spec.kind, Date)


def units_of(kind: Kind) -> tuple[Interval, ...]:
    """The spans that values of ``kind`` lie in; a date has no hours."""
    if isinstance(kind, Timestamp):
        return tuple(Interval)
    return tuple(each for each in Interval if each is not Interval.HOUR) if isinstance(kind, Date) else ()


@cache
def zones() -> frozenset[str]:
    """The names of time zones that callers may use."""
    return frozenset(available_timezones() - {"localtime"})


def truncated(field: Field, value: str, unit: Interval, zone: str) -> str:
    """The SQL of where the span begins that ``value`` lies in; ``zone`` is SQL as well."""
    if not is_moment(field):
        return f"date_trunc('{unit}', ({value})::timestamp)::date"
    # A zone may move the first and the last year out of the range of timestamps.
    return f"CASE WHEN {value} BETWEEN {EARLIEST} AND {LATEST} THEN date_trunc('{unit}', {value}, {zone}) END"


def span(field: Field, unit: Interval, text: str, zone: str) -> Span | None:
    """The span of ``field`` that ``text`` names by a day, the beginning of one, or a moment; None for what is none."""
    local = ZoneInfo(zone)
    try:
        moment = moment_of(text)
        if unit is Interval.HOUR and moment is not None:
            begins = moment.astimezone(local).replace(minute=0, second=0, microsecond=0).astimezone(UTC)
            return Span(begins, begins + timedelta(hours=1))
        day = moment.astimezone(local).date() if moment is not None else _day_of(text)
        if day is None or unit is Interval.HOUR:
            return None
        start, end = _around(unit, day)
        if not is_moment(field):
            return Span(start, end)
        return Span(*(datetime.combine(each, time(), local).astimezone(UTC) for each in (start, end)))
    except (ValueError, OverflowError):
        return None


def compared(field: Field, operator: Operator, spans: Sequence[Span], *, with_null: bool = False) -> Condition:
    """The condition that ``field`` lies in one of ``spans``, or beside or between them, by plain comparisons, which
    indexes serve."""
    first = spans[0]
    match operator:
        case Operator.GT:
            return Comparison(field, Operator.GTE, first.end)
        case Operator.GTE:
            return Comparison(field, Operator.GTE, first.start)
        case Operator.LT:
            return Comparison(field, Operator.LT, first.start)
        case Operator.LTE:
            return Comparison(field, Operator.LT, first.end)
        case Operator.EQ | Operator.IN:
            parts: list[Condition] = [_within(field, each) for each in spans]
            parts += [Comparison(field, Operator.IS_NULL, True)] if with_null else []
            return parts[0] if len(parts) == 1 else Junction(tuple(parts), any=True)
        case _:
            parts = [_outside(field, each) for each in spans]
            parts += [Comparison(field, Operator.IS_NULL, False)] if with_null else []
            return parts[0] if len(parts) == 1 else Junction(tuple(parts))


def _within(field: Field, each: Span) -> Condition:
    return Junction((Comparison(field, Operator.GTE, each.start), Comparison(field, Operator.LT, each.end)))


def _outside(field: Field, each: Span) -> Condition:
    """As with ``ne``, where there is nothing it lies in no span."""
    before, behind = Comparison(field, Operator.LT, each.start), Comparison(field, Operator.GTE, each.end)
    return Junction((before, behind, Comparison(field, Operator.IS_NULL, True)), any=True)


def _day_of(text: str) -> date | None:
    found = DAY.fullmatch(text)
    return date(int(found[1]), int(found[2] or 1), int(found[3] or 1)) if found else None


def _around(unit: Interval, day: date) -> tuple[date, date]:
    """The first day of the span that ``day`` lies in, and that of the next one."""
    match unit:
        case Interval.WEEK:
            start = day - timedelta(days=day.weekday())
            return start, start + timedelta(days=7)
        case Interval.MONTH:
            return day.replace(day=1), _month(day.year, day.month + 1)
        case Interval.QUARTER:
            first = day.month - (day.month - 1) % 3
            return _month(day.year, first), _month(day.year, first + 3)
        case Interval.YEAR:
            return _month(day.year, 1), _month(day.year + 1, 1)
        case _:
            return day, day + timedelta(days=1)


def _month(year: int, month: int) -> date:
    """The first day of a month, which may be counted beyond the year."""
    return date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)
