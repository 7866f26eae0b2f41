"""A measurement that ends: within its time, and at once when it is told to, with everything stopped that it started."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType

from bench.load import Refused
from bench.servers import ServerError

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Overrun(Exception):
    """The measurement took longer than it may."""


def bounded(measure: Callable[[ExitStack], None], longest: int) -> int:
    """Call ``measure`` with a stack for what has to be stopped in the end; returns the exit status.

    Whatever happens, the stack is unwound, ``longest`` seconds after the beginning at the latest.
    """
    for number in STOPPING:
        signal.signal(number, _stop)
    signal.signal(signal.SIGALRM, lambda *_: _overrun(longest))
    signal.alarm(longest)
    try:
        with ExitStack() as children:
            try:
                measure(children)
            finally:
                # Nothing may interrupt the stopping of the children.
                signal.alarm(0)
    except (ServerError, Refused, Overrun, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
        return 130
    return 0


def say(message: str) -> None:
    """Tell what is being done."""
    print(f"bench: {message}", flush=True)


def _stop(number: int, frame: FrameType | None) -> None:
    # Once is enough: a second signal must not interrupt the ending.
    for each in STOPPING:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


def _overrun(longest: int) -> None:
    raise Overrun(f"not done after {longest} seconds")
