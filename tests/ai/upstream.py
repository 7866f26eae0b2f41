"""A loopback server that speaks the OpenAI-compatible protocol, well or badly: the model's name says how."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WORDS = ("Forty", " metres", ", says", " the", " plan", ".")
USAGE = {"prompt_tokens": 12, "completion_tokens": 6, "total_tokens": 18}
REFUSALS = {
    "unauthorized": (401, "Incorrect API key provided: sk-test-12345678"),
    "limited": (429, "Slow down"),
    "bad": (400, "No such parameter"),
    "down": (503, "Overloaded"),
    "moved": (302, "Elsewhere"),
}


@dataclass
class Upstream:
    """What the server was asked, and when its readers left."""

    port: int = 0
    calls: list[dict[str, Any]] = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)
    sent: list[float] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def delta(content: str | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": content, **more}, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream: Upstream

    def log_message(self, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.upstream.calls.append(
            {"path": self.path, "headers": {name.lower(): value for name, value in self.headers.items()}, "body": body}
        )
        model = body["model"]
        try:
            if model in REFUSALS:
                self._refuse(*REFUSALS[model])
            else:
                getattr(self, f"model_{model}")()
        except OSError:
            self.upstream.left.set()

    def _refuse(self, status: int, message: str) -> None:
        self._whole(json.dumps({"error": {"message": message, "type": "t", "param": None, "code": None}}), status)

    def _whole(self, text: str, status: int = 200, kind: str = "application/json") -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(data)

    def _begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("X-Request-Id", "up-1")
        self.end_headers()

    def _raw(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _event(self, value: Any) -> None:
        self.upstream.sent.append(time.monotonic())
        self._raw(f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n".encode())

    def _end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")

    def _say(self, *words: str) -> None:
        for word in words:
            self._event(delta(word))

    def _finish(self, reason: str = "stop") -> None:
        self._event(delta(finish=reason))
        self._event({**delta(), "choices": [], "usage": USAGE})
        self._event("[DONE]")
        self._end()

    def model_good(self) -> None:
        self._begin()
        self._raw(b": comment\n\n")
        self._event(delta(None, role="assistant"))
        self._say(*WORDS)
        self._finish()

    def model_data(self) -> None:
        self._begin()
        self._say('```json\n{"height":', " 40}\n```")
        self._finish()

    def model_thinking(self) -> None:
        self._begin()
        for thought in ("Hm", ", cranes"):
            self._event(delta(None, reasoning_content=thought))
        self._say("High.")
        self._finish()

    def model_scattered(self) -> None:
        """Characters of several bytes, and lines, cut anywhere."""
        self._begin()
        data = "".join(f"data: {json.dumps(delta(word), ensure_ascii=False)}\n\n" for word in ("Grüße", " 👷🏽", "‽"))
        for byte in data.encode():
            self._raw(bytes([byte]))
        self._finish()

    def model_unstorable(self) -> None:
        self._begin()
        self._raw(b'data: {"choices":[{"index":0,"delta":{"content":"a\\u0000b\\ud83d"}}]}\n\n')
        self._finish()

    def model_endless(self) -> None:
        self._begin()
        for number in range(10_000):
            self._say(f"word {number} ")
            time.sleep(0.02)

    def model_gushing(self) -> None:
        self._begin()
        for _ in range(200):
            self._say("x" * 1000)
        self._finish()

    def model_waiting(self) -> None:
        """One word, and the rest when the test says so."""
        self._begin()
        self._say("Forty")
        self.upstream.go_on.wait(30)
        self._say(*WORDS[1:])
        self._finish()

    def model_steady(self) -> None:
        self._begin()
        for number in range(20):
            self._say(f"{number} ")
            time.sleep(0.5)
        self._finish()

    def model_silent(self) -> None:
        time.sleep(3)

    def model_stalling(self) -> None:
        self._begin()
        self._say("Forty")
        time.sleep(3)

    def model_commenting(self) -> None:
        self._begin()
        for _ in range(100):
            self._raw(b": still there\n\n")
            time.sleep(0.05)

    def model_dying(self) -> None:
        self._begin()
        self._say("Forty", " metres")
        self.close_connection = True

    def model_cut(self) -> None:
        """A proper end of the transfer, but not of the answer."""
        self._begin()
        self._say("Forty", " metres")
        self._end()

    def model_erring(self) -> None:
        self._begin()
        self._say("Forty")
        self._event({"error": {"message": "The model has left", "type": "server_error"}})
        self._end()

    def model_rubbish(self) -> None:
        self._begin()
        self._event("{not json")
        self._end()

    def model_odd(self) -> None:
        self._begin()
        self._event({"choices": "none"})
        self._end()

    def model_page(self) -> None:
        self._whole("<html><body>Welcome to the proxy</body></html>", kind="text/html")


@contextmanager
def upstream() -> Iterator[Upstream]:
    state = Upstream()
    handler = type("Bound", (Handler,), {"upstream": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    state.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.go_on.set()
        server.shutdown()
        server.server_close()
        thread.join()
