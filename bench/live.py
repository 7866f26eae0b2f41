"""python -m bench.live [notifications | changes]: 10,000 streams open at once, while others read the data API.

Two workers serve them on one machine. Notifications come at 100 a second to streams drawn by lot, or 100 changes to
organizations of ten listeners each, from another process; each carries the time just before it was committed, and the
listeners compare it with the time at which it arrives. The
idle rate of the data API is taken before the streams are opened and after they are closed, as the speed of machines
drifts. Listeners, readers and sender need processors too, where there are but two: what they took is told.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event
from typing import Any
from uuid import UUID

import psutil
from flask import Flask, current_app
from sqlalchemy import text

from app.auth.credentials import sessions
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember
from app.auth.organizations import organizations
from app.crm.models import CrmCompany
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import attempt
from app.factory import create_app
from app.notification.routing import notify
from app.schema.histories import upgrade
from bench.load import HOST
from bench.servers import NO_LIMIT, Server, private_parts
from config import Settings

STREAMS, WORKERS = 10_000, 2
RATE, SECONDS = 100, 20
OPENING = 100
# Clients of the data API. Each comes anew after some requests, as it is chance which worker takes a connection.
READERS, REQUESTS = 8, 50
# Seconds until the service has noticed that all listeners have left: at their next heartbeat.
CLOSING = 60
# Listeners in one organization, who all hear of its changes.
MEMBERS = 10


@dataclass(frozen=True)
class Kind:
    """Streams of one kind: their path, how many hear of each event, what sends one to those who hear it, who these are
    (users or organizations, by a statement), and the time that an event carries."""

    path: str
    heard_by: int
    send: Callable[[UUID], None]
    hearers: str
    time_of: Callable[[Any], str | float]


def _notify(user_id: UUID) -> None:
    with attempt(SYSTEM) as unit:
        notify(unit, user_id, "MESSAGE", "Bench", "", {"at": time.time()})


def _change(organization_id: UUID) -> None:
    with attempt(SYSTEM) as unit:
        unit.create(CrmCompany, {"organization_id": organization_id, "name": str(time.time())})
    current_app.extensions["announcements"].announce()  # as requests do


KINDS = {
    "notifications": Kind(
        "/api/integrations/teams/notifications/stream", 1, _notify, "SELECT id FROM auth_user",
        lambda told: told["data"]["at"],
    ),
    "changes": Kind(
        "/api/v1/_changes/stream?models=crm/company", MEMBERS, _change,
        "SELECT organization_id FROM auth_member GROUP BY organization_id HAVING count(*) > 1",
        lambda told: told["record"]["name"],
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Figures:
    """Memory in KiB per stream; delays in milliseconds; requests per second of the data API, idle and beside; the share
    of all processors that the load itself took meanwhile."""

    opened: int
    memory: float
    heard: int
    sent: int
    quiet: tuple[float, float]
    busy: tuple[float, float]
    idle_rate: float
    busy_rate: float
    load: float

    def __str__(self) -> str:
        return (
            f"{self.opened} streams open; {self.memory:.0f} KiB of worker memory each; {self.heard} of "
            f"{self.sent} events heard, {self.quiet[0]:.0f} ms (median) and {self.quiet[1]:.0f} ms (p99) after "
            f"their commit, {self.busy[0]:.0f} and {self.busy[1]:.0f} ms beside {READERS} busy readers; data API "
            f"{self.busy_rate:.0f} requests a second beside them, {self.idle_rate:.0f} without "
            f"({self.busy_rate / self.idle_rate:.0%}); the load took {self.load:.0%} of the processors"
        )


def main() -> int:
    """Measure from nothing and print."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    kind = KINDS[sys.argv[1] if len(sys.argv) > 1 else "notifications"]
    with private_parts() as folder:
        print(measure(folder, kind))
    return 0


def measure(var_dir: str, kind: Kind) -> Figures:
    """Measure on the embedded servers under ``var_dir``, which run."""
    app = create_app(Settings(var_dir=var_dir))
    with app.app_context():
        upgrade()
        tokens = _users(app)
    server = Server("wsgi:app", var_dir, WORKERS=str(WORKERS), DEFAULT_LIMIT=NO_LIMIT)
    server.start()
    try:
        server.await_answer("/healthz")
        return asyncio.run(_measured(server, var_dir, tokens, kind))
    finally:
        server.stop()


def _users(app: Flask) -> list[str]:
    tokens: list[str] = []
    while len(tokens) < STREAMS:
        with attempt(SYSTEM) as unit:
            for _ in range(0, OPENING, MEMBERS):
                organization_id: UUID | None = None
                for _ in range(MEMBERS):
                    user = AuthUser(email=f"{os.urandom(8).hex()}@bench.example", name="Bench", email_verified=True)
                    if organization_id is None:
                        organization_id = organizations.provision_user(unit, user).id
                    else:
                        organizations.provision_user(unit, user)
                        unit.store(AuthMember(organization_id=organization_id, user_id=user.id, role="member"))
                    tokens.append(sessions.open_session(unit, user).token)
    return tokens


async def _measured(server: Server, var_dir: str, tokens: list[str], kind: Kind) -> Figures:
    workers = psutil.Process(server.pid).children()
    await _rate(server.port, tokens, 2)
    idle = await _rate(server.port, tokens, SECONDS / 2)
    before = sum(worker.memory_info().rss for worker in workers)
    delays: list[float] = []
    ready = asyncio.Semaphore(0)
    listeners = []
    for number in range(STREAMS):
        listeners.append(asyncio.create_task(_listen(server.port, tokens[number], delays, ready, kind)))
        if number % OPENING == OPENING - 1:
            for _ in range(OPENING):
                await ready.acquire()
    memory = (sum(worker.memory_info().rss for worker in workers) - before) / STREAMS / 1024
    over, sent = multiprocessing.Event(), multiprocessing.Value("i")
    sender = multiprocessing.Process(target=_send, args=(var_dir, kind, over, sent), daemon=True)
    sender.start()
    while not delays:
        await asyncio.sleep(0.1)
    await asyncio.sleep(SECONDS / 2)
    of_quiet = len(delays)
    spent, begun = _spent(sender), time.monotonic()
    busy = await _rate(server.port, tokens, SECONDS)
    load = (_spent(sender) - spent) / (time.monotonic() - begun) / (psutil.cpu_count() or 1)
    over.set()
    while sender.is_alive():
        await asyncio.sleep(0.1)
    await asyncio.sleep(1)
    opened = sum(not listener.done() for listener in listeners)
    for listener in listeners:
        listener.cancel()
    async with asyncio.timeout(CLOSING):
        while b"rowgate_open_streams 0.0" not in server.get("/metrics", tokens[0]):
            await asyncio.sleep(0.5)
    idle = (idle + await _rate(server.port, tokens, SECONDS / 2)) / 2
    quiet, beside = (_middle_and_p99(some) for some in (delays[:of_quiet], delays[of_quiet:]))
    return Figures(opened, memory, len(delays), sent.value * kind.heard_by, quiet, beside, idle, busy, load)


def _middle_and_p99(delays: list[float]) -> tuple[float, float]:
    return statistics.median(delays), statistics.quantiles(delays, n=100)[-1]


def _spent(sender: multiprocessing.Process) -> float:
    """Seconds of processor time that the load has taken."""
    return sum(sum(psutil.Process(each).cpu_times()[:2]) for each in (os.getpid(), sender.pid))


async def _listen(port: int, token: str, delays: list[float], ready: asyncio.Semaphore, kind: Kind) -> None:
    reader, writer = await asyncio.open_connection(HOST, port, limit=4096)
    writer.write(f"GET {kind.path} HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " in head.split(b"\r\n")[0]:
        ready.release()
    try:
        while line := await reader.readline():
            if line.startswith(b"data: {") and b'"at":' in line:
                delays.append((time.time() - float(kind.time_of(json.loads(line[6:])))) * 1000)
    finally:
        writer.close()


async def _rate(port: int, tokens: list[str], seconds: float) -> float:
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

    return sum(await asyncio.gather(*(ask(token) for token in tokens[:READERS])))


def _send(var_dir: str, kind: Kind, over: Event, sent: Synchronized[int]) -> None:
    """Send at the rate until told to stop."""
    app = create_app(Settings(var_dir=var_dir))
    with app.app_context():
        with attempt(SYSTEM) as unit:
            hearers = list(unit.session.scalars(text(kind.hearers)))
        due = time.monotonic()
        while not over.is_set():
            sent.value += 1
            due += 1 / RATE
            time.sleep(max(0.0, due - time.monotonic()))
            kind.send(random.choice(hearers))


if __name__ == "__main__":
    sys.exit(main())
