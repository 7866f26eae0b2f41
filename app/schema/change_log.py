"""The triggers of the log of changes and of counters: made, replaced and taken away after migrations, as the models
declare them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
from flask import current_app
from psycopg import sql

from app.engine.changes import triggers
from app.engine.declare.catalogue import every_model
from app.engine.declare.counters import countings
from app.engine.declare.record import Record
from app.engine.read.database import RETRYABLE
from app.engine.read.statements import autocommit_connection
from app.foundation.errors import Failure
from config import Settings

# Seconds that a table is waited for at a time, and between two tries: whoever writes meanwhile waits behind it.
LOCK_TIMEOUT, PAUSE = 1.0, 1.0
POLL_INTERVAL = 0.2
TRY_TURN = "SELECT pg_try_advisory_lock(hashtextextended('triggers of changes', 0))"
END_TURN = "SELECT pg_advisory_unlock(hashtextextended('triggers of changes', 0))"
HAS_LOG = "SELECT to_regclass('platform_change') IS NOT NULL"
INSTALLED = """
SELECT c.relname, coalesce(array_agg(t.tgname::text) FILTER (WHERE t.tgname IS NOT NULL), '{}'), max(p.prosrc)
FROM pg_class AS c
LEFT JOIN pg_trigger AS t ON t.tgrelid = c.oid AND t.tgname LIKE 'rowgate\\_log\\_%%'
LEFT JOIN pg_proc AS p ON p.proname = 'rowgate_log_' || c.relname AND p.pronamespace = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY (%(tables)s)
GROUP BY c.relname
"""


COUNTED = """
SELECT c.relname, t.tgname, p.proname, p.prosrc FROM pg_trigger AS t
JOIN pg_class AS c ON c.oid = t.tgrelid AND c.relnamespace = current_schema()::regnamespace
JOIN pg_proc AS p ON p.oid = t.tgfoid
WHERE t.tgname LIKE 'rowgate\\_count\\_%%' AND c.relname = ANY (%(tables)s)
"""
COLUMNS = """
SELECT c.relname, a.attname FROM pg_attribute AS a
JOIN pg_class AS c ON c.oid = a.attrelid AND c.relnamespace = current_schema()::regnamespace
WHERE NOT a.attisdropped AND c.relname = ANY (%(tables)s)
"""

# Without the log nothing of it is kept, and nobody goes on behind what was not written down.
FORGET = (
    "TRUNCATE platform_change, platform_change_position",
    "UPDATE platform_change_sequencer SET epoch = gen_random_uuid()",
)
HAS_ROWS = "SELECT EXISTS (SELECT 1 FROM {})"
BEGIN = "UPDATE platform_change_sequencer SET since = clock_timestamp()"


class TriggersMissed(Failure):
    """Tables whose triggers could not be made in time, as others held them."""


def install() -> list[str]:
    """Have the tables of logged models write their changes down, and all others not; return the tables where something
    was done. Raises TriggersMissed."""
    with autocommit_connection("writes") as connection:
        if not connection.execute(HAS_LOG).fetchall()[0][0]:
            return []
        with _turn(connection):
            return _install(connection)


def _install(connection: Any) -> list[str]:
    keeps = current_app.config["SETTINGS"].changes_days > 0
    if keeps:
        connection.execute("SELECT rowgate_make_change_partitions(7)")
    found = list(_differences(connection))
    done = [_do(connection, each) for each in found]
    if keeps and any(each.begins and _has_rows(connection, each.table) for each in found):
        connection.execute(BEGIN)
    for statement in FORGET if done and not keeps else ():
        connection.execute(statement)
    return done


@contextmanager
def _turn(connection: Any) -> Iterator[None]:
    """Wait for whoever else does the same at this time."""
    while not connection.execute(TRY_TURN).fetchall()[0][0]:
        time.sleep(POLL_INTERVAL)
    try:
        yield
    finally:
        connection.execute(END_TURN)


def differences() -> list[str]:
    """The tables whose triggers are not as their models declare them."""
    with autocommit_connection() as connection:
        return list(dict.fromkeys(each.table for each in _differences(connection)))


def begin_epoch() -> None:
    """Have those who follow the changes begin anew: the database has been restored from a backup."""
    with autocommit_connection("writes") as connection:
        if connection.execute(HAS_LOG).fetchall()[0][0]:
            connection.execute("UPDATE platform_change_sequencer SET server = ''")


class Difference(NamedTuple):
    """A statement that brings a table where its model has it, and whether the table begins to be logged by it."""

    table: str
    statement: sql.Composed
    begins: bool = False


def _has_rows(connection: Any, table: str) -> bool:
    found: bool = connection.execute(sql.SQL(HAS_ROWS).format(sql.Identifier(table))).fetchall()[0][0]
    return found


def _differences(connection: Any) -> Iterator[Difference]:
    """The statements that bring each table where its model has it."""
    keeps = current_app.config["SETTINGS"].changes_days > 0
    models = {model.__tablename__: model for model in every_model()}
    for table, present, source in connection.execute(INSTALLED, {"tables": list(models)}).fetchall():
        if keeps and models[table].logged:
            yield from _missing(models[table], set(present), source)
        else:
            for name in present:
                yield Difference(table, _dropped(name, table))
    yield from _of_counters(connection, models)


def _of_counters(connection: Any, models: Mapping[str, type[Record]]) -> Iterator[Difference]:
    """The statements that bring counters where the models have them, each with its triggers in one transaction. Those
    of a model whose migration is still to be written wait for it."""
    declared = [each for model in models.values() for each in countings(model)]
    needed = sorted({table for each in declared for table, _ in each.columns})
    columns = set(connection.execute(COLUMNS, {"tables": needed}).fetchall())
    wanted = {each.name: each for each in declared if columns.issuperset(each.columns)}
    found = connection.execute(COUNTED, {"tables": sorted({*needed, *models})}).fetchall()
    kept = {name for _, _, name, source in found if name in wanted and wanted[name].body == source}
    for name in wanted.keys() - kept:
        yield Difference(wanted[name].table, sql.SQL(wanted[name].statements))  # type: ignore[arg-type]
    for table, trigger, name, _ in found:
        if name not in wanted and name.removesuffix("_zero") not in wanted:
            yield Difference(table, _dropped(trigger, table))


def _dropped(name: str, table: str) -> sql.Composed:
    return sql.SQL("DROP TRIGGER {} ON {}").format(sql.Identifier(name), sql.Identifier(table))


def _missing(model: type[Record], present: set[str], source: str | None) -> Iterator[Difference]:
    table, function = sql.Identifier(model.__tablename__), sql.Identifier(triggers.function_name(model))
    body = triggers.function_body(model)
    if source != body:
        create = sql.SQL("CREATE OR REPLACE FUNCTION {}() RETURNS trigger LANGUAGE plpgsql AS {}")
        yield Difference(model.__tablename__, create.format(function, sql.Literal(body)))
    for name, text in triggers.TRIGGERS.items():
        if name not in present:
            made = sql.SQL("CREATE TRIGGER {} ").format(sql.Identifier(name))
            made += sql.SQL(text).format(table=table, function=function)
            yield Difference(model.__tablename__, made, begins=True)


def _do(connection: Any, wanted: Difference) -> str:
    """Carry one statement out, waiting for its table for a moment at a time."""
    settings: Settings = current_app.config["SETTINGS"]
    until = time.monotonic() + settings.database_upgrade_wait
    while True:
        try:
            with connection.transaction():
                connection.execute(f"SET LOCAL lock_timeout = {round(LOCK_TIMEOUT * 1000)}")
                connection.execute(wanted.statement)
                return wanted.table
        except psycopg.Error as error:
            if error.sqlstate not in RETRYABLE:
                raise
            if time.monotonic() > until:
                text = f"The table {wanted.table} was in use for too long: run flask db upgrade again"
                raise TriggersMissed(text) from error
        time.sleep(PAUSE)
