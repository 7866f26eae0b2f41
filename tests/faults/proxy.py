"""A proxy between the service and PostgreSQL that delays, silences, resets and loses what passes, when it is told."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Thread

from app.runtime.embedded import DATABASE

CHUNK = 65536
# What a client may send before its startup message, told by the number behind the length.
ENCRYPTION_REQUESTS = (80877103, 80877104)
NO_ENCRYPTION = b"N"
REMEMBERED = 65536
ABORT = struct.pack("ii", 1, 0)  # SO_LINGER: on, for no time


class Messages:
    """Cuts one direction of a connection into the messages of PostgreSQL's protocol."""

    def __init__(self, *, starting: bool) -> None:
        self.starting = starting  # a client's first message has a length, but no type before it
        self._rest = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        """The messages that are whole with ``chunk``."""
        held, begin, found = self._rest + chunk, 0, []
        while True:
            typed = 0 if self.starting else 1
            header = held[begin + typed : begin + typed + 4]
            end = begin + typed + int.from_bytes(header, "big")
            if len(header) < 4 or len(held) < end:
                self._rest = held[begin:]
                return found
            found.append(held[begin:end])
            if self.starting and int.from_bytes(held[begin + 4 : begin + 8], "big") not in ENCRYPTION_REQUESTS:
                self.starting = False
            begin = end


@dataclass
class Rule:
    """What happens to the next messages of clients that fit."""

    fits: Callable[[bytes, bytes | None], bool]  # with the message, and the transaction when it is a COMMIT
    action: str
    times: int


@dataclass(eq=False)
class Link:
    """A client's connection, and the connection to the server that belongs to it."""

    client: socket.socket
    server: socket.socket
    held: bool = False
    swallowing: bool = False
    withholding: bool = False
    closed: bool = False
    said: bytes = b""  # by the client since the last COMMIT, the end of it
    commits: set[bytes] = field(default_factory=set)  # names of the prepared statements that are a COMMIT

    def heard(self, message: bytes) -> bytes | None:
        """What the client said in its transaction, when ``message`` is the COMMIT of it."""
        said = self.said
        is_commit = self._is_commit(message)
        self.said = b"" if is_commit else (said + message)[-REMEMBERED:]
        return said if is_commit else None

    def _is_commit(self, message: bytes) -> bool:
        kind, body = message[:1], message[5:]
        if kind == b"Q":
            return _is_commit(body)
        if kind == b"P":
            name, _, text = body.partition(b"\0")
            if name and _is_commit(text):
                self.commits.add(name)
            return not name and _is_commit(text)
        return kind == b"B" and body.split(b"\0", 2)[1] in self.commits

    def close(self, *, abort: bool = False) -> None:
        if self.closed:
            return
        self.closed = True
        for end in (self.client, self.server):
            with suppress(OSError):
                if abort:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
                # Closing alone leaves a thread that is receiving asleep; shutting both ways down would say goodbye.
                end.shutdown(socket.SHUT_RD if abort else socket.SHUT_RDWR)
            end.close()


def _is_commit(text: bytes) -> bool:
    return text.lstrip()[:6].upper() == b"COMMIT"


class FaultProxy:
    """Listens on a free local port, and connects each client to the PostgreSQL at the socket ``upstream``."""

    def __init__(self, upstream: str | Path) -> None:
        self.upstream = str(upstream)
        self.swallowed = self.dropped = self.matched = 0
        self._changed = Condition()
        self._links: set[Link] = set()
        self._rules: list[Rule] = []
        self._delay = 0.0
        self._holds_new = False
        # It keeps the port while nobody listens: a port that is bound and not listening refuses connections.
        self._reservation = self._bound(0)
        self.port: int = self._reservation.getsockname()[1]
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/{DATABASE}?sslmode=disable&gssencmode=disable"
        self._listener: socket.socket | None = None

    def __enter__(self) -> FaultProxy:
        self._listen()
        return self

    def __exit__(self, *_: object) -> None:
        self.refuse()
        self._reservation.close()

    def pass_through(self) -> None:
        """Return to normal: what was held back goes on, and what was refused is let in."""
        with self._changed:
            self._rules, self._delay, self._holds_new = [], 0.0, False
            for link in self._links:
                link.held = False
            self._changed.notify_all()
            self._listen()

    def swallow_commits(self, times: int = 1, after: bytes = b"") -> None:
        """Have the server do the next COMMITs, of transactions in which the client sends ``after``, and close both
        sides instead of telling the client so."""
        self._add(Rule(lambda _, said: said is not None and after in said, "swallow", times))

    def withhold_commits(self, times: int = 1, after: bytes = b"") -> None:
        """The same, and leave the connection open until the client is gone."""
        self._add(Rule(lambda _, said: said is not None and after in said, "withhold", times))

    def drop_commits(self, times: int = 1) -> None:
        """Close both sides instead of passing the next COMMITs on."""
        self._add(Rule(lambda _, said: said is not None, "drop", times))

    def reset_on(self, pattern: bytes, times: int = 1) -> None:
        """Reset the connection instead of passing on the next messages of clients that contain ``pattern``."""
        self._add(Rule(lambda message, _: pattern in message, "reset", times))

    def silence(self, *, existing_only: bool = False) -> None:
        """Leave connections open, and let nothing pass on them."""
        with self._changed:
            self._holds_new = not existing_only
            for link in self._links:
                link.held = True

    def delay(self, seconds: float) -> None:
        """Hold back each piece of the server's answers for so long."""
        with self._changed:
            self._delay = seconds

    def reset(self) -> None:
        """Reset the connections that are there."""
        with self._changed:
            links, self._links = self._links, set()
            self._changed.notify_all()
        for link in links:
            link.close(abort=True)

    def refuse(self) -> None:
        """Reset the connections that are there, and refuse others."""
        with self._changed:
            listener, self._listener = self._listener, None
        if listener is not None:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        self.reset()

    @property
    def connections(self) -> int:
        with self._changed:
            return len(self._links)

    def _add(self, rule: Rule) -> None:
        with self._changed:
            self._rules.append(rule)

    def _bound(self, port: int) -> socket.socket:
        made = socket.socket()
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(("127.0.0.1", port))
        return made

    def _listen(self) -> None:
        if self._listener is None:
            self._listener = self._bound(self.port)
            self._listener.listen(512)
            Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client = listener.accept()[0]
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                link = Link(client, socket.socket(socket.AF_UNIX))
                with self._changed:
                    if listener is not self._listener:
                        link.close(abort=True)
                        return
                    link.held = self._holds_new
                    self._links.add(link)
                Thread(target=self._carry, args=(link, self._serve_client), daemon=True).start()

    def _carry(self, link: Link, direction: Callable[[Link], None]) -> None:
        """Carry one direction of a link until either side ends, of which the other hears when nothing is held back."""
        with suppress(OSError):
            direction(link)
        self._let_pass(link)
        with self._changed:
            self._links.discard(link)
            self._changed.notify_all()
        link.close()

    def _serve_client(self, link: Link) -> None:
        # Here, since a server that is frozen lets nobody in once its queue is full.
        link.server.connect(self.upstream)
        Thread(target=self._carry, args=(link, self._serve_server), daemon=True).start()
        messages = Messages(starting=True)
        while chunk := link.client.recv(CHUNK):
            passed = []
            for message in messages.feed(chunk):
                if messages.starting:
                    link.client.sendall(NO_ENCRYPTION)
                elif self._meets(link, message):
                    return
                else:
                    passed.append(message)
            self._let_pass(link)
            link.server.sendall(b"".join(passed))

    def _serve_server(self, link: Link) -> None:
        messages, withheld = Messages(starting=False), b""
        while chunk := link.server.recv(CHUNK):
            answers = messages.feed(chunk)
            self._let_pass(link, self._delay)
            withheld += chunk
            if link.swallowing and any(answer[:1] == b"C" and b"COMMIT" in answer for answer in answers):
                with self._changed:
                    self.swallowed += 1
                    self._changed.wait_for(lambda: not link.withholding or link not in self._links)
                return
            if link.swallowing and any(answer[:1] == b"Z" for answer in answers):
                link.swallowing = False  # it was refused, so there is nothing to be unsure of
            if not link.swallowing:
                link.client.sendall(withheld)
                withheld = b""

    def _meets(self, link: Link, message: bytes) -> bool:
        """Do to ``link`` what a rule wants for this message; tells whether that was the end of it."""
        said = link.heard(message)
        with self._changed:
            fitting = [rule for rule in self._rules if rule.times > 0 and rule.fits(message, said)]
            if not fitting:
                return False
            fitting[0].times -= 1
            action = fitting[0].action
            link.swallowing, link.withholding = action in ("swallow", "withhold"), action == "withhold"
            self.dropped += action == "drop"
            self.matched += action == "reset"
        if action == "reset":
            link.close(abort=True)
        return not link.swallowing

    def _let_pass(self, link: Link, seconds: float = 0.0) -> None:
        """Wait while ``link`` is held, and ``seconds`` besides unless the delay is lifted."""
        with self._changed:
            if seconds:
                self._changed.wait_for(lambda: self._delay == 0 or link not in self._links, seconds)
            self._changed.wait_for(lambda: not link.held or link not in self._links)
