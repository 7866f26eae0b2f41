"""What all sample rows share: the unit of work, the day they are counted from, and how a dated row is stored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import TypeVar

from app.engine.declare.record import Record
from app.engine.write.unit_of_work import Unit

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Context:
    """The unit of work to write with, the moment of loading, and one source of chance."""

    unit: Unit
    now: datetime
    random: Random

    def at(self, days: int, clock: str) -> datetime:
        """The moment ``clock`` (such as 09:30) so many days before today; negative days lie ahead."""
        midnight = self.now.replace(hour=0, minute=0, second=0, microsecond=0)
        hours, minutes = clock.split(":")
        return midnight + timedelta(days=-days, hours=int(hours), minutes=int(minutes))

    def store(self, record: R, made: datetime, changed: datetime | None = None) -> R:
        """Write the record as of ``made``, last changed then or at ``changed``."""
        self._date(record, made, changed)
        self.unit.store(record)
        return record

    def store_all(self, records: Iterable[tuple[Record, datetime]]) -> None:
        """Write many records that nothing refers to, each as of its moment."""
        for record, made in records:
            self._date(record, made, None)
            self.unit.session.add(record)
        self.unit.session.flush()

    def _date(self, record: Record, made: datetime, changed: datetime | None) -> None:
        record.created_at, record.updated_at = made, changed or made
