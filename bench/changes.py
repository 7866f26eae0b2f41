"""python -m bench.changes: what it costs that changes are written down. Requests with the log and without it take
turns; told are ratios of the processor time of this process and of PostgreSQL together, on models of four shapes, and
of arrays of 1,000 records."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from statistics import median
from time import process_time

from flask import Flask
from sqlalchemy import text

from app.extensions import db
from app.factory import create_app
from app.schema.histories import upgrade
from bench.gate.operations import Client, Work, account_of, operations
from bench.processes import cpu_seconds
from bench.servers import NO_LIMIT, private_parts
from bench.shapes import SHAPES
from config import Settings

ROUNDS, BATCH = 40, 50
ARRAY, ARRAYS = 1000, 16
COMPANIES = "/api/v1/crm/company?return=minimal"
TABLES = ("crm_contact", "crm_company", "crm_deal", "ai_research_source", "auth_team")
SWITCH = "ALTER TABLE {table} {verb} TRIGGER rowgate_log_{event}"

Prepare = Callable[[], Work]


def main() -> None:
    """Measure, and print a line for each operation."""
    with private_parts() as folder:
        app = create_app(Settings(var_dir=folder, default_limit=NO_LIMIT, query_seconds=86_400.0))
        with app.app_context():
            upgrade()
        made = operations(app)
        clock = Clock(Path(folder))
        for name, shape in SHAPES.items():
            for verb, operation in (("create", shape.create), ("update", shape.update)):
                print(f"{name}, {verb}: {_ratio(app, clock, made[operation], BATCH, ROUNDS)}")
        print(f"create {ARRAY:,}: {_ratio(app, clock, _array(app), 1, ARRAYS)}")


class Clock:
    """Processor time of this process and of the PostgreSQL under ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._postgres = int((folder / "postgres" / "postmaster.pid").read_text().split()[0])

    def read(self) -> float:
        return process_time() + cpu_seconds([self._postgres])


def _array(app: Flask) -> Prepare:
    client, serial = Client(app, account_of(app)), count()

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
