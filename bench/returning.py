"""python -m bench.returning [STREAMS]: streams of changes that are cut at once, as by a reload, and come back.

The clients come at once, without the pause that browsers make, each with the place that it had reached, and again where
they are refused. Told are the seconds until all hear again, how late the changes come that are made at 100 a second
meanwhile, and that nobody has missed any; and how long somebody else waits for a list while all come back.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from uuid import UUID

from bench.live import CHANGES, OPENING, Kind, middle_and_p99, send_at_rate, served
from bench.load import HOST
from bench.servers import Server, private_parts

STREAMS = 3000
BEFORE, AFTER = 5.0, 5.0
# Seconds, as the typed clients have it.
RETRY, LONGEST_PAUSE = 3.0, 30.0


@dataclass
class Listener:
    """Hears of changes for ever: what is cut off is taken up again at its place."""

    port: int
    token: str
    kind: Kind
    place: str = ""
    opened: int = 0
    refused: int = 0
    heard: dict[UUID, float] = field(default_factory=dict)
    twice: int = 0

    async def run(self) -> None:
        """Come back whenever the stream ends, at once, or cannot be had, after a pause."""
        while True:
            opened = self.opened
            with suppress(OSError, EOFError):
                await self._listen()
            is_cut = self.opened == 1
            self.refused = 0 if self.opened > opened else self.refused + 1
            if not is_cut or self.refused:
                longest = min(RETRY * 2 ** max(0, self.refused - 1), LONGEST_PAUSE)
                await asyncio.sleep(longest * random.uniform(0.5, 1))

    async def _listen(self) -> None:
        reader, writer = await asyncio.open_connection(HOST, self.port, limit=8192)
        try:
            came_from = f"Last-Event-ID: {self.place}\r\n" if self.place else ""
            credential = f"Authorization: Bearer {self.token}\r\n"
            writer.write(f"GET {self.kind.path} HTTP/1.1\r\nHost: {HOST}\r\n{credential}{came_from}\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            if b" 200 " not in head.split(b"\r\n")[0]:
                raise EOFError
            self.opened += 1
            while (line := await reader.readline()) and line != b"event: bye\n":
                self._take(line)
        finally:
            writer.close()

    def _take(self, line: bytes) -> None:
        if line.startswith(b"id: "):
            self.place = line[4:].strip().decode()
        elif line.startswith(b"data: {") and b'"at":' in line:
            told = json.loads(line[6:])
            self.twice += told["recordId"] in self.heard
            delay = time.time() - float(self.kind.time_of(told))
            self.heard.setdefault(told["recordId"], delay * 1000)


def main() -> None:
    """Measure from nothing and print."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    kind = replace(CHANGES, streams=int(sys.argv[1]) if len(sys.argv) > 1 else STREAMS)
    with private_parts() as folder, served(folder, kind) as (_, server, tokens):
        print(asyncio.run(_measured(server, folder, tokens)))


async def _measured(server: Server, var_dir: str, tokens: list[str]) -> str:
    listeners = [Listener(server.port, token, CHANGES) for token in tokens]
    tasks = []
    for start in range(0, len(listeners), OPENING):
        some = listeners[start : start + OPENING]
        tasks += [asyncio.create_task(each.run()) for each in some]
        await _until(partial(_are_open, some))
    over, sent = multiprocessing.Event(), multiprocessing.Value("i")
    sender = multiprocessing.Process(target=send_at_rate, args=(var_dir, CHANGES, over, sent), daemon=True)
    sender.start()
    await _until(lambda: any(each.heard for each in listeners))
    await asyncio.sleep(BEFORE)
    begun = time.monotonic()
    os.kill(server.pid, signal.SIGHUP)
    waits: list[float] = []
    other = asyncio.create_task(_ask(server.port, tokens[0], waits))
    await _until(lambda: _are_open(listeners, 2))
    back = time.monotonic() - begun
    other.cancel()
    await asyncio.sleep(AFTER)
    over.set()
    await _until(lambda: not sender.is_alive())
    expected = sent.value * CHANGES.heard_by
    await _until(lambda: sum(len(each.heard) for each in listeners) >= expected)
    for task in tasks:
        task.cancel()
    (waited, longest), (middle, p99) = (
        middle_and_p99(waits),
        middle_and_p99([delay for each in listeners for delay in each.heard.values()]),
    )
    return (
        f"{len(listeners)} streams were cut and heard again after {back:.1f} s, somebody else waited {waited:.0f} ms "
        f"(median) and {longest:.0f} ms (p99) for an answer meanwhile; all {expected} events were heard, "
        f"{sum(each.twice for each in listeners)} of them twice, {middle:.0f} ms (median) and {p99:.0f} ms (p99) after "
        "their commit"
    )


async def _ask(port: int, token: str, waits: list[float]) -> None:
    """Ask for a list by one connection after the other, and note how many milliseconds each takes."""
    head = f"Host: {HOST}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
    while True:
        begun = time.monotonic()
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(HOST, port)
            writer.write(f"GET /api/v1/crm/contact HTTP/1.1\r\n{head}".encode())
            if (await reader.read()).startswith(b"HTTP/1.1 200 "):
                waits.append((time.monotonic() - begun) * 1000)
            writer.close()


def _are_open(listeners: list[Listener], times: int = 1) -> bool:
    return all(each.opened >= times for each in listeners)


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(300):
        while not condition():
            await asyncio.sleep(0.1)


if __name__ == "__main__":
    main()
