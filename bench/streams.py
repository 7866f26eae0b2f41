"""python -m bench.streams: 200 chats at once through one worker, from a provider that sends a word now and then.

The provider writes the time into what it says, and the clients, in another process on the same machine, compare it with
the time at which it arrives.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import statistics
import sys
import time
from dataclasses import dataclass
from multiprocessing.synchronize import Event

import psutil
from flask import Flask

from app.ai.models.answering import AiChain, AiChainProvider, AiProvider
from app.auth.credentials import sessions
from app.auth.models.identity import AuthUser
from app.auth.organizations import organizations
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import attempt
from app.factory import create_app
from app.runtime import connections
from app.schema.histories import upgrade
from bench.load import HOST
from bench.servers import Server, free_port, private_parts
from config import Settings

STREAMS, WORDS, PAUSE = 200, 12, 0.5
# Streams begin one after the other, as they do in life; all of them run at once for most of the time.
RAMP = 0.015
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True)
class Figures:
    """Delays in milliseconds from the provider's sending to the client's receiving, and memory in KiB per stream."""

    complete: int
    first_median: float
    first_p95: float
    chunk_median: float
    chunk_p99: float
    memory: float

    def __str__(self) -> str:
        return (
            f"{self.complete} of {STREAMS} streams complete; first byte {self.first_median:.1f} ms (median), "
            f"{self.first_p95:.1f} ms (p95); chunks {self.chunk_median:.1f} ms (median), "
            f"{self.chunk_p99:.1f} ms (p99); {self.memory:.0f} KiB per open stream"
        )


def main() -> int:
    """Measure from nothing and print."""
    with private_parts() as folder:
        print(measure(folder))
    return 0


def measure(var_dir: str) -> Figures:
    """Measure on the embedded servers under ``var_dir``, which run."""
    port, over = free_port(), multiprocessing.Event()
    provider = multiprocessing.Process(target=_provide, args=(port, over), daemon=True)
    provider.start()
    token = _populate(var_dir, f"http://{HOST}:{port}")
    server = Server("wsgi:app", var_dir, PRIVATE_PROVIDER_URLS="on", DATABASE_POOL_TIMEOUT="60")
    server.start()
    try:
        server.await_answer("/healthz")
        asyncio.run(_streams(server.port, token, 20, 2))
        (worker,) = psutil.Process(server.pid).children()
        return asyncio.run(_measured(server.port, token, worker))
    finally:
        server.stop()
        over.set()
        provider.join(5)


def _populate(var_dir: str, base_url: str) -> str:
    app = create_app(Settings(var_dir=var_dir, private_provider_urls=True))
    with app.app_context():
        upgrade()
        token = _asker(app, base_url)
        connections.close_all()
        return token


def _asker(app: Flask, base_url: str) -> str:
    """A user whose chain asks the provider."""
    with attempt(SYSTEM) as unit:
        user = AuthUser(email=f"{os.urandom(6).hex()}@bench.example", name="Bench", email_verified=True)
        home = organizations.provision_user(unit, user)
        slug = f"bench-{os.urandom(6).hex()}"
        provider = AiProvider(slug=slug, name="Bench", kind="ollama", base_url=base_url, default_model="slow")
        chain = AiChain(organization_id=home.id, name="Bench", is_default=True)
        unit.session.add_all([provider, chain])
        unit.session.flush()
        unit.session.add(AiChainProvider(chain_id=chain.id, provider_id=provider.id, position=0))
        return sessions.open_session(unit, user).token


async def _measured(port: int, token: str, worker: psutil.Process) -> Figures:
    before = worker.memory_info().rss
    running = asyncio.create_task(_streams(port, token, STREAMS, WORDS))
    await asyncio.sleep(STREAMS * RAMP + WORDS * PAUSE / 2)
    memory = (worker.memory_info().rss - before) / STREAMS / 1024
    heard = await running
    firsts = sorted(delays[0] for delays in heard if delays)
    chunks = sorted(delay for delays in heard for delay in delays)
    return Figures(
        complete=sum(len(delays) == WORDS for delays in heard),
        first_median=statistics.median(firsts),
        first_p95=firsts[int(len(firsts) * 0.95)],
        chunk_median=statistics.median(chunks),
        chunk_p99=chunks[int(len(chunks) * 0.99)],
        memory=memory,
    )


async def _streams(port: int, token: str, number: int, words: int) -> list[list[float]]:
    """The delays of each word of each stream."""

    async def begin(place: int) -> list[float]:
        await asyncio.sleep(place * RAMP)
        return await _stream(port, token, words)

    return await asyncio.gather(*(begin(place) for place in range(number)))


async def _stream(port: int, token: str, words: int) -> list[float]:
    reader, writer = await asyncio.open_connection(HOST, port)
    body = json.dumps({"messages": [{"role": "user", "content": f"{words} words"}]}).encode()
    head = f"POST /api/chat HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n"
    writer.write(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    await reader.readuntil(b"\r\n\r\n")
    delays = []
    while size := int(await reader.readline() or b"0", 16):
        word = await reader.readexactly(size + 2)
        delays.append((time.monotonic() - float(word)) * 1000)
    writer.close()
    return delays


def _provide(port: int, over: Event) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        asked = json.loads(await reader.readexactly(size))["messages"][-1]["content"]
        writer.write(HEAD)
        for _ in range(int(asked.split()[0])):
            delta = {"index": 0, "delta": {"content": f"{time.monotonic():.6f} "}, "finish_reason": None}
            writer.write(f"data: {json.dumps({'choices': [delta]})}\n\n".encode())
            await writer.drain()
            await asyncio.sleep(PAUSE)
        writer.write(b"data: [DONE]\n\n")
        writer.close()

    async def serve() -> None:
        server = await asyncio.start_server(answer, HOST, port)
        async with server:
            while not over.is_set():
                await asyncio.sleep(0.2)

    asyncio.run(serve())


if __name__ == "__main__":
    sys.exit(main())
