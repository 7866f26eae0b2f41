"""Concurrency limits for expensive work: a number in total, and a smaller one per caller."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from app.foundation.errors import Failure


@dataclass
class ConcurrencyLimit:
    """At most ``each`` pieces of work of one caller at once, and ``total`` of all where that is given; whoever finds no
    slot within ``wait`` seconds gets the ``refusal``."""

    each: int
    wait: float
    refusal: Callable[[], Failure]
    total: int | None = None
    taken: Counter[str] = field(default_factory=Counter)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @contextmanager
    def of(self, caller: str, wait: float | None = None) -> Iterator[None]:
        """Take a slot for ``caller`` while the work lasts; without a name, the total alone counts. Raises
        the refusal."""
        deadline = time.monotonic() + (self.wait if wait is None else wait)
        with self._changed:
            while self._is_full(caller):
                if not self._changed.wait(deadline - time.monotonic()):
                    raise self.refusal()
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
        is_full = self.total is not None and self.taken.total() >= self.total
        return is_full or bool(caller and self.taken[caller] >= self.each)
