"""A service that answers by a script, one answer a request, and remembers what it was asked and when."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Answer:
    """What one request gets; a stream that ends where its text does, unless the status says otherwise."""

    text: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


REFUSED = Answer('{"error": "Authentication required", "code": "UNAUTHORIZED"}', 401)


@dataclass(frozen=True)
class Request:
    """What was asked, and when."""

    path: str
    headers: Message
    moment: float


@dataclass(frozen=True)
class Scripted:
    """Where the service is, and what it was asked."""

    url: str
    requests: list[Request]


@contextmanager
def scripted(*answers: Answer) -> Iterator[Scripted]:
    left, requests = iter(answers), []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            requests.append(Request(self.path, self.headers, time.monotonic()))
            answer = next(left)
            self.send_response(answer.status)
            kind = "text/event-stream" if answer.status == 200 else "application/json"
            for name, value in ({"Content-Type": kind} | answer.headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.text.encode())

        do_POST = do_GET  # noqa: N815 - the server asks for this name

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield Scripted(f"http://127.0.0.1:{server.server_port}", requests)
        finally:
            server.shutdown()
