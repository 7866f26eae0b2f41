"""Durations as ISO 8601 writes them, in weeks, days, hours, minutes and seconds: ``P1DT12H``. Years and months, whose
length depends on where they begin, are none."""

from __future__ import annotations

import re
from datetime import timedelta

FORM = re.compile(
    r"P(?=[0-9T])(?:([0-9]{1,6})W)?(?:([0-9]{1,7})D)?"
    r"(?:T(?=[0-9])(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,10}(?:[.][0-9]{1,3})?)S)?)?",
    re.ASCII,
)
DAY, HOUR, MINUTE = 86_400, 3_600, 60


def duration_of(text: str) -> timedelta | None:
    """The duration that ``text`` says; None for text that says none."""
    found = FORM.fullmatch(text)
    if found is None:
        return None
    weeks, days, hours, minutes = (int(each or 0) for each in found.groups()[:4])
    return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes) + _seconds(found[5] or "0")


def iso(duration: timedelta) -> str:
    """``duration`` in the one way that the service writes it, to the millisecond: days, hours, minutes, seconds."""
    milliseconds = round(duration / timedelta(milliseconds=1))
    whole, rest = divmod(abs(milliseconds), 1000)
    days, whole = divmod(whole, DAY)
    hours, whole = divmod(whole, HOUR)
    minutes, seconds = divmod(whole, MINUTE)
    second = f"{seconds}.{rest:03}".rstrip("0") if rest else str(seconds)
    parts = [f"{hours}H" * bool(hours), f"{minutes}M" * bool(minutes), f"{second}S" * bool(seconds or rest)]
    time = "".join(parts) or ("" if days else "0S")
    return f"{'-' * (milliseconds < 0)}P{f'{days}D' * bool(days)}{f'T{time}' * bool(time)}"


def _seconds(text: str) -> timedelta:
    whole, _, rest = text.partition(".")
    return timedelta(seconds=int(whole), milliseconds=int(rest.ljust(3, "0")))
