"""Connections on which no client library would speak: requests byte by byte, and those that are never finished."""

from __future__ import annotations

import http.client
import selectors
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from tests.attacks.caller import TIMEOUT, Answer, Caller, read


@dataclass(frozen=True)
class Cut:
    """How a connection ended that was left alone: after how many seconds, and with which bytes."""

    seconds: float
    said: bytes


def head(caller: Caller, method: str, path: str, **headers: str) -> bytes:
    """The start of a request, up to its body."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in {"Host": "localhost", **headers}.items()]
    lines += [f"{name}: {value}" for name, value in caller.headers.items()]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "\r\n"]).encode()


def spoken(port: int, sent: bytes) -> Answer:
    """Send ``sent`` as it is, and read the answer."""
    began = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT) as connection:
        with suppress(ConnectionError):  # it may answer before it has read everything
            connection.sendall(sent)
        try:
            response = http.client.HTTPResponse(connection)
            response.begin()
            return read(response, began)
        except (OSError, http.client.HTTPException):
            return Answer(0, time.perf_counter() - began, {}, b"")


def left_alone(port: int, starts: Sequence[bytes], seconds: float) -> list[Cut]:
    """Send each of ``starts`` on a connection of its own and nothing more; give those connections that the service
    ended within ``seconds``."""
    with ExitStack() as stack:
        waiting = stack.enter_context(selectors.DefaultSelector())
        for start in starts:
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT))
            connection.sendall(start)
            waiting.register(connection, selectors.EVENT_READ, bytearray())
        began, cut = time.perf_counter(), []
        while waiting.get_map() and (left := began + seconds - time.perf_counter()) > 0:
            for key, _ in waiting.select(left):
                if said := _received(key.fileobj):
                    key.data.extend(said)
                else:
                    waiting.unregister(key.fileobj)
                    cut.append(Cut(time.perf_counter() - began, bytes(key.data)))
    return cut


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65536)
    except ConnectionError:
        return b""
