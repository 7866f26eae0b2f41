"""Kinds of time beside moments: days of the calendar, times of day, and durations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Any, ClassVar

from marshmallow import ValidationError
from sqlalchemy import types
from sqlalchemy.dialects.postgresql import INTERVAL, TIME
from sqlalchemy.types import TypeEngine

from app.engine.declare.kind import EQUALITY, ORDER, Kind, Operator
from app.foundation.durations import duration_of, iso

DAY_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
TIME_FORM = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2})?", re.ASCII)
LONGEST = timedelta(days=36_500)
# What ``durations.iso`` writes, of the seconds called ``s``.
ISO_TEXT = """(SELECT concat('P', nullif(div(s, 86400), 0) || 'D', CASE WHEN s = 0 OR mod(s, 86400) <> 0 THEN 'T' END,
    nullif(div(mod(s, 86400), 3600), 0) || 'H', nullif(div(mod(s, 3600), 60), 0) || 'M',
    CASE WHEN s = 0 OR mod(s, 60) <> 0 THEN trim_scale(mod(s, 60)) || 'S' END)
    FROM (SELECT extract(epoch FROM {column}) AS s) AS seconds WHERE s IS NOT NULL)"""


@dataclass(frozen=True)
class Date(Kind):
    """A day of the calendar, in no zone: ``2026-11-23`` (RFC 3339, full-date)."""

    name: ClassVar[str] = "date"
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY + ORDER
    sql_type: ClassVar[str] = "date"
    has_extremes: ClassVar[bool] = True

    def column_type(self) -> TypeEngine[Any]:
        return types.Date()

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date"}

    def parse(self, text: str) -> date | None:
        try:
            return date.fromisoformat(text) if DAY_FORM.fullmatch(text) else None
        except ValueError:
            return None

    def expected(self) -> str:
        return "Is not a date such as 2026-11-23."

    def example(self) -> Any:
        return "2027-01-01"


@dataclass(frozen=True)
class TimeOfDay(Kind):
    """A time of day to the second, in no zone: ``09:30:00``. The seconds may be left out of what is sent."""

    name: ClassVar[str] = "time"
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY + ORDER
    sql_type: ClassVar[str] = "time"
    has_extremes: ClassVar[bool] = True

    def column_type(self) -> TypeEngine[Any]:
        return TIME(precision=0)

    def json_schema(self) -> dict[str, Any]:
        # The format called time has a zone (RFC 3339).
        return {"type": "string", "format": "time-local"}

    def parse(self, text: str) -> time | None:
        try:
            return time.fromisoformat(text) if TIME_FORM.fullmatch(text) else None
        except ValueError:
            return None

    def expected(self) -> str:
        return "Is not a time of day such as 09:30:00."

    def example(self) -> Any:
        return "09:30:00"


@dataclass(frozen=True)
class Duration(Kind):
    """A length of time to the millisecond, from ``min`` to ``max``: ``PT1H30M`` (ISO 8601), a day being 24 hours."""

    min: timedelta = timedelta()
    max: timedelta = LONGEST
    name: ClassVar[str] = "duration"
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY + ORDER
    sql_type: ClassVar[str] = "interval"
    is_number: ClassVar[bool] = True
    is_exact: ClassVar[bool] = True

    def column_type(self) -> TypeEngine[Any]:
        return INTERVAL(precision=3)

    @property
    def constraints(self) -> dict[str, Any]:
        return {"minimum": iso(self.min), "maximum": iso(self.max)}

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "duration"}

    def parse(self, text: str) -> timedelta | None:
        return duration_of(text)

    def load(self, value: Any) -> timedelta:
        found: timedelta = super().load(value)
        if not self.min <= found <= self.max:
            raise ValidationError(f"Must be from {iso(self.min)} to {iso(self.max)}.")
        return found

    def expected(self) -> str:
        return "Is not a duration such as PT1H30M."

    def example(self) -> Any:
        return iso(max(self.min, min(self.max, timedelta(hours=1, minutes=30))))

    def as_cell(self, column: str) -> str:
        return ISO_TEXT.format(column=column)

    def as_member(self, column: str) -> str:
        return ISO_TEXT.format(column=column)
