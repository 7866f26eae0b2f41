"""Runs a command of tests, and leaves nothing of it behind: no process, and no folder in the temporary directory.

    python -m tests.run pytest tests/crm

What outlives the command, as a test that was broken off or killed leaves it, comes to this process, is named and ended.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress

import psutil

# Seconds in which what is ending anyway ends.
PATIENCE = 3.0
# prctl(2): whose parent ends becomes a child of the nearest process that has said this.
PR_SET_CHILD_SUBREAPER = 36
NOT_CLEAN = 1


def main(command: list[str]) -> int:
    """Run ``command``, and give its exit status; 1 where it has passed and has left processes behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1)
    # Short, as sockets lie in folders of it.
    folder = tempfile.mkdtemp(prefix="rg")
    try:
        status = _run(command, folder)
        left = _end_what_is_left()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for each in left:
        print(f"tests: left behind: {each}", file=sys.stderr)
    return status or (NOT_CLEAN if left else 0)


def _run(command: list[str], folder: str) -> int:
    """Run it with its temporary files in ``folder``; what a terminal sends reaches it as well, and TERM breaks it off
    in the same way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    running = subprocess.Popen(command, env={**os.environ, "TMPDIR": folder}, preexec_fn=_hear_signals)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: running.send_signal(signal.SIGINT))
    while True:
        # Whoever else has ended was left to this process, and is forgotten.
        number, status = os.wait()
        if number == running.pid:
            running.returncode = os.waitstatus_to_exitcode(status)
            return running.returncode if running.returncode >= 0 else 128 - running.returncode


def _hear_signals() -> None:
    """Have the command hear what its caller may not, as one that was started with ``nohup``: it would inherit that."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def _end_what_is_left() -> list[str]:
    """Kill the processes that go on, and give their commands."""
    _, going_on = psutil.wait_procs(psutil.Process().children(recursive=True), timeout=PATIENCE)
    left = []
    for each in going_on:
        with suppress(psutil.NoSuchProcess):
            left.append(" ".join(each.cmdline()) or each.name())
            each.kill()
    psutil.wait_procs(going_on)
    return left


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
