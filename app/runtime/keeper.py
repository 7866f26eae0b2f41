"""The keeper: it ends child processes in order, also when their parent was killed.

``flask serve`` keeps this module running as a process of its own, and tells it over a pipe what it has started. When
the pipe closes, what is left is ended.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

# Seconds that the parts have for their end. The servers come after what works with them.
SERVERS = 2.0
KILLED = 1.0
PARTS, SERVER = "part", "server"


def end(processes: Sequence[psutil.Process], seconds: float, number: int = signal.SIGTERM) -> None:
    """Ask ``processes`` to end by a signal, and kill those that have not after ``seconds``, with what they started."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)
    _, left = psutil.wait_procs(processes, seconds)
    kill(left)


def kill(processes: Sequence[psutil.Process]) -> None:
    """Kill processes with all that they started."""
    doomed: list[psutil.Process] = []
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            doomed += [process, *process.children(recursive=True)]
    for process in doomed:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(doomed, KILLED)


class Keeper:
    """The process that outlives this one for as long as it takes to end what this one has started."""

    def __init__(self, grace: float) -> None:
        command = [sys.executable, "-m", "app.runtime.keeper", str(grace)]
        self._process = subprocess.Popen(
            command, cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, start_new_session=True, text=True
        )
        # Of a forked child: it is the end of this process that closes the pipe.
        os.register_at_fork(after_in_child=self._process.stdin.close)  # type: ignore[union-attr]

    def watch(self, process_id: int, kind: str = PARTS) -> None:
        """Have a process ended with this one: a part of the service, or a server that the parts work with."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(f"{kind} {process_id}\n")
                self._process.stdin.flush()

    def close(self) -> None:
        """Let the keeper go; it ends what is left."""
        self._process.communicate()


def main() -> None:
    """Watch what the lines of standard input name, until there are no more; then end it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    watched: dict[str, list[psutil.Process]] = {PARTS: [], SERVER: []}
    for line in sys.stdin:
        kind, _, process_id = line.partition(" ")
        with suppress(psutil.NoSuchProcess):
            watched[kind].append(psutil.Process(int(process_id)))
    end([each for each in watched[PARTS] if each.is_running()], float(sys.argv[1]))
    # SIGINT is PostgreSQL's fast shutdown, and ends Redis as well.
    end([each for each in watched[SERVER] if each.is_running()], SERVERS, signal.SIGINT)


if __name__ == "__main__":
    main()
