"""The workers of gunicorn: a reload without a pause, and a stop that nothing holds up.

gunicorn tells the old workers to leave as soon as the new ones are forked, which is seconds before those have loaded
the application; everybody who asks meanwhile would wait. After HUP the old workers go on serving until the new ones do.
"""

from __future__ import annotations

import mmap
import signal
import sys
import time
from types import FrameType
from typing import Any

import gevent
from gunicorn.arbiter import Arbiter
from gunicorn.workers.ggevent import GeventWorker

# How long an old worker stays when the new ones do not come, in seconds.
PATIENCE = 20.0
LOOK_EVERY = 0.1
NUMBER, SLOTS = 8, 4096
ENDINGS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)

# Shared by all processes: the age of the youngest worker of before the reload, that of the youngest which it brings,
# a byte for each worker that serves, and one that says that everything stops.
_shared = mmap.mmap(-1, 2 * NUMBER + SLOTS + 1)
STOPPING = 2 * NUMBER + SLOTS


def supervise(arbiter: Arbiter) -> None:
    """Have ``arbiter`` note a stop when it is asked for: reloads that were asked for before are left out, and workers
    that wait for others leave."""
    note, reload = arbiter.signal, arbiter.reload

    def take_note(number: int, frame: FrameType | None) -> None:
        if number in ENDINGS:
            _shared[STOPPING] = 1
        note(number, frame)

    def reload_unless_stopping() -> None:
        if not _shared[STOPPING]:
            reload()

    arbiter.signal, arbiter.reload = take_note, reload_unless_stopping


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
    """A gevent worker that leaves once it is replaced, or at once when everything stops, and that ends requests which
    stop coming."""

    is_leaving = False

    def load_wsgi(self) -> None:
        """Load the application. Where its settings do not fit, gunicorn ends: another worker would find the same."""
        try:
            super().load_wsgi()
        except SystemExit as refusal:
            print(refusal.code, file=sys.stderr)
            sys.exit(Arbiter.APP_LOAD_ERROR)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        replaced, last = _ages()
        if self.age > replaced or _shared[STOPPING]:
            super().handle_exit(sig, frame)
        elif not self.is_leaving:  # gunicorn says it again every second
            self.is_leaving = True
            gevent.spawn(self._leave_when_replaced, range(replaced + 1, last + 1), sig)

    def _leave_when_replaced(self, new: range, sig: int) -> None:
        until = time.monotonic() + PATIENCE
        while not (_shared[STOPPING] or all(_shared[_place(age)] for age in new)) and time.monotonic() < until:
            gevent.sleep(LOOK_EVERY)
        super().handle_exit(sig, None)

    def handle_request(self, listener_name: Any, req: Any, sock: Any, addr: Any) -> Any:
        from app.runtime.request_body import Body, TimedSocket  # those of the release that the worker has loaded

        plain = req.unreader.sock
        req.unreader.sock = TimedSocket(plain, self.wsgi.config["SETTINGS"].body_timeout)
        req.body = Body(req.body)
        try:
            answered = super().handle_request(listener_name, req, sock, addr)
        finally:
            req.unreader.sock = plain
        if req.body.is_broken:
            raise StopIteration  # what follows on the connection is no request
        return answered
