"""Who sends requests to the service of the attacks: one caller with an address, and floods of requests."""

from __future__ import annotations

import http.client
import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

TIMEOUT = 10
BOUNDARY = "the-boundary-of-the-parts"
FORM = '--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: {kind}\r\n\r\n'


@dataclass(frozen=True)
class Answer:
    """What came back, and after how many seconds; status 0 stands for a broken or silent connection."""

    status: int
    seconds: float
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Caller:
    """Somebody at an address, with a credential or without; every request has a connection of its own."""

    port: int
    address: str
    token: str | None = None
    timeout: float = TIMEOUT

    def holding(self, token: str) -> Caller:
        """The same address with another credential."""
        return replace(self, token=token)

    def get(self, path: str) -> Answer:
        return self.send("GET", path)

    def post(self, path: str, body: Any) -> Answer:
        return self.send("POST", path, body)

    def put(self, path: str, body: Any) -> Answer:
        return self.send("PUT", path, body)

    def upload(self, content: bytes, kind: str, name: str = "file") -> str:
        """Upload a file that has to be taken, and give its id."""
        head = FORM.format(boundary=BOUNDARY, name=name, kind=kind).encode()
        form = head + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        answer = self.send("POST", "/api/upload", form, f"multipart/form-data; boundary={BOUNDARY}")
        assert answer.status == 200, answer
        return answer.headers["location"].rpartition("/")[2]

    def made(self, path: str, body: Any) -> Any:
        """Make a record that has to be taken, and give it."""
        answer = self.post(path, body)
        assert answer.status == 201, answer
        return answer.json

    def send(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> Answer:
        """Send a request; ``body`` goes as it is when it is bytes, and as JSON otherwise."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        began = time.perf_counter()
        try:
            connection.request(method, path, sent, self.headers | ({"Content-Type": kind} if sent else {}))
            return read(connection.getresponse(), began)
        except (OSError, http.client.HTTPException):
            return Answer(0, time.perf_counter() - began, {}, b"")
        finally:
            connection.close()

    @property
    def headers(self) -> dict[str, str]:
        who = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return {"X-Forwarded-For": self.address} | who


def read(response: http.client.HTTPResponse, began: float) -> Answer:
    """Read an answer to its end."""
    body = response.read()
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Answer(response.status, time.perf_counter() - began, headers, body)


def flood(ask: Callable[[int], Answer], parallel: int, seconds: float, most: int = sys.maxsize) -> list[Answer]:
    """Have ``parallel`` threads ask again and again for ``seconds``, each time with another number, ``most`` times at
    most; give the answers."""
    numbers, deadline = iter(range(most)), time.monotonic() + seconds

    def keep_asking(_: int) -> list[Answer]:
        return [ask(number) for number in takewhile(lambda _: time.monotonic() < deadline, numbers)]

    with ThreadPoolExecutor(parallel) as pool:
        return [answer for answers in pool.map(keep_asking, range(parallel)) for answer in answers]
