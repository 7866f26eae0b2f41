"""A server on loopback in place of the hosts that the application calls: a test says what it answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Asked:
    """A request as it came; the names of headers are in lowercase."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body read as JSON."""
        return json.loads(self.body)


@dataclass
class Answer:
    """What a path answers: ``times`` counts down to none, and is None for an answer that stays."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    method: str | None
    times: int | None
    delay: float
    breaks: bool


@dataclass
class Loopback:
    """The server: its ``url``, and the ``requests`` so far."""

    url: str = ""
    requests: list[Asked] = field(default_factory=list)
    _answers: dict[str, list[Answer]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _ended: threading.Event = field(default_factory=threading.Event)

    def answer(
        self, path: str, body: bytes | str = b"", *, json: Any = None, status: int = 200, method: str | None = None,
        headers: Mapping[str, str] | None = None, times: int | None = None, delay: float = 0, breaks: bool = False,
    ) -> None:  # fmt: skip
        """Answer ``path`` like this from now on, or ``times`` times and then as before. ``delay`` is in seconds; an
        answer that ``breaks`` off ends half-way through its body."""
        kind = "text/plain; charset=utf-8" if json is None else "application/json"
        data = body.encode() if isinstance(body, str) else body
        sent = {"Content-Type": kind} | dict(headers or {})
        made = Answer(status, sent, data if json is None else _encoded(json), method, times, delay, breaks)
        with self._lock:
            self._answers.setdefault(path, []).insert(0, made)

    def take(self, asked: Asked) -> Answer | None:
        """Keep a request, and find what answers it: the answer that was said last."""
        with self._lock:
            self.requests.append(asked)
            for answer in self._answers.get(asked.path, ()):
                if answer.times != 0 and answer.method in (None, asked.method):
                    answer.times = None if answer.times is None else answer.times - 1
                    return answer
        return None

    def wait(self, seconds: float) -> None:
        """Let an answer wait, until the test is over at the latest."""
        self._ended.wait(seconds)

    def end(self) -> None:
        """Let no answer wait any longer."""
        self._ended.set()


def _encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    loopback: Loopback

    def log_message(self, *args: Any) -> None:
        """Say nothing: a test reads ``requests``."""

    def _reply(self) -> None:
        place = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", 0)))
        query = parse_qs(place.query, keep_blank_values=True)
        answer = self.loopback.take(Asked(self.command, place.path, query, headers, body))
        answer = answer or Answer(404, {}, b"No test says what this answers.", None, None, 0, False)
        if answer.delay:
            self.loopback.wait(answer.delay)
        try:
            self._send(answer)
        except OSError:
            # Whoever asked has left.
            self.close_connection = True

    def _send(self, answer: Answer) -> None:
        sent = answer.body[: len(answer.body) // 2] if answer.breaks else answer.body
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        # One byte more than comes, where the answer breaks off.
        self.send_header("Content-Length", str(max(len(answer.body), len(sent) + answer.breaks)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(sent)
        self.close_connection = self.close_connection or answer.breaks

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _reply  # noqa: N815 - so the library calls them


@contextmanager
def serving() -> Iterator[Loopback]:
    """Such a server, until the end of the block."""
    made = Loopback()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"loopback": made}))
    server.daemon_threads = True
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.end()
        server.shutdown()
        server.server_close()
        thread.join()
