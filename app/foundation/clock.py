"""The one source of time: UTC, aware, to the millisecond, as stored and as sent."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """Return the current time in UTC, cut to whole milliseconds."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def wire(moment: datetime) -> str:
    """Render an aware time as RFC 3339 in UTC with milliseconds: ``2026-11-20T19:54:00.000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
