"""How Alembic reaches the database and which tables it looks after."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

from alembic import context
from alembic.operations import ops
from alembic.util import CommandError
from flask import current_app
from sqlalchemy import Connection, text

from app.engine.declare.indexes import VECTORS
from app.engine.declare.record import VERSION, by_table, metadata
from app.schema import online
from app.schema.histories import OF_PLUGINS, PREFIX, History, orphaned_plugins, record_tables, recorded_tables
from app.schema.upgrade_locks import LockRetries

TURN = "SELECT pg_try_advisory_lock(hashtextextended('migrations', 0))"
POLL_INTERVAL = 0.2
DATABASE = current_app.extensions["migrate"].db
# Whose migrations these are: those of the trunk, or of a plugin.
HISTORY: History = context.config.attributes["history"]


def run_offline() -> None:
    """Write the SQL instead of running it."""
    context.configure(
        url="postgresql://", target_metadata=metadata, literal_binds=True, compare_type=True,
        version_table=HISTORY.version_table,
    )  # fmt: skip
    with context.begin_transaction():
        context.run_migrations()


def run_online() -> None:
    is_own = belonging()
    with DATABASE.engine.connect() as connection:
        try:
            migrate(connection, is_own)
        finally:
            connection.invalidate()  # the next one has the usual limits, and the turn is over


def migrate(connection: Connection, is_own: Callable[[str], bool]) -> None:
    """Run the migrations that are asked for, each in a transaction of its own."""
    take_time(connection)
    tries = LockRetries(connection, current_app.config["SETTINGS"])

    def is_ours(name: str | None, kind: str, _parents: Any) -> bool:
        return kind != "table" or is_own(name or "")

    def is_considered(thing: Any, name: str | None, kind: str, reflected: bool, other: Any) -> bool:
        table = name if kind == "table" else getattr(getattr(thing, "table", None), "name", None)
        return (table is None or is_own(table)) and is_comparable(thing, name, kind, reflected, other)

    def note(**_: Any) -> None:
        record_tables(lambda sql: connection.execute(text(sql.replace(":", r"\:"))), HISTORY)
        tries.succeed()
        if steps is not None:
            steps.end_migration()

    context.configure(
        connection=connection,
        target_metadata=metadata,
        compare_type=True,
        include_name=is_ours,
        include_object=is_considered,
        process_revision_directives=finish,
        version_table=HISTORY.version_table,
        on_version_apply=note,
        transaction_per_migration=True,
    )

    steps = step_by_step(connection, tries)

    def run() -> None:
        with warnings.catch_warnings():
            # The library looks at the tables of the log as well, which nobody compares.
            warnings.filterwarnings("ignore", "Did not recognize type '(xid8|pg_snapshot)'")
            context.run_migrations()
        connection.commit()  # also where there was none to run

    tries.run(run)
    if steps is not None:
        online.clear(connection)


def step_by_step(connection: Connection, tries: LockRetries) -> online.OnlineImpl | None:
    """Have migrations carried out step by step, where that is asked for or was begun. In an empty database, nobody
    waits."""
    migration = context.get_context()
    is_begun = online.is_under_way(connection, HISTORY.version_table)
    is_asked = context.config.attributes.get("online")
    if is_begun and is_asked is None and not migration.opts.get("dont_mutate"):
        raise CommandError("An upgrade was broken off within a migration: flask db upgrade goes on with it")
    is_needed = (is_asked or is_begun) and is_asked is not None and migration.get_current_heads()
    connection.commit()
    return online.OnlineImpl.install(migration, HISTORY.version_table, tries.succeed) if is_needed else None


def take_time(connection: Connection) -> None:
    """Let migrations take as long as they need, and wait for whoever else migrates at this time: what they have done
    need not be done again."""
    connection.connection.driver_connection.patience = None  # type: ignore[union-attr]
    for setting in ("statement_timeout", "idle_in_transaction_session_timeout", "lock_timeout"):
        connection.execute(text(f"SET {setting} = 0"))
    waits = False
    while not connection.scalar(text(TURN)):
        # Indexes that are made beside all writes wait for whoever is within a transaction.
        connection.commit()
        if not waits:
            context.config.print_stdout("Waiting for another upgrade to end")
        waits = True
        time.sleep(POLL_INTERVAL)
    connection.commit()


def belonging() -> Callable[[str], bool]:
    """Tells the tables of this history from those of others, and of the library that brings the job queue. A plugin has
    those that it declares or has declared; everything else is the trunk's, where all domains of the product are served,
    and of others what these declare."""
    left = orphaned_plugins()
    of_plugins = {table for each in (*OF_PLUGINS, *left) for table in each.tables}
    own = {*HISTORY.tables, *recorded_tables(HISTORY)}
    is_whole = not current_app.config["SETTINGS"].domains

    def is_own(name: str) -> bool:
        if HISTORY.plugin:
            return name in own
        is_others = name in {*of_plugins, online.COUNTS} or name.startswith(
            ("procrastinate_", "platform_change", PREFIX)
        )
        return not is_others and (is_whole or name in metadata.tables)

    return is_own


def is_comparable(_thing: Any, name: str | None, kind: str, _reflected: bool, other: Any) -> bool:
    """Compare no indexes in the order of lists that are on both sides, as collations are not read back from the server;
    and none that ``flask db search-indexes`` made, nor those of vectors of a knowledge base."""
    if kind != "index":
        return True
    called = name or ""
    is_made_apart = called.endswith("_trgm") or called.startswith(VECTORS)
    return not (is_made_apart or (called.endswith("_sorted") and other is not None))


def finish(_context: Any, _revision: Any, directives: list[Any]) -> None:
    """Write no revision when nothing has changed, and have the versions of new tables raised."""
    options = getattr(context.config, "cmd_opts", None)
    if not getattr(options, "autogenerate", False):
        return
    operations = directives[0].upgrade_ops
    if operations.is_empty():
        directives.clear()
        return
    for each in (operations, directives[0].downgrade_ops):
        keep_versions(each)


def keep_versions(operations: Any) -> None:
    """Have the versions of new tables raised, also of those that a step back makes again."""
    for table in [each for each in operations.ops if _is_versioned_by(each)]:
        is_declared = table.table_name in metadata.tables
        names = (table.table_name, *(by_table(table.table_name).bookkeeping if is_declared else ()))
        operations.ops.append(ops.ExecuteSQLOp(f"SELECT rowgate_keep_version({', '.join(map(repr, names))})"))


def _is_versioned_by(operation: Any) -> bool:
    """Whether an operation gives a table its versions: a new table, or a new column of one that is there."""
    if isinstance(operation, ops.CreateTableOp):
        return any(getattr(column, "name", None) == VERSION for column in operation.columns)
    added = getattr(operation, "ops", ())
    return any(isinstance(each, ops.AddColumnOp) and each.column.name == VERSION for each in added)


if context.is_offline_mode():
    run_offline()
else:
    run_online()
