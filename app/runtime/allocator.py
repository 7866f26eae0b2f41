"""The memory of processes with threads, by mallopt(3) where the C library has it."""

from __future__ import annotations

import ctypes
from contextlib import suppress

# malloc.h of the GNU C library.
TRIM_THRESHOLD, ARENA_MAX = -1, -8
SMALL = 128 * 1024


def share_memory() -> None:
    """Have all threads of the process allocate from one place, and give back at once what is free at its end.

    Otherwise each thread keeps what its largest piece of work has needed, and blocks as large as those that were freed
    before are not given back either. Has to come before there are threads.
    """
    with suppress(AttributeError, OSError):
        library = ctypes.CDLL(None)
        library.mallopt(ARENA_MAX, 1)
        library.mallopt(TRIM_THRESHOLD, SMALL)
