"""A reload without a pause: after HUP the old workers go on serving until the new ones can.

gunicorn tells the old ones to leave as soon as the new ones are forked, which is seconds before those have loaded the
application; everybody who asks meanwhile would wait.
"""

from __future__ import annotations

import mmap
import time
from types import FrameType

import gevent
from gunicorn.arbiter import Arbiter
from gunicorn.workers.ggevent import GeventWorker

# How long an old worker stays when the new ones do not come, in seconds.
PATIENCE = 20.0
LOOK_EVERY = 0.1
NUMBER, SLOTS = 8, 4096

# Shared by all processes: the age of the youngest worker of before the reload, that of the youngest which it brings,
# and a byte for each worker that serves.
_shared = mmap.mmap(-1, 2 * NUMBER + SLOTS)


def begin(arbiter: Arbiter) -> None:
    """Note that the workers that are there now are to be replaced."""
    for place, age in enumerate((arbiter.worker_age, arbiter.worker_age + arbiter.cfg.workers)):
        _shared[place * NUMBER : (place + 1) * NUMBER] = age.to_bytes(NUMBER, "big")


def expect(worker: GeventWorker) -> None:
    """Note that a worker is forked, and does not serve yet."""
    _shared[_place(worker.age)] = 0


def serve(worker: GeventWorker) -> None:
    """Note that a worker can serve."""
    _shared[_place(worker.age)] = 1


def _ages() -> tuple[int, int]:
    return int.from_bytes(_shared[:NUMBER], "big"), int.from_bytes(_shared[NUMBER : 2 * NUMBER], "big")


def _place(age: int) -> int:
    return 2 * NUMBER + age % SLOTS


class Worker(GeventWorker):
    """A gevent worker that leaves once it is replaced; at a stop it leaves at once."""

    is_leaving = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        replaced, last = _ages()
        if self.age > replaced:
            super().handle_exit(sig, frame)
        elif not self.is_leaving:  # gunicorn says it again every second
            self.is_leaving = True
            gevent.spawn(self._leave_when_replaced, range(replaced + 1, last + 1), sig)

    def _leave_when_replaced(self, new: range, sig: int) -> None:
        until = time.monotonic() + PATIENCE
        while not all(_shared[_place(age)] for age in new) and time.monotonic() < until:
            gevent.sleep(LOOK_EVERY)
        super().handle_exit(sig, None)
