"""python -m bench.changes: what it costs that changes are written down, and what reading and undoing them takes.

Requests with the log and without it take turns; told are ratios of the processor time of this process and of PostgreSQL
together, on models of four shapes, and of arrays of 1,000 records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from uuid import UUID, uuid4

import orjson
from flask import Flask
from sqlalchemy import text

from app.engine.changes import undoing
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.extensions import db
from app.factory import create_app
from app.schema.histories import upgrade
from bench import documentation
from bench.gate.operations import Client, Work, account_of, operations
from bench.processes import cpu_seconds
from bench.servers import NO_LIMIT, private_parts
from bench.shapes import SHAPES
from config import Settings

ROUNDS, BATCH = 40, 50
ARRAY, ARRAYS = 1000, 16
COMPANY = "/api/v1/crm/company"
COMPANIES = f"{COMPANY}?return=minimal"
VERSIONS, UNDONE = 1000, (10_000, 100_000)
TABLES = ("crm_contact", "crm_company", "crm_deal", "ai_research_source", "auth_team")
SWITCH = "ALTER TABLE {table} {verb} TRIGGER rowgate_log_{event}"

Prepare = Callable[[], Work]


def main() -> None:
    """Measure, print and keep a line for each operation."""
    with private_parts() as folder:
        app = create_app(Settings(var_dir=folder, default_limit=NO_LIMIT, query_seconds=86_400.0))
        with app.app_context():
            upgrade()
        made = operations(app)
        client, clock = Client(app, account_of(app)), Clock(Path(folder))
        told = "\n".join([f"Measured on {datetime.now(UTC).date()}.", "", *_costs(app, client, clock, made), "",
                          *_ways_back(app, client)])  # fmt: skip
    print(told)
    documentation.fill("bench-changes", told)


def _costs(app: Flask, client: Client, clock: Clock, made: Mapping[str, Prepare]) -> list[str]:
    lines = ["| with the log, by without | create | update |", "| --- | ---: | ---: |"]
    for name, shape in SHAPES.items():
        found = (_ratio(app, clock, made[operation], BATCH, ROUNDS) for operation in (shape.create, shape.update))
        lines.append(f"| {name} | {' | '.join(found)} |")
    return [*lines, f"| plain, {ARRAY:,} at once | {_ratio(app, clock, _array(client), 1, ARRAYS)} | |"]


def _ways_back(app: Flask, client: Client) -> list[str]:
    """Seconds of processor time for a page of a history, and seconds for undos of one transaction."""
    company, serial = client.made(COMPANY, {"name": "Harbour Works"}), count()
    for _ in range(VERSIONS):
        client.ready("PUT", f"{COMPANY}/{company}", {"industry": f"of {next(serial)}"})()
    path = f"{COMPANY}/{company}/_history?take=100"
    histories = []
    for work in [client.ready("GET", path) for _ in range(ARRAYS)]:
        begun = process_time()
        work()
        histories.append(process_time() - begun)
    lines = ["| | |", "| --- | ---: |"]
    lines.append(
        f"| a page of 100 versions of a record that has {VERSIONS:,}, of processor time | {median(histories):.3f} s |"
    )
    for rows in UNDONE:
        ids, written = _created(app, client, rows)
        lines.append(f"| undo of {rows:,} new records | {_undo(app, written):.1f} s |")
        ids, _ = _created(app, client, rows)
        lines.append(f"| undo of the deletion of {rows:,} records | {_undo(app, _deleted(app, client, ids)):.1f} s |")
    return lines


def _created(app: Flask, client: Client, number: int) -> tuple[list[str], UUID]:
    """The ids of so many new records, and the transaction that has made them all."""
    rows = [{"name": f"Harbour Works {row}", "industry": "shipping"} for row in range(ARRAY)]
    with _one_transaction(app) as transaction:
        answers = [client.ready("POST", COMPANY, rows, 201)() for _ in range(number // ARRAY)]
    return [each["id"] for answer in answers for each in orjson.loads(answer)["data"]], transaction


def _deleted(app: Flask, client: Client, ids: Sequence[str]) -> UUID:
    with _one_transaction(app) as transaction:
        for start in range(0, len(ids), ARRAY):
            client.ready("DELETE", COMPANY, {"ids": ids[start : start + ARRAY]})()
    return transaction


@contextmanager
def _one_transaction(app: Flask) -> Iterator[UUID]:
    """Has the log say of all that is written within that it is of one transaction, as it says of a job."""
    transaction = uuid4()
    with app.app_context(), db.engine.connect() as connection:
        before = connection.scalar(text("SELECT max(seq) FROM platform_change"))
        yield transaction
        known = {"transaction": transaction, "before": before}
        connection.execute(text("UPDATE platform_change SET transaction = :transaction WHERE seq > :before"), known)
        connection.commit()


def _undo(app: Flask, transaction: UUID) -> float:
    begun = perf_counter()
    with app.app_context():
        run_unit(SYSTEM, undoing.undo, transaction, undoing.MAX_UNDONE)
    return perf_counter() - begun


class Clock:
    """Processor time of this process and of the PostgreSQL under ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._postgres = int((folder / "postgres" / "postmaster.pid").read_text().split()[0])

    def read(self) -> float:
        return process_time() + cpu_seconds([self._postgres])


def _array(client: Client) -> Prepare:
    serial = count()

    def prepare() -> Work:
        rows = [{"name": f"Harbour Works {next(serial)}", "industry": "shipping"} for _ in range(ARRAY)]
        return client.ready("POST", COMPANIES, rows, 201)

    return prepare


def _ratio(app: Flask, clock: Clock, prepare: Prepare, batch: int, rounds: int) -> str:
    """The median of the ratios of rounds with the log to those without it, with the lowest and the highest."""
    found = []
    for turn in range(rounds):
        taken = {}
        for with_log in (True, False) if turn % 2 else (False, True):
            _switch(app, with_log=with_log)
            works = [prepare() for _ in range(batch)]
            begun = clock.read()
            for work in works:
                work()
            taken[with_log] = clock.read() - begun
        found.append(taken[True] / taken[False])
    _switch(app, with_log=True)
    return f"{median(found):.2f} ({min(found):.2f} to {max(found):.2f})"


def _switch(app: Flask, *, with_log: bool) -> None:
    with app.app_context(), db.engine.connect() as connection:
        for table in TABLES:
            for event in ("insert", "update", "delete"):
                verb = "ENABLE" if with_log else "DISABLE"
                connection.execute(text(SWITCH.format(table=table, verb=verb, event=event)))
        connection.commit()


if __name__ == "__main__":
    main()
