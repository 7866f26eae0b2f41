"""python -m bench.live [notifications | changes | crowd | backlog]: many open streams, and others beside them.

Two workers serve them on one machine. Of 10,000 streams, notifications come at 100 a second to one that is drawn by
lot, or 100 changes to organizations of ten listeners each, while others read the data API; of a crowd, five changes a
second come to an organization with 1,000 listeners; and beside 1,000 streams somebody catches up with 100,000 changes.
What is sent comes from another process and carries the time just before it was committed, which the listeners compare
with the time at which it arrives. The idle rate of the data API is taken before the streams are opened and after they
are closed, as the speed of machines drifts. Listeners, readers and sender need processors too, where there are but two:
what they took is told.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event
from uuid import UUID

import psutil
from flask import Flask, current_app
from sqlalchemy import text

from app.auth.credentials import sessions
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember
from app.auth.organizations import organizations
from app.crm.models import CrmCompany
from app.engine.changes import sequencer
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import attempt
from app.factory import create_app
from app.notification.routing import notify
from app.runtime.connections import allow_time
from app.schema.histories import upgrade
from bench.live_load import TimeOf, catch_up, listen, rate
from bench.servers import NO_LIMIT, Server, private_parts
from config import Settings

WORKERS, SECONDS = 2, 20
OPENING = 100
# Clients of the data API.
READERS = 8
# Seconds until the service has noticed that all listeners have left: at their next heartbeat.
CLOSING = 60
# Changes that one who comes late catches up with, of an organization where nobody else is.
BACKLOG, LATE = 100_000, 1


@dataclass(frozen=True)
class Kind:
    """Streams of one kind: their path, how many hear of each event, what sends one to those who hear it, who these are
    (users or organizations, by a statement), and the time that an event carries. There are so many of them, with so
    many members in each organization, and so many events a second."""

    path: str
    heard_by: int
    send: Callable[[UUID], None]
    hearers: str
    time_of: TimeOf
    streams: int = 10_000
    members: int = 10
    rate: int = 100
    has_backlog: bool = False


def _notify(user_id: UUID) -> None:
    with attempt(SYSTEM) as unit:
        notify(unit, user_id, "MESSAGE", "Bench", "", {"at": time.time()})


def _change(organization_id: UUID) -> None:
    with attempt(SYSTEM) as unit:
        unit.create(CrmCompany, {"organization_id": organization_id, "name": str(time.time())})
    current_app.extensions["announcements"].announce()  # as requests do


CHANGES = Kind(
    "/api/v1/_changes/stream?models=crm/company", 10, _change,
    "SELECT organization_id FROM auth_member GROUP BY organization_id HAVING count(*) > 1",
    lambda told: told["record"]["name"],
)  # fmt: skip
KINDS = {
    "notifications": Kind(
        "/api/integrations/teams/notifications/stream", 1, _notify, "SELECT id FROM auth_user",
        lambda told: told["data"]["at"],
    ),
    "changes": CHANGES,
    "crowd": replace(CHANGES, streams=1000, members=1000, heard_by=1000, rate=5),
    "backlog": replace(CHANGES, streams=1000, has_backlog=True),
}  # fmt: skip


@dataclass(frozen=True)
class Figures:
    """Memory in KiB per stream; delays in milliseconds; what others did meanwhile; the share of all processors that the
    load itself took."""

    opened: int
    memory: float
    heard: int
    sent: int
    quiet: tuple[float, float]
    busy: tuple[float, float]
    meanwhile: str
    load: float

    def __str__(self) -> str:
        return (
            f"{self.opened} streams open; {self.memory:.0f} KiB of worker memory each; {self.heard} of "
            f"{self.sent} events heard, {self.quiet[0]:.0f} ms (median) and {self.quiet[1]:.0f} ms (p99) after "
            f"their commit, {self.busy[0]:.0f} and {self.busy[1]:.0f} ms while {self.meanwhile}; the load took "
            f"{self.load:.0%} of the processors"
        )


def main() -> int:
    """Measure from nothing and print."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    kind = KINDS[sys.argv[1] if len(sys.argv) > 1 else "notifications"]
    with private_parts() as folder, served(folder, kind) as (app, server, tokens):
        place = _leave_backlog(server, app, tokens[LATE]) if kind.has_backlog else ""
        print(asyncio.run(_measured(server, folder, tokens, kind, place)))
    return 0


@contextmanager
def served(var_dir: str, kind: Kind) -> Iterator[tuple[Flask, Server, list[str]]]:
    """A service on the embedded servers under ``var_dir``, which run, and the tokens of those who listen."""
    app = create_app(Settings(var_dir=var_dir))
    with app.app_context():
        upgrade()
        tokens = _users(app, kind)
    server = Server("wsgi:app", var_dir, WORKERS=str(WORKERS), DEFAULT_LIMIT=NO_LIMIT)
    server.start()
    try:
        server.await_answer("/healthz")
        yield app, server, tokens
    finally:
        server.stop()


def _users(app: Flask, kind: Kind) -> list[str]:
    tokens: list[str] = []
    while len(tokens) < kind.streams:
        with attempt(SYSTEM) as unit:
            organization_id: UUID | None = None
            for _ in range(kind.members):
                user = AuthUser(email=f"{os.urandom(8).hex()}@bench.example", name="Bench", email_verified=True)
                if organization_id is None:
                    organization_id = organizations.provision_user(unit, user).id
                else:
                    organizations.provision_user(unit, user)
                    unit.store(AuthMember(organization_id=organization_id, user_id=user.id, role="member"))
                tokens.append(sessions.open_session(unit, user).token)
    return tokens


async def _measured(server: Server, var_dir: str, tokens: list[str], kind: Kind, place: str) -> Figures:
    workers, readers = psutil.Process(server.pid).children(), tokens[:READERS]
    await rate(server.port, readers, 2)
    idle = await rate(server.port, readers, SECONDS / 2)
    before = sum(worker.memory_info().rss for worker in workers)
    delays: list[float] = []
    listeners = await _opened(server.port, tokens, kind, delays)
    memory = (sum(worker.memory_info().rss for worker in workers) - before) / kind.streams / 1024
    over, sent = multiprocessing.Event(), multiprocessing.Value("i")
    sender = multiprocessing.Process(target=send_at_rate, args=(var_dir, kind, over, sent), daemon=True)
    sender.start()
    while not delays:
        await asyncio.sleep(0.1)
    await asyncio.sleep(SECONDS / 2)
    of_quiet = len(delays)
    spent, begun = _spent(sender), time.monotonic()
    if kind.has_backlog:
        took = await _caught_up(server.port, tokens[LATE], kind, place)
    else:
        busy = await rate(server.port, readers, SECONDS)
    load = (_spent(sender) - spent) / (time.monotonic() - begun) / (psutil.cpu_count() or 1)
    over.set()
    await _ended(sender)
    await asyncio.sleep(1)
    opened = sum(not listener.done() for listener in listeners)
    for listener in listeners:
        listener.cancel()
    async with asyncio.timeout(CLOSING):
        while b"rowgate_open_streams 0.0" not in server.get("/metrics", tokens[0]):
            await asyncio.sleep(0.5)
    if kind.has_backlog:
        meanwhile = f"somebody catches up with {BACKLOG:,} changes in {took:.1f} s"
    else:
        idle = (idle + await rate(server.port, readers, SECONDS / 2)) / 2
        meanwhile = f"{READERS} readers ask {busy:.0f} times a second, {idle:.0f} without streams ({busy / idle:.0%})"
    quiet, beside = (middle_and_p99(some) for some in (delays[:of_quiet], delays[of_quiet:]))
    return Figures(opened, memory, len(delays), sent.value * kind.heard_by, quiet, beside, meanwhile, load)


async def _opened(port: int, tokens: list[str], kind: Kind, delays: list[float]) -> list[asyncio.Task[None]]:
    ready, listeners = asyncio.Semaphore(0), []
    for number in range(kind.streams):
        listening = listen(port, tokens[number], kind.path, kind.time_of, delays, ready)
        listeners.append(asyncio.create_task(listening))
        if number % OPENING == OPENING - 1:
            for _ in range(OPENING):
                await ready.acquire()
    return listeners


async def _caught_up(port: int, token: str, kind: Kind, place: str) -> float:
    """Seconds in which somebody else hears of all changes since a place."""
    took = multiprocessing.Value("d")
    late = multiprocessing.Process(target=catch_up, args=(port, token, kind.path, place, BACKLOG, took), daemon=True)
    late.start()
    await _ended(late)
    return took.value


async def _ended(process: multiprocessing.Process) -> None:
    while process.is_alive():
        await asyncio.sleep(0.1)


def middle_and_p99(delays: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile."""
    return statistics.median(delays), statistics.quantiles(delays, n=100)[-1]


def _spent(sender: multiprocessing.Process) -> float:
    """Seconds of processor time that the load has taken."""
    return sum(sum(psutil.Process(each).cpu_times()[:2]) for each in (os.getpid(), sender.pid))


def _leave_backlog(server: Server, app: Flask, token: str) -> str:
    """Write many records that one user alone sees, and return the place in the log before them."""
    place: str = json.loads(server.get("/api/v1/_changes", token))["meta"]["next"]
    user_id = UUID(json.loads(server.get("/api/auth/session", token))["user"]["id"])
    with app.app_context():
        with attempt(SYSTEM) as unit:
            allow_time(unit.session)
            home = organizations.personal_organization_of(unit.session, user_id)
            rows = ({"organization_id": home, "name": f"Company {number}"} for number in range(BACKLOG))
            unit.session.bulk_insert_mappings(CrmCompany.__mapper__, rows)
        sequencer.number_all()
    return place


def send_at_rate(var_dir: str, kind: Kind, over: Event, sent: Synchronized[int]) -> None:
    """Send at the rate until told to stop."""
    app = create_app(Settings(var_dir=var_dir))
    with app.app_context():
        with attempt(SYSTEM) as unit:
            hearers = list(unit.session.scalars(text(kind.hearers)))
        due = time.monotonic()
        while not over.is_set():
            sent.value += 1
            due += 1 / kind.rate
            time.sleep(max(0.0, due - time.monotonic()))
            kind.send(random.choice(hearers))


if __name__ == "__main__":
    sys.exit(main())
