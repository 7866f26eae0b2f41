"""Those who listen and read in bench.live."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable, Sequence
from multiprocessing.sharedctypes import Synchronized
from typing import Any

from bench.load import HOST

# Requests after which a reader comes anew, as it is chance which worker takes a connection.
REQUESTS = 50

TimeOf = Callable[[Any], str | float]


async def listen(
    port: int, token: str, path: str, time_of: TimeOf, delays: list[float], ready: asyncio.Semaphore
) -> None:
    """Note how long after its time each event is heard, in milliseconds, and release ``ready`` once that begins."""
    reader, writer = await asyncio.open_connection(HOST, port, limit=4096)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " in head.split(b"\r\n")[0]:
        ready.release()
    try:
        while line := await reader.readline():
            if line.startswith(b"data: {") and b'"at":' in line:
                delays.append((time.time() - float(time_of(json.loads(line[6:])))) * 1000)
    finally:
        writer.close()


def catch_up(port: int, token: str, path: str, place: str, number: int, took: Synchronized[float]) -> None:
    """Hear of a number of changes since a place, and tell in how many seconds."""
    begun, heard = time.monotonic(), 0
    with socket.create_connection((HOST, port)) as connection, connection.makefile("rb") as lines:
        asked = f"Authorization: Bearer {token}\r\nLast-Event-ID: {place}"
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n{asked}\r\n\r\n".encode())
        while heard < number:
            heard += next(lines).startswith(b"event: create")
    took.value = time.monotonic() - begun


async def rate(port: int, tokens: Sequence[str], seconds: float) -> float:
    """Requests a second that some clients get answered one after the other."""

    async def ask(token: str) -> float:
        asked, begun = 0, time.monotonic()
        while time.monotonic() < begun + seconds:
            reader, writer = await asyncio.open_connection(HOST, port)
            for _ in range(REQUESTS):
                head = f"GET /api/v1/crm/contact HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {token}\r\n\r\n"
                writer.write(head.encode())
                answered = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(int(answered.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]))
            asked += REQUESTS
            writer.close()
        return asked / (time.monotonic() - begun)

    return sum(await asyncio.gather(*(ask(token) for token in tokens)))
