"""Request bodies that stall or are malformed are refused as JSON, and so are gunicorn's own errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from gevent import Timeout
from gunicorn import util
from gunicorn.http.errors import NoMoreData, ParseException

from app.foundation.errors import Failure, MalformedBody, RequestTimedOut
from app.runtime.turns import yield_if_overdue

# Bytes at a time of a body that is read to be thrown away.
DISCARDED_AT_ONCE = 1024 * 1024
REFUSALS = {
    400: ("VALIDATION_ERROR", "The request is malformed"),
    403: ("FORBIDDEN", "The request is refused"),
    414: ("VALIDATION_ERROR", "The request line is too long"),
    417: ("VALIDATION_ERROR", "The expectation cannot be met"),
    431: ("VALIDATION_ERROR", "The headers are too large"),
    501: ("VALIDATION_ERROR", "The transfer coding is not known"),
}


class TimedSocket:
    """The socket of a request, which gives up when nothing comes for ``seconds``. What is there already is read without
    waiting, so whoever sends faster than it is read gives way to others."""

    def __init__(self, sock: Any, seconds: float) -> None:
        self._sock = sock
        self._seconds = seconds

    def recv(self, size: int) -> bytes:
        yield_if_overdue()
        with Timeout(self._seconds, RequestTimedOut):
            return self._sock.recv(size)


class Body:
    """The body of a request as the application reads it: what is wrong with it is a failure that has an answer, after
    which the connection is of no use. What is left of it once the request ``is_answered`` gunicorn reads, to get to the
    next one: what is wrong with that ends the connection, as a second answer would be taken for that of the next."""

    is_broken = is_answered = False

    def __init__(self, body: Any) -> None:
        self._body = body

    def read(self, size: int | None = None) -> bytes:
        # gunicorn reads what is left by the kilobyte, and would copy all that has come for each of them.
        return self._guarded(self._body.read, DISCARDED_AT_ONCE if self.is_answered else size)

    def readline(self, size: int | None = None) -> bytes:
        return self._guarded(self._body.readline, size)

    def readlines(self, size: int | None = None) -> list[bytes]:
        return list(self)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")

    def _guarded(self, read: Callable[[int | None], bytes], size: int | None) -> bytes:
        try:
            return read(size)
        except (ParseException, NoMoreData):
            self.is_broken = True
            if self.is_answered:
                raise StopIteration from None
            raise MalformedBody() from None
        except (Failure, OSError):
            self.is_broken = True
            raise


def refuse(sock: Any, status: int, reason: str, message: str) -> None:
    """Answer a request that cannot be parsed, as the API answers errors. What was sent is not repeated."""
    code, text = REFUSALS.get(status, ("UNKNOWN_ERROR", "Unknown error"))
    body = json.dumps({"error": text, "code": code, "details": {}})
    head = f"HTTP/1.1 {status} {reason}\r\nConnection: close\r\nContent-Type: application/json\r\n"
    util.write_nonblock(sock, f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())


# gunicorn has no setting for the body of its refusals, which is HTML.
util.write_error = refuse
