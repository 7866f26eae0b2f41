"""The clock: UTC, aware, to the millisecond, as stored and as sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo

DATE_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
)
NOT_A_MOMENT = "Not a date and time with a zone, such as 2026-12-24T09:00:00Z."
# Where the time comes from. Tests put a clock of their own here: modules import ``now`` by its name.
source: Callable[[tzinfo], datetime] = datetime.now


def now() -> datetime:
    """Return the current time in UTC, cut to whole milliseconds."""
    moment = source(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def wire(moment: datetime) -> str:
    """Render an aware time as RFC 3339 in UTC with milliseconds: ``2026-11-20T19:54:00.000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def moment_of(text: str) -> datetime | None:
    """Read an RFC 3339 timestamp with a zone, cut to the millisecond, or None."""
    found = DATE_TIME.fullmatch(text)
    if found is None:
        return None
    fraction = (found[7] or "")[:3].ljust(3, "0")
    zone = "+00:00" if found[8] is None else f"{found[8]}{found[9]}:{found[10]}"
    try:
        moment = datetime.fromisoformat(f"{text[:10]}T{text[11:19]}.{fraction}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if moment.year >= 1 else None
