"""How ``flask serve`` hears that it shall end: noted at any time, acted on where nothing is lost by that.

A signal whose handler raises wherever it finds the process may be swallowed, as within the collection of garbage, or
leave a process that nobody knows of. So it is noted, and asked about between steps; within long ones it raises, and
again until it is heard.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

ENDINGS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# Seconds until it raises again, where it was swallowed.
AGAIN = 1.0


class Stopped(KeyboardInterrupt):
    """A signal asked for the end. What catches errors lets it pass, and the driver cancels the statement it is at."""


class Interruption:
    """The signals that ask this process for its end, from now on."""

    def __init__(self) -> None:
        self._is_asked = self._raises = False
        for number in (*ENDINGS, signal.SIGALRM):
            signal.signal(number, self._note)

    def check(self) -> None:
        """Raise Stopped when the end was asked for."""
        if self._is_asked:
            raise Stopped()

    def pause(self, seconds: float) -> None:
        """Wait; raise Stopped when the end was asked for."""
        self.check()
        time.sleep(seconds)
        self.check()

    @contextmanager
    def within(self) -> Iterator[None]:
        """Let what is done within be broken off by Stopped."""
        sys.unraisablehook = _report_others
        self._raises = True
        try:
            self.check()
            yield
        finally:
            self._raises = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        self.check()

    def begin_end(self) -> None:
        """Take no notice of signals any more: they must not interrupt the ending."""
        self._raises = False
        for number in (*ENDINGS, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._is_asked = True
        if self._raises:
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
            raise Stopped()


def leave_at_signals() -> None:
    """Have this process say that it stops, and end at once, when it is asked to before it has begun anything."""
    for number in ENDINGS:
        signal.signal(number, _leave)


def _leave(number: int, frame: FrameType | None) -> None:
    os.write(sys.stdout.fileno(), b"rowgate: stopped\n")
    os._exit(0)


def _report_others(unraisable: Any) -> None:
    if not isinstance(unraisable.exc_value, Stopped):
        sys.__unraisablehook__(unraisable)
