"""Concurrency limits for expensive work: a number in total, and a smaller one per caller."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from app.foundation.errors import Unavailable


@dataclass
class Places:
    """At most ``total`` pieces of work at once, and ``each`` of one caller; whoever finds no place within ``wait``
    seconds is told to come again, by ``text``."""

    total: int
    each: int
    wait: float
    text: str
    taken: Counter[str] = field(default_factory=Counter)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @contextmanager
    def of(self, caller: str) -> Iterator[None]:
        """Take a place for ``caller`` while the work lasts; without a name, the total alone counts. Raises
        Unavailable."""
        deadline = time.monotonic() + self.wait
        with self._changed:
            while self._is_full(caller):
                if not self._changed.wait(deadline - time.monotonic()):
                    raise Unavailable(self.text)
            self.taken[caller] += 1
        try:
            yield
        finally:
            with self._changed:
                self.taken[caller] -= 1
                if not self.taken[caller]:
                    del self.taken[caller]
                self._changed.notify_all()

    def _is_full(self, caller: str) -> bool:
        return self.taken.total() >= self.total or bool(caller and self.taken[caller] >= self.each)
