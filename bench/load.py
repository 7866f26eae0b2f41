"""The load: requests over a few keep-alive connections, from a process of its own that takes little itself."""

from __future__ import annotations

import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import cycle
from multiprocessing import get_context
from selectors import EVENT_READ, DefaultSelector
from typing import Any

import orjson

HOST = "127.0.0.1"
CONNECTIONS = 8
SILENCE = 10.0
HEAD_END = b"\r\n\r\n"
LENGTH, CHUNKED = b"content-length:", b"transfer-encoding: chunked"
LAST_CHUNK = b"\r\n0\r\n\r\n"


class Refused(Exception):
    """Answers that are no success; to time them would measure nothing."""


@dataclass(frozen=True)
class Slice:
    """Requests to send for some seconds; ``once`` sends each one time at most, and ends with the last."""

    host: str
    port: int
    seconds: float
    requests: tuple[bytes, ...]
    once: bool = False


@dataclass
class Outcome:
    """What came back: answers by status, the time they took in all and each of them (in seconds), and the first that
    was no success."""

    elapsed: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    first_failure: bytes = b""
    latencies: list[float] = field(default_factory=list)

    @property
    def answers(self) -> int:
        return self.statuses.total()


class Connection:
    """One keep-alive connection with at most one request under way."""

    def __init__(self, host: str, port: int) -> None:
        self.socket = socket.create_connection((host, port), timeout=SILENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = b""
        self._expected = 0
        self.asked_at = 0.0

    def send(self, request: bytes) -> None:
        self._received, self._expected = b"", 0
        self.asked_at = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> bytes | None:
        """Take what has arrived; returns the answer once it is whole."""
        arrived = self.socket.recv(262144)
        if not arrived:
            raise ConnectionError(f"The server closed the connection after {self._received[:200]!r}")
        self._received += arrived
        if not self._expected:
            self._expected = _length(self._received)
        return self._received if self._expected and len(self._received) >= self._expected else None

    def exchange(self, request: bytes) -> bytes:
        """Send a request and wait for its answer."""
        self.send(request)
        answer = None
        while answer is None:
            answer = self.receive()
        return answer


def request(
    method: str, path: str, authorization: str, body: Mapping[str, Any] | Sequence[Any] | None = None, headers: str = ""
) -> bytes:
    """A whole HTTP request as bytes, with a body as JSON; each of ``headers`` ends in a line break."""
    head = f"{method} {path} HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: {authorization}\r\n{headers}"
    if body is None:
        return f"{head}\r\n".encode()
    content = orjson.dumps(body)
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content


def loader() -> ProcessPoolExecutor:
    """The process that sends; it leaves Ctrl-C to its parent."""
    return ProcessPoolExecutor(
        1, mp_context=get_context("spawn"), initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)
    )


def send(load: Slice) -> Outcome:
    """Keep every connection busy until the time is up, then wait for the answers still under way."""
    outcome = Outcome()
    waiting: Iterator[bytes] = iter(load.requests) if load.once else cycle(load.requests)
    connections = [Connection(load.host, load.port) for _ in range(CONNECTIONS)]
    try:
        started = time.perf_counter()
        _exchange(connections, waiting, started + load.seconds, outcome)
        outcome.elapsed = time.perf_counter() - started
    finally:
        for connection in connections:
            connection.socket.close()
    return outcome


def _exchange(connections: list[Connection], waiting: Iterator[bytes], deadline: float, outcome: Outcome) -> None:
    with DefaultSelector() as selector:
        for connection in connections:
            selector.register(connection.socket, EVENT_READ, connection)
            connection.send(next(waiting))
        busy = len(connections)
        while busy:
            ready = selector.select(SILENCE)
            if not ready:
                raise TimeoutError(f"No answer for {SILENCE:.0f} seconds")
            for key, _ in ready:
                busy -= _step(key.data, waiting, deadline, outcome)


def _step(connection: Connection, waiting: Iterator[bytes], deadline: float, outcome: Outcome) -> bool:
    """Note an answer that is whole and send the next request; returns whether the connection is done."""
    answer = connection.receive()
    if answer is None:
        return False
    status = int(answer[9:12])
    outcome.statuses[status] += 1
    outcome.latencies.append(time.perf_counter() - connection.asked_at)
    if not outcome.first_failure and not 200 <= status < 300:
        outcome.first_failure = answer[:1000]
    following = next(waiting, None) if time.perf_counter() < deadline else None
    if following is not None:
        connection.send(following)
    return following is None


def _length(received: bytes) -> int:
    """Bytes of the whole answer, or 0 while its head, or one in chunks, is incomplete."""
    end = received.find(HEAD_END)
    if end < 0:
        return 0
    head = received[:end].lower()
    start = head.find(LENGTH)
    if start < 0 and CHUNKED in head:
        return len(received) if received.endswith(LAST_CHUNK) else 0
    if start < 0:
        raise ConnectionError(f"An answer without Content-Length: {received[:200]!r}")
    return end + len(HEAD_END) + int(head[start + len(LENGTH) :].split(b"\r\n", 1)[0])
