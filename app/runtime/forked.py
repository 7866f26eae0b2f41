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

import psutil

ENDINGS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Forked:
    """Such a child, in a session of its own. Whoever holds open what it must not hold, closes that at a fork."""

    def __init__(self, work: Callable[[], None]) -> None:
        for thread in set(threading.enumerate()) - {threading.main_thread()}:
            thread.join(1)  # which would hold its locks in the child for ever
        sys.stdout.flush()  # lest the child say it, too
        gc.collect()
        gc.freeze()  # a look for cycles would write to all that is shared
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)  # they must not be heard in the child as in this process
        self.pid = os.fork()
        if self.pid == 0:
            _run(work)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
        self._process = psutil.Process(self.pid)

    def has_ended(self) -> bool:
        """Whether it has ended by itself, or was."""
        with suppress(psutil.TimeoutExpired):
            self._process.wait(0)
            return True
        return False


def _run(work: Callable[[], None]) -> NoReturn:
    """Do ``work`` and end the process: what stands open in its callers is not its own to close."""
    status = 1
    try:
        os.setsid()
        for number in ENDINGS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)
