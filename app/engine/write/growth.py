"""The statistics of tables that have grown: PostgreSQL plans by what it found at the last ANALYZE, and makes one by
itself only after a while, in which a condition over many new rows may run into its time limit.

Each process counts the rows that it has added, and has a table analyzed that has grown by a tenth: after the commit, on
a connection of its own, while nobody waits.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import psycopg
from flask import Flask, current_app
from psycopg import sql

from app.engine.declare.record import Record
from app.runtime import connections
from app.runtime.gevent_support import BoundedConnection
from config import Settings

if TYPE_CHECKING:
    from app.engine.write.unit_of_work import Unit

log = logging.getLogger(__name__)

# Rows at once that are worth counting, new rows that are worth a look, and the part of a table that they have to be.
AT_ONCE, LEAST, PART = 100, 500, 0.1
ROWS = "SELECT greatest(reltuples, 0) FROM pg_class WHERE oid = %s::regclass"
# Behind a pooler the session belongs to others, too: what is set here ends with the transaction.
LIMIT = "SELECT set_config('statement_timeout', %s, true)"


class Growth:
    """The tables of an application that have grown since this process had them analyzed last."""

    def __init__(self, app: Flask) -> None:
        self._settings: Settings = app.config["SETTINGS"]
        self._added: Counter[str] = Counter()
        self._enough: dict[str, float] = {}
        self._lock = threading.Lock()
        self._runs = False

    def add(self, table: str, number: int) -> None:
        """Count so many rows more, and have the table analyzed once they are enough."""
        with self._lock:
            self._added[table] += number
            begins = not self._runs and bool(self._due())
            self._runs = self._runs or begins
        if begins:
            threading.Thread(target=self._run, name="growth", daemon=True).start()

    def _due(self) -> list[str]:
        return [table for table, number in self._added.items() if number >= self._enough.get(table, LEAST)]

    def _run(self) -> None:
        try:
            with closing(connections.connect(self._settings)) as connection:
                connection.autocommit = True
                connection.patience = self._settings.job_statement_timeout + connections.SLACK
                while tables := self._next():
                    for table, number in tables.items():
                        self._look_at(connection, table, number)
        except psycopg.Error as error:
            log.warning("Tables that have grown are left to PostgreSQL: %s", type(error).__name__)
            with self._lock:
                self._runs = False

    def _next(self) -> dict[str, int]:
        """The tables that are due, of which nothing is counted any more; where there are none, this run is over."""
        with self._lock:
            tables = {table: self._added.pop(table) for table in self._due()}
            self._runs = bool(tables)
            return tables

    def _look_at(self, connection: BoundedConnection, table: str, number: int) -> None:
        """Analyze a table that has grown by enough; of one that has not, count on."""
        known = connection.execute(ROWS, (table,)).fetchall()[0][0]
        if number >= known * PART:
            with connection.transaction():
                connection.execute(LIMIT, (str(round(self._settings.job_statement_timeout * 1000)),))
                connection.execute(sql.SQL("ANALYZE (SKIP_LOCKED) {}").format(sql.Identifier(table)))
            known = connection.execute(ROWS, (table,)).fetchall()[0][0]
            number = 0
        with self._lock:
            self._enough[table] = max(LEAST, known * PART)
            self._added[table] += number


def note(unit: Unit, model: type[Record], number: int) -> None:
    """Note that ``unit`` adds so many rows."""
    if number >= AT_ONCE:
        growth: Growth | None = current_app.extensions.get("growth")
        if growth is None:
            growth = current_app.extensions.setdefault("growth", Growth(current_app))
        unit.after_commit(partial(growth.add, model.__tablename__, number))
