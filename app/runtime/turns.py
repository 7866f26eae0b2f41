"""Turns: who computes for long on the thread of a worker lets its other green threads run in between."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

# In seconds of the processor. A request waits for as many turns as it waits for others, so they are short.
LONGEST = 0.01

_begun = 0.0


@contextmanager
def kept_for_good() -> Iterator[None]:
    """Keep the collector from looking through what is made within, then and later: each look at something large is a
    turn of its own. It is for what a process makes once and keeps."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def yield_if_overdue() -> None:
    """Let others run when this turn has lasted for long; for the inside of loops over what callers send. Nothing may
    be half done that others look at."""
    global _begun
    if time.thread_time() - _begun > LONGEST:
        time.sleep(0)
        _begun = time.thread_time()
