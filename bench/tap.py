"""A tap between a program and its PostgreSQL or Redis: it passes everything on, and counts what goes by.

It knows of no program and no driver, so it counts those of peers in other languages in the same way. Statements are
told from the messages of the frontend (https://www.postgresql.org/docs/current/protocol-message-formats.html).
"""

from __future__ import annotations

import mmap
import socket
import struct
import threading
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

RECEIVE_SIZE = 65536
# Query and Execute: the messages that have the server do something.
STATEMENTS = frozenset(b"QE")
STARTUP_HEAD = 4
# Requests to encrypt and to cancel look like a first message, and another first message may follow them.
NO_SESSION = frozenset((80877102, 80877103, 80877104))
LAYOUT = struct.Struct("=QQQ")


class Counts(NamedTuple):
    """What has gone by: round trips, bytes from the program to the server, and statements where it is PostgreSQL."""

    round_trips: int
    bytes_sent: int
    statements: int

    def since(self, before: Counts) -> Counts:
        return Counts(*(now - then for now, then in zip(self, before, strict=True)))


class Tap:
    """Listens on the Unix socket ``path`` for programs, and passes on to ``target``, another one. The counts stand in
    the file ``path.counts``, for whoever measures in another process."""

    def __init__(self, path: Path, target: str, *, is_postgres: bool) -> None:
        self._target = target
        self.is_postgres = is_postgres
        self._counting = threading.Lock()
        file = counts_file(path)
        file.write_bytes(bytes(LAYOUT.size))
        self._counts = Reading(file)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(64)
        threading.Thread(target=self._accept, name="tap", daemon=True).start()

    def counts(self) -> Counts:
        return self._counts.now()

    def close(self) -> None:
        """Take no further programs."""
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                program, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._target)
            threading.Thread(target=_Passage(self, program, server).run, name="tap", daemon=True).start()

    def add(self, round_trips: int, bytes_sent: int, statements: int) -> None:
        with self._counting:
            self._counts.add(Counts(round_trips, bytes_sent, statements))


class Reading:
    """The counts of a tap, in a file that processes share."""

    def __init__(self, file: Path) -> None:
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), LAYOUT.size)

    def now(self) -> Counts:
        return Counts(*LAYOUT.unpack(self._shared[:]))

    def add(self, more: Counts) -> None:
        self._shared[:] = LAYOUT.pack(*map(sum, zip(self.now(), more, strict=True)))


def counts_file(path: Path) -> Path:
    """Where the counts of the tap on ``path`` stand."""
    return path.with_name(f"{path.name}.counts")


class _Passage:
    """One connection of a program."""

    def __init__(self, tap: Tap, program: socket.socket, server: socket.socket) -> None:
        self._tap = tap
        self._program, self._server = program, server
        self._heard = True
        self._has_begun = not tap.is_postgres
        self._rest = b""

    def run(self) -> None:
        """Pass everything on in both directions until one side ends."""
        with self._program, self._server:
            back = threading.Thread(target=self._to_program, name="tap", daemon=True)
            back.start()
            self._to_server()
            back.join()

    def _to_server(self) -> None:
        with suppress(OSError):
            while sent := self._program.recv(RECEIVE_SIZE):
                # A program that speaks again after it has heard something begins another round trip.
                self._tap.add(int(self._heard), len(sent), self._statements(sent) if self._tap.is_postgres else 0)
                self._heard = False
                self._server.sendall(sent)
        self._end()

    def _to_program(self) -> None:
        with suppress(OSError):
            while answered := self._server.recv(RECEIVE_SIZE):
                self._heard = True
                self._program.sendall(answered)
        self._end()

    def _statements(self, sent: bytes) -> int:
        found, messages, place = 0, self._rest + sent, 0
        while (end := place + self._length(messages, place)) <= len(messages) and end > place:
            if self._has_begun:
                found += messages[place] in STATEMENTS
            else:
                (code,) = struct.unpack_from("!i", messages, place + STARTUP_HEAD)
                self._has_begun = code not in NO_SESSION
            place = end
        self._rest = messages[place:]
        return found

    def _length(self, messages: bytes, place: int) -> int:
        """Bytes of the message at ``place``; its length counts itself and not the type before it. 0 without a head."""
        begins = place + int(self._has_begun)
        if len(messages) < begins + STARTUP_HEAD:
            return 0
        (length,) = struct.unpack_from("!i", messages, begins)
        return int(length) + int(self._has_begun)

    def _end(self) -> None:
        for side in (self._program, self._server):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)
