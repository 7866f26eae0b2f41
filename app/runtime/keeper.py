"""The keeper: it ends child processes in order, also when their parent was killed.

``flask serve`` keeps this module running as a process of its own, and hands it over a socket what it has started: the
kernel's handles of those processes, as their numbers may be those of others by the time that they are needed. When the
socket closes, what is left is ended.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from app.runtime.processes import OwnProcess, end

# Seconds that the servers have for their end. They come after what works with them.
SERVER_STOP_TIMEOUT = 2.0
PARTS, SERVER = "part", "server"
TAKEN = b"."
MAX_LINE = 100


class ChildReaper:
    """The process that outlives this one for as long as it takes to end what this one has started. It holds ``held``,
    an open file, for as long."""

    def __init__(self, grace: float, held: int) -> None:
        self._pipe, theirs = socket.socketpair()
        command = [sys.executable, "-m", "app.runtime.keeper", str(grace)]
        with theirs:
            self._process = OwnProcess.launch(command, cwd=Path(__file__).parents[2], stdin=theirs, pass_fds=(held,))
        # Of a forked child: it is the end of this process that closes the pipe.
        os.register_at_fork(after_in_child=self._pipe.close)

    def watch(self, process: OwnProcess, kind: str = PARTS) -> None:
        """Have a process ended with this one: a part of the service, or a server that the parts work with."""
        with suppress(OSError):
            socket.send_fds(self._pipe, [f"{kind} {process.number} {process.begun}".encode()], process.handles)
            self._pipe.recv(len(TAKEN))

    def close(self) -> None:
        """Let the keeper go; it ends what is left."""
        self._pipe.close()
        while not self._process.wait(1):
            pass


def main() -> None:
    """Watch what comes over standard input, until there is no more; then end it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    watched: dict[str, list[OwnProcess]] = {PARTS: [], SERVER: []}
    with socket.socket(fileno=0) as pipe:
        for kind, process in _handed(pipe):
            watched[kind].append(process)
    end(watched[PARTS], float(sys.argv[1]))
    # SIGINT is PostgreSQL's fast shutdown, and ends Redis as well.
    end(watched[SERVER], SERVER_STOP_TIMEOUT, signal.SIGINT)


def _handed(pipe: socket.socket) -> Iterator[tuple[str, OwnProcess]]:
    """What is handed over, one at a time; what has ended by then is left out."""
    with suppress(OSError):  # whoever hands it over is gone
        while True:
            line, handles, *_ = socket.recv_fds(pipe, MAX_LINE, 1)
            if not line:
                return
            kind, number, begun = line.decode().split()
            with suppress(ProcessLookupError):
                process = OwnProcess(int(number), handle=next(iter(handles), None))
                if handles or process.begun == float(begun):
                    yield kind, process
            pipe.send(TAKEN)


if __name__ == "__main__":
    main()
