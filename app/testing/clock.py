"""The clock of a test: what ``app.foundation.clock.now`` tells, ahead of the time or behind it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from app.foundation import clock


class Clock:
    """It goes on, from where it was moved to. PostgreSQL and Redis have clocks of their own."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def move(self, **span: float) -> None:
        """Let time pass, ``hours=3``; less than none puts the clock back."""
        self._ahead += timedelta(**span)

    def set(self, moment: datetime) -> None:
        """Have it be ``moment``, a time with a zone."""
        self._ahead = moment - datetime.now(UTC)

    def read(self, zone: tzinfo) -> datetime:
        """The time that it shows."""
        return datetime.now(zone) + self._ahead


@contextmanager
def moved() -> Iterator[Clock]:
    """A clock that the application goes by until the end of the block."""
    own: Any = clock.source
    made = Clock()
    clock.source = made.read
    try:
        yield made
    finally:
        clock.source = own
