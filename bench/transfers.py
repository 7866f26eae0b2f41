"""python -m bench.transfers: how fast a million contacts leave, beside COPY by the driver alone, and in what memory.

Every round exports in each form and copies the same columns without the service, one after the other; ratios are taken
within a round. Meanwhile somebody else reads single records.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection
from statistics import median
from uuid import UUID

import psycopg
from flask import Flask

from app.auth.credentials import sessions
from app.auth.models.identity import AuthUser
from app.auth.organizations import organizations
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import attempt
from app.factory import create_app
from app.runtime.embedded import database_url
from app.schema.histories import upgrade
from bench.bounded import bounded, say
from bench.load import HOST, Refused
from bench.processes import family, memory
from bench.servers import NO_LIMIT, Server, private_parts
from config import Settings

CONTACTS = "/api/v1/crm/contact"
ROWS, ROUNDS, MAX_LENGTH = 1_000_000, 5, 900
# At least half the speed of the driver alone, and less than so many MiB above a worker that has nothing to do.
AIM, MOST_MEMORY = 0.5, 80
COLUMNS = (
    "id, organization_id, created_by_id, first_name, last_name, email, phone, title, company_id, created_at, updated_at"
)
WITHOUT_SERVICE = "COPY by the driver"
FORMS = {
    "CSV": ("as=csv", ""), "CSV, gzip": ("as=csv", "gzip"), "CSV by first name": ("as=csv&sort=firstName", ""),
    "NDJSON": ("as=ndjson", ""), "JSON": ("as=json", ""),
}  # fmt: skip
FILLING = (
    """INSERT INTO crm_company (id, created_at, updated_at, organization_id, name, visibility)
    SELECT gen_random_uuid(), now(), now(), %(organization)s, 'company ' || n, 'private'
    FROM generate_series(1, 1000) AS n""",
    """INSERT INTO crm_contact
        (id, created_at, updated_at, organization_id, first_name, last_name, email, phone, title, company_id)
    SELECT gen_random_uuid(), now() - n * interval '1 second', now(), %(organization)s, 'First ' || n, 'Last ' || n,
        'contact' || n || '@transfers.example', '+1 555 ' || n, 'Engineer', company.id
    FROM generate_series(1, %(rows)s::int) AS n
    JOIN (SELECT id, row_number() OVER () AS place FROM crm_company) AS company ON company.place = 1 + n %% 1000""",
    "VACUUM ANALYZE crm_contact",
)


@dataclass(frozen=True)
class Taken:
    """Seconds and bytes of one transfer."""

    seconds: float
    size: int


def main() -> int:
    """Measure from nothing, on servers of its own; returns the exit status."""
    return bounded(_measure, MAX_LENGTH)


def _measure(_: ExitStack) -> None:
    with private_parts() as folder:
        say(f"transfers: {ROWS} contacts are made")
        token, organization = _fill(create_app(Settings(var_dir=folder, default_limit=NO_LIMIT)), folder)
        server = Server("wsgi:app", folder)
        server.start()
        try:
            server.await_answer("/healthz")
            print(_told(server, folder, token, organization))
        finally:
            server.stop()


def _told(server: Server, folder: str, token: str, organization: UUID) -> str:
    server.get(f"{CONTACTS}/_export?as=csv&firstName=nobody", token)
    (worker,) = family(server.pid)[1:]
    idle = memory([worker])
    taken: dict[str, list[Taken]] = {name: [] for name in (WITHOUT_SERVICE, *FORMS)}
    waits: list[float] = []
    used: list[float] = []
    for number in range(ROUNDS):
        say(f"transfers: round {number + 1} of {ROUNDS}")
        taken[WITHOUT_SERVICE].append(_copied(folder, organization))
        for name, (asked, accepted) in FORMS.items():
            with _somebody_else(server, token, worker, waits, used):
                taken[name].append(_exported(server, token, asked, accepted))
    lines = [f"Measured on {datetime.now(UTC).date()}.", "", _table(taken), ""]
    lines.append(f"Memory of the worker: {max(used) - idle:.1f} MiB above idle, of at most {MOST_MEMORY}.")
    slowest = sorted(waits)[int(len(waits) * 0.99)] * 1000
    lines.append(f"Others meanwhile: {len(waits)} reads, {median(waits) * 1000:.1f} ms, 99 of 100 in {slowest:.1f} ms.")
    return "\n".join(lines)


def _table(taken: dict[str, list[Taken]]) -> str:
    lines = ["| | seconds | MB | speed beside COPY | aim |", "| --- | ---: | ---: | ---: | ---: |"]
    for name, found in taken.items():
        ratio = median(base.seconds / each.seconds for base, each in zip(taken[WITHOUT_SERVICE], found, strict=True))
        seconds, size = median(each.seconds for each in found), found[0].size / 1e6
        lines.append(f"| {name} | {seconds:.2f} | {size:.0f} | {ratio:.2f} | {AIM if name == 'CSV' else ''} |")
    return "\n".join(lines)


def _copied(folder: str, organization: UUID) -> Taken:
    """The same columns by the driver alone."""
    begun, size = time.perf_counter(), 0
    statement = f"COPY (SELECT {COLUMNS} FROM crm_contact WHERE organization_id = '{organization}') TO STDOUT"
    with psycopg.connect(database_url(folder)) as connection, connection.cursor().copy(statement) as rows:
        for row in rows:
            size += len(row)
    return Taken(time.perf_counter() - begun, size)


def _exported(server: Server, token: str, asked: str, accepted: str) -> Taken:
    connection, buffer = HTTPConnection(HOST, server.port, timeout=120), bytearray(1 << 18)
    headers = {"Authorization": f"Bearer {token}"} | ({"Accept-Encoding": accepted} if accepted else {})
    begun, size = time.perf_counter(), 0
    try:
        connection.request("GET", f"{CONTACTS}/_export?{asked}", headers=headers)
        response = connection.getresponse()
        if response.status != 200:
            raise Refused(f"{response.read(300)!r}")
        while count := response.readinto(buffer):
            size += count
    finally:
        connection.close()
    return Taken(time.perf_counter() - begun, size)


@contextmanager
def _somebody_else(server: Server, token: str, worker: int, waits: list[float], used: list[float]) -> Iterator[None]:
    """Reads lists meanwhile, ten times a second, and notes how long each takes and what memory the worker has."""
    over = threading.Event()

    def read() -> None:
        while not over.wait(0.1):
            begun = time.perf_counter()
            server.get(f"{CONTACTS}?take=1&count=none", token)
            waits.append(time.perf_counter() - begun)
            used.append(memory([worker]))

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _fill(application: Flask, folder: str) -> tuple[str, UUID]:
    """Make the contacts of one organization; the token of who sees them, and whose they are."""
    with application.app_context():
        upgrade()
        with attempt(SYSTEM) as unit:
            user = AuthUser(email="owner@transfers.example", name="Owner")
            home = organizations.provision_user(unit, user)
            token, organization = sessions.open_session(unit, user).token, home.id
    with psycopg.connect(database_url(folder), autocommit=True) as connection:
        for statement in FILLING:
            connection.execute(statement, {"organization": organization, "rows": ROWS})
    return token, organization


if __name__ == "__main__":
    raise SystemExit(main())
