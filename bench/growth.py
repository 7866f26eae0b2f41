"""What requests cost as a table grows, for callers who see little of it, much of it, and all of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any
from uuid import UUID

import psycopg
from flask import Flask
from uuid_utils.compat import uuid7

from app.auth.credentials import sessions
from app.auth.models.identity import AuthUser
from app.auth.organizations import organizations
from app.crm.models import CrmCompany
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, attempt
from app.factory import create_app
from app.runtime import connections
from app.runtime.embedded import Postgres, database_url
from app.schema.histories import upgrade
from bench.bounded import say
from bench.load import HOST, Connection, Refused
from bench.population import COLUMNS
from bench.processes import cpu_seconds
from bench.servers import NO_LIMIT, Server, private_parts
from bench.subjects import CONTACTS, request
from config import Settings

FEW, MANY, MOST = 1_000, 1_000_000, 2_000_000
OTHERS = 90
WORKS, SEEN = ("item", "first page"), ("1,000", "100,000", "all")
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
WARM, SECONDS, FEWEST = 5, 1.5, 10


@dataclass(frozen=True)
class Owner:
    """Somebody with a company, whose contacts are made later."""

    user_id: UUID
    organization_id: UUID
    company_id: UUID
    token: str


@dataclass(frozen=True)
class Point:
    """What a request took with so many rows in the table, for a caller who sees 1,000 or 100,000 of them or all:
    milliseconds of the processor, worker and database together, and of time."""

    rows: int
    seen: str
    work: str
    cpu_ms: float
    median_ms: float


class Growth:
    """A service whose table of contacts grows."""

    def __init__(self, server: Server, app: Flask, folder: str) -> None:
        self._server, self._url = server, database_url(folder)
        self._processes = (server.pid, Postgres(folder).process_id or 0)
        self._rows = 0
        with app.app_context(), attempt(SYSTEM) as unit:
            self._few, self._many, *self._others = (_owner(unit, number) for number in range(2 + OTHERS))
            self._admin = _owner(unit, 2 + OTHERS, role="admin")

    def points(self) -> Iterator[Point]:
        """Let the table grow step by step, and measure after each."""
        seen: dict[str, tuple[Owner, UUID]] = {}
        steps = (
            (FEW, [self._few]), (10_000, self._others), (110_000, [self._many]), (MANY, self._others),
            (MOST, self._others),
        )  # fmt: skip
        for rows, owners in steps:
            say(f"growing to {rows:,} contacts")
            newest = self._grow(owners, rows)
            if owners == [self._few]:
                seen["1,000"] = self._few, newest
            if owners == [self._many]:
                seen["100,000"] = self._many, newest
            seen["all"] = self._admin, newest
            for name, (caller, contact) in seen.items():
                for work, path in {"item": f"/{contact}", "first page": ""}.items():
                    cost, latency = self._taken(request("GET", f"{CONTACTS}{path}", caller.token))
                    yield Point(rows, name, work, cost, latency)

    def _grow(self, owners: list[Owner], until: int) -> UUID:
        """Add contacts of these owners in turn; returns the id of the last one."""
        first, self._rows = self._rows, until
        identifiers = [uuid7() for _ in range(first, until)]
        columns = ", ".join(COLUMNS)
        # Not through the application, whose statements end after some seconds.
        with psycopg.connect(self._url, autocommit=True) as connection:
            with connection.cursor() as cursor, cursor.copy(f"COPY crm_contact ({columns}) FROM STDIN") as copy:
                for number, identifier in enumerate(identifiers, first):
                    copy.write_row(_contact(identifier, owners[number % len(owners)], number))
            connection.execute("VACUUM ANALYZE crm_contact")
        return identifiers[-1]

    def _taken(self, sent: bytes) -> tuple[float, float]:
        """Milliseconds of the processor and of time that a request takes, one after the other."""
        connection, latencies = Connection(HOST, self._server.port), list[float]()
        for _ in range(WARM):
            connection.exchange(sent)
        before, begun = cpu_seconds(self._processes), time.monotonic()
        while len(latencies) < FEWEST or time.monotonic() < begun + SECONDS:
            asked = time.perf_counter()
            answer = connection.exchange(sent)
            latencies.append(1000 * (time.perf_counter() - asked))
            if not answer.startswith(b"HTTP/1.1 200"):
                raise Refused(f"{answer[:300]!r}")
        connection.socket.close()
        return 1000 * (cpu_seconds(self._processes) - before) / len(latencies), median(latencies)


def measure() -> list[Point]:
    """Measure from nothing, on servers of its own."""
    with private_parts() as folder:
        app = create_app(Settings(var_dir=folder, default_limit=NO_LIMIT))
        with app.app_context():
            upgrade()
        server = Server("wsgi:app", folder)
        server.start()
        try:
            server.await_answer("/healthz")
            return list(Growth(server, app, folder).points())
        finally:
            server.stop()
            with app.app_context():
                connections.close_all()


def _owner(unit: Unit, number: int, role: str = "user") -> Owner:
    user = AuthUser(email=f"owner{number}@bench.example", name=f"Owner {number}", email_verified=True, role=role)
    home = organizations.provision_user(unit, user)
    company = CrmCompany(organization_id=home.id, created_by_id=user.id, name=f"Company {number}")
    unit.session.add(company)
    unit.session.flush()
    return Owner(user.id, home.id, company.id, sessions.open_session(unit, user).token)


def _contact(identifier: UUID, owner: Owner, number: int) -> tuple[Any, ...]:
    stamp = BEGUN + timedelta(seconds=number)
    return (
        identifier, owner.organization_id, owner.user_id, f"First {number}", f"Last {number}",
        f"contact{number}@bench.example", f"+1 555 {number:07}", "Engineer", owner.company_id, stamp, stamp,
    )  # fmt: skip
