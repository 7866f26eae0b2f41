"""python -m bench.queries: what the parts of a query cost beside the plain list, in one tenant and in two hundred.

Each round asks every question once for a while, one after the other, and ratios are taken within a round. The tables
are those of deals: every tenant has a company for each hundred, a contact for each, and amounts that repeat.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from urllib.parse import quote, urlencode
from uuid import UUID

import psycopg
from flask import Flask

from app.auth.credentials import sessions
from app.auth.models.identity import AuthUser
from app.auth.organizations import organizations
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, attempt
from app.factory import create_app
from app.runtime.embedded import Postgres, database_url
from app.schema.histories import upgrade
from bench import documentation
from bench.bounded import bounded, say
from bench.load import HOST, Connection, Refused
from bench.processes import cpu_seconds
from bench.servers import NO_LIMIT, Server, private_parts
from bench.subjects import request
from config import Settings

DEALS = "/api/v1/crm/deal"
ONE_TENANT, MANY_TENANTS = 100_000, (200, 2_000_000)
ROUNDS, SECONDS, WARM, FEWEST = 5, 1.0, 3, 3
# Cheaper by so much, or dearer by at most so much, than what stands behind the name.
MAX_LENGTH = 900
PLAIN, EXACT = "plain list", "count=exact"


@dataclass(frozen=True)
class Question:
    """A request, what it is measured by, and the ratio that it is to stay under."""

    name: str
    path: str
    base: str = PLAIN
    aim: float = 0.0


@dataclass(frozen=True)
class Cost:
    """Milliseconds of the processors, worker and database together, and the ratio to what it is measured by."""

    question: Question
    milliseconds: float
    ratio: float


def questions(cursor: str) -> list[Question]:
    """What is asked; ``cursor`` leads to a page far from the first."""
    filtered = {"stage": "lead", "amount[gte]": "1000"}
    return [
        Question(PLAIN, ""),
        Question("two filters and an indexed sort", _asked({**filtered, "sort": "-amount"}), aim=1.3),
        Question("two filters, one without an index", _asked({"stage": "lead", "priority": "low", "sort": "-amount"})),
        Question("two relations expanded", _asked({"expand": "company,contact"}), aim=2.0),
        Question(EXACT, _asked({"count": "exact", "sort": "-createdAt"})),
        Question("count=none", _asked({"count": "none", "sort": "-createdAt"}), EXACT, 1 / 5),
        Question("count=bounded", _asked({"count": "bounded", "sort": "-createdAt"}), EXACT, 1 / 3),
        Question("first page of a walk", _asked({"cursor": "", "sort": "-amount"})),
        Question("a page far into it", _asked({"cursor": cursor, "sort": "-amount"}), "first page of a walk", 1.2),
        Question("search for one word", _asked({"search": "harbour42"}), aim=3.0),
        Question("startsWith", _asked({"name[startsWith]": "deal 4242"})),
        Question("conditions along a relation", _asked({"company.industry": "steel", "count": "none"})),
        Question("sums by stage", "/_aggregate?" + urlencode({"group": "stage", "count": "", "sum": "amount"})),
    ]


def _asked(parameters: dict[str, str]) -> str:
    return "?" + urlencode(parameters, quote_via=quote)


def main() -> int:
    """Measure one tenant of 100,000 deals, then 200 tenants of 2,000,000; returns the exit status."""
    return bounded(_measure, MAX_LENGTH)


def _measure(_: ExitStack) -> None:
    say("queries: one tenant of 100,000 deals")
    one = measure(1, ONE_TENANT)
    say("queries: 200 tenants of 2,000,000 deals")
    many = measure(*MANY_TENANTS)
    told = table(one, many)
    print(told)
    documentation.fill("bench-queries", f"Measured on {datetime.now(UTC).date()}.\n\n{told}")


def table(one: Sequence[Cost], many: Sequence[Cost]) -> str:
    """Milliseconds of the processor and ratios, in one tenant and in two hundred."""
    lines = [
        "| | measured by | aim | 100,000 rows of one tenant | | 2,000,000 rows of 200 | |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for small, large in zip(one, many, strict=True):
        aim = f"{small.question.aim:.2f}" if small.question.aim else ""
        costs = " | ".join(f"{each.milliseconds:.2f} ms | {each.ratio:.2f}" for each in (small, large))
        lines.append(f"| {small.question.name} | {small.question.base} | {aim} | {costs} |")
    return "\n".join(lines)


def measure(tenants: int, rows: int) -> list[Cost]:
    """Measure from nothing, on servers of its own."""
    with private_parts() as folder:
        application = create_app(Settings(var_dir=folder, default_limit=NO_LIMIT))
        token = _fill(application, folder, tenants, rows)
        server = Server("wsgi:app", folder)
        server.start()
        try:
            server.await_answer("/healthz")
            return _costs(server, folder, token)
        finally:
            server.stop()


def _costs(server: Server, folder: str, token: str) -> list[Cost]:
    processes = (server.pid, Postgres(folder).process_id or 0)
    connection = Connection(HOST, server.port)
    asked = questions(_far_cursor(connection, token))
    sent = {each.name: request("GET", f"{DEALS}{each.path}", token) for each in asked}
    taken: dict[str, list[float]] = {each.name: [] for each in asked}
    for _ in range(ROUNDS):
        for name, message in sent.items():
            taken[name].append(_taken(connection, message, processes))
    connection.socket.close()
    return [Cost(each, median(taken[each.name]), _ratio(taken[each.name], taken[each.base])) for each in asked]


def _ratio(costs: Sequence[float], others: Sequence[float]) -> float:
    return median(one / other for one, other in zip(costs, others, strict=True))


def _far_cursor(connection: Connection, token: str) -> str:
    """The cursor after ninety thousand rows, or after nine tenths of fewer."""
    cursor, walked, wanted = "", 0, 90_000
    while True:
        path = f"{DEALS}{_asked({'cursor': cursor, 'sort': '-amount', 'take': '1000', 'fields': 'id'})}"
        body = connection.exchange(request("GET", path, token)).partition(b"\r\n\r\n")[2]
        page = json.loads(body)
        walked += len(page["data"])
        if page["meta"]["next"] is None or walked >= wanted:
            return cursor
        cursor = page["meta"]["next"]


def _taken(connection: Connection, sent: bytes, processes: tuple[int, int]) -> float:
    """Milliseconds of the processors that a request takes."""
    for _ in range(WARM):
        connection.exchange(sent)
    number, before, begun = 0, cpu_seconds(processes), time.monotonic()
    while number < FEWEST or time.monotonic() < begun + SECONDS:
        answer = connection.exchange(sent)
        if not answer.startswith(b"HTTP/1.1 200"):
            raise Refused(f"{answer[:300]!r}")
        number += 1
    return 1000 * (cpu_seconds(processes) - before) / number


def _fill(application: Flask, folder: str, tenants: int, rows: int) -> str:
    """Make the tenants with their rows; returns the token of one who sees the rows of one tenant."""
    with application.app_context():
        upgrade()
        with attempt(SYSTEM) as unit:
            found = [_tenant(unit, number) for number in range(tenants)]
    each = rows // tenants
    with psycopg.connect(database_url(folder), autocommit=True) as connection:
        for number, (_, organization) in enumerate(found):
            for statement in FILLING:
                connection.execute(statement, {"organization": organization, "rows": each, "tenant": number})
        connection.execute("VACUUM ANALYZE")
    return found[0][0]


def _tenant(unit: Unit, number: int) -> tuple[str, UUID]:
    user = AuthUser(email=f"owner{number}@queries.example", name=f"Owner {number}")
    home = organizations.provision_user(unit, user)
    return sessions.open_session(unit, user).token, home.id


FILLING = (
    """INSERT INTO crm_company (id, created_at, updated_at, organization_id, name, industry, visibility)
    SELECT gen_random_uuid(), now() - n * interval '1 minute', now(), %(organization)s, 'company ' || n,
        (ARRAY['steel', 'shipping', 'paper'])[1 + n %% 3], 'private'
    FROM generate_series(1, %(rows)s::int / 100) AS n""",
    """INSERT INTO crm_contact
        (id, created_at, updated_at, organization_id, first_name, last_name, email, company_id)
    SELECT gen_random_uuid(), now(), now(), %(organization)s, 'Ada', 'Name ' || row_number() OVER (),
        'p' || row_number() OVER () || '@queries.example', id
    FROM crm_company WHERE organization_id = %(organization)s""",
    """INSERT INTO crm_deal (id, created_at, updated_at, organization_id, name, company_id, contact_id, stage, amount,
        currency, probability, priority, stage_changed_at)
    SELECT gen_random_uuid(), now() - n * interval '1 second', now(), %(organization)s,
        'deal ' || n || ' harbour' || n %% 1000, company.id, company.contact,
        (ARRAY['lead', 'qualified', 'won', 'lost'])[1 + n %% 4], CASE WHEN n %% 10 > 0 THEN n * 7919 %% 50021 END,
        'EUR', 10, (ARRAY['low', 'medium', 'high'])[1 + n %% 3], now()
    FROM generate_series(1, %(rows)s::int) AS n JOIN (
        SELECT c.id, row_number() OVER () AS place, (SELECT id FROM crm_contact WHERE company_id = c.id) AS contact
        FROM crm_company AS c WHERE organization_id = %(organization)s
    ) AS company ON company.place = 1 + n %% (%(rows)s::int / 100)""",
)

if __name__ == "__main__":
    raise SystemExit(main())
