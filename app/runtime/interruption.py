"""How ``flask serve`` hears that it shall end, or reload: noted at any time, acted on where nothing is lost by that.

A signal whose handler raises wherever it finds the process may be swallowed, as within the collection of garbage, or
leave a process that nobody knows of. So it is noted, and asked about between steps; within long ones it raises, and
again until it is heard.

SIGHUP reloads a service that is up. Before that, or when the terminal was closed, it stops the service, but never under
``nohup``.
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

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# Seconds until it raises again, where it was swallowed.
AGAIN = 1.0


class StopRequested(KeyboardInterrupt):
    """A signal asked for the end. What catches errors lets it pass, and the driver cancels the statement it is at."""


class ReloadRequested(BaseException):
    """A signal asked for a reload: whoever waits for something looks what it is."""


class Interruption:
    """The signals that ask this process for its end or a reload, from now on."""

    def __init__(self) -> None:
        self._is_asked = self._raises = self._reloads = self._is_reload_asked = self._wakes = False
        self._outlives_terminal = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        self._has_terminal = _has_terminal()
        for number in (*STOP_SIGNALS, signal.SIGALRM):
            signal.signal(number, self._note)

    def check(self) -> None:
        """Raise StopRequested when the end was asked for."""
        if self._is_asked:
            raise StopRequested()

    def pause(self, seconds: float) -> None:
        """Wait; raise StopRequested when the end was asked for."""
        self.check()
        time.sleep(seconds)
        self.check()

    def begin_reloads(self) -> None:
        """Take HUP for the wish to reload, from now on."""
        self._reloads = True

    def pop_reload_request(self) -> bool:
        """Tell whether a reload was asked for; whoever is told carries it out."""
        was_asked, self._is_reload_asked = self._is_reload_asked, False
        return was_asked

    @contextmanager
    def within(self, *, by_reload: bool = False) -> Iterator[None]:
        """Let StopRequested break off what is done in here, and with ``by_reload`` ReloadRequested as well."""
        sys.unraisablehook = _report_others
        self._raises, self._wakes = True, by_reload
        try:
            self.check()
            yield
        finally:
            self._wakes = self._raises = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        self.check()

    def ignore_signals(self) -> None:
        """Take no notice of signals any more: they must not interrupt the ending."""
        self._wakes = self._raises = False
        for number in (*STOP_SIGNALS, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP and not self._is_end_of_terminal():
            self._is_reload_asked = self._reloads
            if self._wakes:
                self._wakes = False
                raise ReloadRequested()
            return
        self._is_asked = True
        if self._raises:
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
            raise StopRequested()

    def _is_end_of_terminal(self) -> bool:
        """Tell whether a HUP asks for the end."""
        if self._outlives_terminal:
            return False
        return not self._reloads or (self._has_terminal and not _has_terminal())


def _has_terminal() -> bool:
    """Tell whether this process hangs on a terminal."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def leave_at_signals() -> None:
    """Have this process say that it stops, and end at once, when it is asked to before it has begun anything."""
    for number in STOP_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)


def _leave(number: int, frame: FrameType | None) -> None:
    os.write(sys.stdout.fileno(), b"rowgate: stopped\n")
    os._exit(0)


def _report_others(unraisable: Any) -> None:
    if not isinstance(unraisable.exc_value, StopRequested | ReloadRequested):
        sys.__unraisablehook__(unraisable)
