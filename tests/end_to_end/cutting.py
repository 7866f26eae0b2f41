"""A proxy that cuts the connection after the service has answered a write, before its client sees anything of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "host"}


@dataclass(frozen=True)
class Passed:
    """A write that the service has answered: its idempotency key, whether that was a header, and the answer."""

    path: str
    key: str | None
    in_header: bool
    status: int
    is_replay: bool


@dataclass(frozen=True)
class Cutting:
    """Where the proxy is, and the writes that passed."""

    url: str
    passed: list[Passed]


@contextmanager
def cutting(port: int) -> Iterator[Cutting]:
    """A proxy of the service at ``port`` that cuts off the first answer to each idempotency key."""
    seen: set[str] = set()
    passed: list[Passed] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as service:
                service.request(self.command, self.path, body, headers)
                answer = service.getresponse()
                content = answer.read()
            in_header = "Idempotency-Key" in self.headers
            parameters = parse_qs(urlsplit(self.path).query).get("idempotencyKey", [None])
            key = self.headers["Idempotency-Key"] if in_header else parameters[0]
            if key is not None and self.command != "OPTIONS":
                is_replay = answer.headers["Idempotency-Replayed"] == "true"
                passed.append(Passed(urlsplit(self.path).path, key, in_header, answer.status, is_replay))
                if key not in seen:
                    seen.add(key)
                    self.close_connection = True
                    return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in HOP_BY_HOP | {"content-length"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = do_OPTIONS = forward  # noqa: N815 - the server asks for these names

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield Cutting(f"http://127.0.0.1:{server.server_port}", passed)
        finally:
            server.shutdown()
