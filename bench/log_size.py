"""python -m bench.log_size: what a log of 10,000,000 changes of others does to what reads and writes it. The same
requests are measured over an empty log and over a full one; told is the processor time of each, with PostgreSQL's."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path
from statistics import median

import orjson
import psycopg

from app.factory import create_app
from app.runtime.embedded import database_url
from app.schema.histories import upgrade
from bench.changes import Clock, Prepare
from bench.gate.operations import Client, Work, account_of, operations
from bench.servers import NO_LIMIT, private_parts
from config import Settings

ROWS, PORTION, BATCH, ROUNDS = 10_000_000, 250_000, 20, 9
COMPANY, ORGANIZATIONS = "/api/v1/crm/company", 10_000
# Changes of companies of many organizations within the last day, as the triggers write them.
FILL = """
INSERT INTO platform_change (at, transaction, model, record_id, operation, version, actor_type, changed, image, old,
    organization_id, is_public)
SELECT now() - n * interval '1 day' / %(rows)s, gen_random_uuid(), 'crm/company', gen_random_uuid(),
    (ARRAY['create', 'update', 'delete'])[1 + n %% 3], 1, 'system', '{industry}',
    '{"id": "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11", "name": "Harbour Works", "industry": "food"}',
    '{"industry": "shipping"}',
    ('00000000-0000-7000-8000-' || lpad((n %% %(organizations)s)::text, 12, '0'))::uuid, false
FROM generate_series(%(first)s::bigint, %(last)s) AS n
"""


def main(rows: int = ROWS) -> None:
    """Measure, and print a line for each request."""
    with private_parts() as folder:
        app = create_app(Settings(var_dir=folder, default_limit=NO_LIMIT, query_seconds=86_400.0))
        with app.app_context():
            upgrade()
        operations(app)
        clock, requests = Clock(Path(folder)), _requests(Client(app, account_of(app)))
        for prepare in requests.values():  # what is compiled once is not measured
            prepare()()
        empty = {name: _milliseconds(clock, prepare) for name, prepare in requests.items()}
        _fill(folder, rows)
        for name, prepare in requests.items():
            full = _milliseconds(clock, prepare)
            print(f"{name}: {empty[name]:.2f} ms, over {rows:,} changes {full:.2f} ms")


def _fill(folder: str, rows: int) -> None:
    # The connections of the service give up a statement that takes this long.
    with psycopg.connect(database_url(folder), autocommit=True) as connection:
        for first in range(1, rows + 1, PORTION):
            asked = {"first": first, "last": min(rows, first + PORTION - 1), "rows": rows}
            connection.execute(FILL, {**asked, "organizations": ORGANIZATIONS})
            connection.execute("SELECT rowgate_number_changes()")
        # What PostgreSQL does about them by itself, later and beside others.
        connection.execute("VACUUM ANALYZE platform_change, platform_change_position")
        connection.execute("CHECKPOINT")


def _requests(client: Client) -> dict[str, Prepare]:
    company = client.made(COMPANY, {"name": "Harbour Works"})
    serial, gone = count(), client.made(COMPANY, {"name": "Gone"})
    for _ in range(100):
        client.ready("PUT", f"{COMPANY}/{company}", {"industry": f"of {next(serial)}"})()
    client.ready("DELETE", f"{COMPANY}/{gone}")()

    def feed() -> Work:
        since = orjson.loads(client.ready("GET", "/api/v1/_changes")())["meta"]["next"]
        client.ready("PUT", f"{COMPANY}/{company}", {"industry": f"of {next(serial)}"})()
        return client.ready("GET", f"/api/v1/_changes?since={since}")

    return {
        "read": lambda: client.ready("GET", f"{COMPANY}/{company}"),
        "list": lambda: client.ready("GET", COMPANY),
        "create": lambda: client.ready("POST", COMPANY, {"name": f"Works {next(serial)}"}, 201),
        "update": lambda: client.ready("PUT", f"{COMPANY}/{company}", {"industry": f"of {next(serial)}"}),
        "history": lambda: client.ready("GET", f"{COMPANY}/{company}/_history"),
        "deleted": lambda: client.ready("GET", f"{COMPANY}/_deleted"),
        "feed, one change": feed,
    }


def _milliseconds(clock: Clock, prepare: Prepare) -> float:
    found = []
    for _ in range(ROUNDS):
        works = [prepare() for _ in range(BATCH)]
        begun = clock.read()
        for work in works:
            work()
        found.append((clock.read() - begun) * 1000 / BATCH)
    return median(found)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
