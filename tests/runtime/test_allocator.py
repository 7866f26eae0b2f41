"""The memory of processes with threads."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

ARENAS = """
import ctypes, sys, threading
from app.runtime.allocator import share_memory
if sys.argv[1] == "shared":
    share_memory()
met = threading.Barrier(4)
def allocate():
    held = bytes(100_000)
    met.wait()
threads = [threading.Thread(target=allocate) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
library = ctypes.CDLL(None)
library.fdopen.restype = ctypes.c_void_p
told = ctypes.c_void_p(library.fdopen(1, b"w"))
library.malloc_info(0, told)
library.fflush(told)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="the C library is another one")
def test_threads_share_one_place_once_told_to():
    assert arenas("shared") == 1
    assert arenas("apart") > 1


def arenas(how):
    """How many places the threads of a process allocate from."""
    told = subprocess.run([sys.executable, "-c", ARENAS, how], capture_output=True, text=True, check=True)
    return told.stdout.count("<heap nr=")
