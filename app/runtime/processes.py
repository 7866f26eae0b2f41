"""Processes of our own: the one place where the number of a process becomes a signal.

Numbers are used again, in containers within seconds. So a process is held from the moment that it is launched, or from
before it is proved to be one of ours, by a handle of the kernel where there is one, and signals go through that.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

# Seconds until what was killed is gone.
KILL_TIMEOUT = 1.0
POLL_INTERVAL = 0.02
# PostgreSQL notes the second of its start, and clocks count from a start of the machine that is known to the second.
CLOCKS_DIFFER = 2.0


class OwnProcess:
    """A process that this service has launched, or that was proved to be its own; another never takes its place."""

    def __init__(self, number: int, *, poll: Callable[[], object] | None = None, handle: int | None = None) -> None:
        """Hold the process that has ``number`` now: a child, whose end ``poll`` tells and which nobody else waits for,
        or one that its caller has been handed, or proves after this. Raise ProcessLookupError when there is none."""
        self.number, self._poll = number, poll
        self._handle = _opened(number) if handle is None else handle
        if self._handle is not None:
            weakref.finalize(self, os.close, self._handle)
        try:
            self._process = psutil.Process(number)
        except (psutil.Error, OverflowError):
            raise ProcessLookupError(number) from None
        # What was looked up by its number afterwards is the same one, unless that has ended meanwhile.
        if poll is None and self.has_ended():
            raise ProcessLookupError(number)

    @classmethod
    def launch(cls, command: Sequence[str], **options: Any) -> OwnProcess:
        """Run ``command`` in a session of its own, so that what a terminal sends reaches this process alone."""
        launched = subprocess.Popen(command, start_new_session=True, **options)
        return cls(launched.pid, poll=launched.poll)

    @classmethod
    def forked(cls, number: int) -> OwnProcess:
        """Hold a child that this process has forked."""
        ended: list[int] = []

        def poll() -> int | None:
            if not ended:
                try:
                    found, status = os.waitpid(number, os.WNOHANG)
                except ChildProcessError:
                    ended.append(0)
                else:
                    ended.extend([os.waitstatus_to_exitcode(status)] if found else [])
            return ended[0] if ended else None

        return cls(number, poll=poll)

    @property
    def handles(self) -> list[int]:
        """What another process may hold it by."""
        return [] if self._handle is None else [self._handle]

    @property
    def status(self) -> int | None:
        """How a child that was launched has ended; ``None`` while it runs."""
        found = self._poll() if self._poll is not None else None
        return found if isinstance(found, int) else None

    def has_ended(self) -> bool:
        if self._poll is not None:
            return self._poll() is not None
        if self._handle is not None:
            return _is_readable(self._handle, 0)
        with suppress(psutil.Error):
            return not self._process.is_running() or self._process.status() == psutil.STATUS_ZOMBIE
        return True

    def wait(self, seconds: float) -> bool:
        """Wait for its end, and tell whether that came."""
        deadline = time.monotonic() + seconds
        while not self.has_ended():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if self._handle is not None:
                _is_readable(self._handle, left)
            else:
                time.sleep(min(left, POLL_INTERVAL))
        return True

    def send(self, signal_number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.has_ended():
            return
        with suppress(ProcessLookupError, psutil.NoSuchProcess):
            if self._handle is not None:
                signal.pidfd_send_signal(self._handle, signal_number)
            else:
                self._process.send_signal(signal_number)  # which compares the time of its start first

    def runs(self, program: Path, folder: Path) -> bool:
        """Tell whether it runs ``program``, with ``folder`` as its working folder."""
        with suppress(psutil.Error, OSError):
            found = os.path.samefile(self._process.exe(), program) and os.path.samefile(self._process.cwd(), folder)
            return found and not self.has_ended()
        return False

    @property
    def begun(self) -> float:
        """When it was started, in seconds since 1970; zero when it has ended."""
        with suppress(psutil.Error):
            return float(self._process.create_time())
        return 0

    def descendants(self) -> list[OwnProcess]:
        """What it has started, and what that has, held one by one while their parents are."""
        found: list[OwnProcess] = []
        with suppress(psutil.Error):
            for child in self._process.children():
                with suppress(ProcessLookupError, psutil.Error):
                    held = OwnProcess(child.pid)
                    # A parent that is still there is the one that was held; its number stands for nobody else.
                    if held._process.ppid() == self.number and self._process.is_running():
                        found += [held, *held.descendants()]
        return found


def end(processes: Sequence[OwnProcess], seconds: float, signal_number: int = signal.SIGTERM) -> None:
    """Ask ``processes`` to end by a signal, and kill those that have not after ``seconds``, with what they started."""
    for process in processes:
        process.send(signal_number)
    deadline = time.monotonic() + seconds
    kill([process for process in processes if not process.wait(deadline - time.monotonic())])


def kill(processes: Sequence[OwnProcess]) -> None:
    """Kill processes with all that they started."""
    doomed = [each for process in processes for each in (process, *process.descendants())]
    for process in doomed:
        process.send(signal.SIGKILL)
    deadline = time.monotonic() + KILL_TIMEOUT
    for process in doomed:
        process.wait(deadline - time.monotonic())


def kill_children() -> None:
    """Kill all that this process has started, with what that has."""
    kill(OwnProcess(os.getpid()).descendants())


def is_child(number: int) -> bool:
    """Tell whether ``number`` is that of a child of this process. It is nobody else's until the child is waited for."""
    with suppress(psutil.Error, ValueError, OverflowError):
        return psutil.Process(number).ppid() == os.getpid()
    return False


def _opened(number: int) -> int | None:
    """A handle of the kernel on the process, where there are such; raise ProcessLookupError when it is not there."""
    if number <= 0:
        raise ProcessLookupError(number)
    try:
        return os.pidfd_open(number)
    except ProcessLookupError:
        raise
    except OverflowError:
        raise ProcessLookupError(number) from None
    except (AttributeError, OSError):  # another platform, an older kernel, or a container that forbids it
        return None


def _is_readable(handle: int, seconds: float) -> bool:
    """Wait until the process of ``handle`` has ended, for so long at most, and tell whether it has."""
    ended = select.poll()
    ended.register(handle, select.POLLIN)
    return bool(ended.poll(max(0, seconds) * 1000))
