"""A child process that goes on with what this one has loaded, rather than load it again."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from app.runtime.interruption import STOP_SIGNALS
from app.runtime.processes import OwnProcess


def fork(work: Callable[[], None]) -> OwnProcess:
    """Start such a child, in a session of its own. Whoever holds open what it must not hold, closes that at a fork."""
    for thread in set(threading.enumerate()) - {threading.main_thread()}:
        thread.join(1)  # which would hold its locks in the child for ever
    # They must not be heard in the child as in this process.
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        sys.stdout.flush()  # lest the child say it, too
        gc.collect()
        gc.freeze()  # a look for cycles would write to all that is shared
        number = os.fork()
        if number == 0:
            _run(work)
        return OwnProcess.forked(number)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)


def _run(work: Callable[[], None]) -> NoReturn:
    """Do ``work`` and end the process: what stands open in its callers is not its own to close."""
    status = 1
    try:
        os.setsid()
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)
