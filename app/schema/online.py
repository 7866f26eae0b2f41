"""The steps of ``flask db upgrade --online``: migrations that requests do not notice, on tables of any size.

Each operation of a migration is a step: a transaction of its own, which counts it. An upgrade that was stopped, or that
did not get a lock, passes over the steps that are counted. Indexes are made beside all writes; constraints hold for new
rows first, and rows that are there are looked at without keeping anybody from writing. What rewrites a table, as a
change of its type or a column that is computed, locks it as ever.

What a migration does past Alembic (``op.get_bind().execute``) is part of the step that follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from hashlib import blake2b
from typing import Any

from alembic.ddl.postgresql import PostgresqlImpl
from alembic.operations import MigrateOperation, Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    Constraint,
    ForeignKeyConstraint,
    Index,
    MetaData,
    Table,
    UniqueConstraint,
    text,
)

# Rows of a backfill in one transaction.
BATCH = 5000
# Counts the steps of the migration that is under way, by the history that it is of.
COUNTS = "rowgate_upgrade"

MAKE = f"CREATE TABLE IF NOT EXISTS {COUNTS} (history text PRIMARY KEY, steps integer NOT NULL)"
IS_MADE = f"SELECT to_regclass('{COUNTS}') IS NOT NULL"
DONE = f"SELECT steps FROM {COUNTS} WHERE history = :history"  # noqa: S608
COUNT = f"""
INSERT INTO {COUNTS} VALUES (:history, :steps) ON CONFLICT (history) DO UPDATE SET steps = excluded.steps
"""  # noqa: S608
ANY = f"SELECT count(*) FROM {COUNTS}"  # noqa: S608
FORGET = f"DELETE FROM {COUNTS} WHERE history = :history"  # noqa: S608
INDEX_IS_VALID = """
SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name) AND indrelid = to_regclass(:table)
"""


def clear(connection: Connection) -> None:
    """Leave nothing behind, where no history has a migration that is half done."""
    if connection.scalar(text(IS_MADE)) and not connection.scalar(text(ANY)):
        connection.execute(text(f"DROP TABLE {COUNTS}"))
    connection.commit()


def is_under_way(connection: Connection, history: str) -> bool:
    """Whether an upgrade step by step was broken off within a migration of ``history``."""
    made = connection.scalar(text(IS_MADE))
    return bool(made) and connection.scalar(text(DONE), {"history": history}) is not None


class OnlineImpl(PostgresqlImpl):
    """Carries the operations of migrations out step by step."""

    # Beside that of PostgreSQL, not in its place: ``install`` puts it where it is asked for.
    __dialect__ = "postgresql-online"

    migration: MigrationContext
    history: str
    stepped: Callable[[], None]

    @classmethod
    def install(cls, migration: MigrationContext, history: str, stepped: Callable[[], None]) -> OnlineImpl:
        """Have ``migration`` carried out so; ``stepped`` is called after each step."""
        known = migration.impl
        made = cls(known.dialect, known.connection, known.as_sql, None, known.output_buffer, known.context_opts)
        made.migration, made.history, made.stepped = migration, history, stepped
        made._query(MAKE)
        made._bound.commit()
        migration.impl = made
        return made

    def start_migrations(self) -> None:
        """Begin, or begin again, with the first migration that the database has not."""
        super().start_migrations()
        self._begin_migration(self._query(DONE, history=self.history).scalar() or 0)

    def end_migration(self) -> None:
        """Forget the steps of a migration, in the transaction that notes its revision."""
        self._query(FORGET, history=self.history)
        self._begin_migration(0)

    def _begin_migration(self, done: int) -> None:
        self._number, self._done = 0, done
        self._new_tables: set[str] = set()

    # Operations.

    def create_table(self, table: Table, **options: Any) -> None:
        """Create a table with its indexes, which nobody else has yet."""
        self._step(partial(super().create_table, table, **options))
        self._new_tables.add(self._name_of(table))

    def drop_table(self, table: Table, **options: Any) -> None:
        self._step(partial(super().drop_table, table, **options))

    def rename_table(self, *names: Any, **options: Any) -> None:
        self._step(partial(super().rename_table, *names, **options))

    def add_column(self, table_name: str, column: Column[Any], **options: Any) -> None:
        self._step(partial(super().add_column, table_name, column, **options))

    def drop_column(self, table_name: str, column: Column[Any], **options: Any) -> None:
        self._step(partial(super().drop_column, table_name, column, **options))

    def alter_column(self, table_name: str, column_name: str, **options: Any) -> None:
        """Alter a column; where it may not be empty any more, rows are looked at before it is locked."""
        alter = partial(super().alter_column, table_name, column_name, **options)
        table = self._name_of(Table(table_name, MetaData(), schema=options.get("schema")))
        if options.get("nullable") is not False or table in self._new_tables:
            self._step(alter)
            return
        rule = f"set_{blake2b(f'{table}.{column_name}'.encode(), digest_size=8).hexdigest()}"
        column = self.dialect.identifier_preparer.quote(column_name)
        self._step(
            partial(self._exec, f"ALTER TABLE {table} ADD CONSTRAINT {rule} CHECK ({column} IS NOT NULL) NOT VALID")
        )
        self._step(partial(self._exec, f"ALTER TABLE {table} VALIDATE CONSTRAINT {rule}"))
        self._step(partial(self._drop_rule_after, alter, table, rule))

    def _drop_rule_after(self, alter: Callable[[], None], table: str, rule: str) -> None:
        alter()
        self._exec(f"ALTER TABLE {table} DROP CONSTRAINT {rule}")

    def create_index(self, index: Any, **options: Any) -> None:
        """Create an index beside all writes; half of one, as a stop leaves it, is made anew."""
        create = partial(super().create_index, index, **options)
        table, name = self._name_of(index.table), self.dialect.identifier_preparer.format_index(index)
        if table in self._new_tables:
            self._step(create)
            return

        def create_concurrently() -> None:
            is_valid = self._query(INDEX_IS_VALID, name=name, table=table).scalar()
            if is_valid is False:
                self._exec(f"DROP INDEX CONCURRENTLY {name}")
            if not is_valid:
                index.dialect_options["postgresql"]["concurrently"] = True
                create()

        self._step(create_concurrently, in_transaction=False)

    def drop_index(self, index: Index, **options: Any) -> None:
        index.dialect_options["postgresql"]["concurrently"] = True
        self._step(partial(super().drop_index, index, **options | {"if_exists": True}), in_transaction=False)

    def add_constraint(self, const: Any, **options: Any) -> None:
        """Have new rows meet a constraint, and then look whether those do that are there."""
        add = partial(super().add_constraint, const, **options)
        table, name = self._name_of(const.table), self.dialect.identifier_preparer.format_constraint(const)
        if table in self._new_tables or name is None:
            self._step(add)
        elif isinstance(const, UniqueConstraint):
            self._add_unique(const, table, name)
        elif isinstance(const, ForeignKeyConstraint | CheckConstraint):
            const.dialect_options["postgresql"]["not_valid"] = True
            self._step(add)
            self._step(partial(self._exec, f"ALTER TABLE {table} VALIDATE CONSTRAINT {name}"))
        else:
            self._step(add)

    def _add_unique(self, const: UniqueConstraint, table: str, name: str) -> None:
        """Make the index first, beside all writes."""
        given = const.dialect_options["postgresql"]
        kept = {f"postgresql_{each}": given[each] for each in ("nulls_not_distinct", "include") if given.get(each)}
        self.create_index(Index(str(const.name), *const.columns, unique=True, **kept))
        deferred = " DEFERRABLE" if const.deferrable else ""
        deferred += f" INITIALLY {const.initially}" if const.initially else ""
        self._step(
            partial(self._exec, f"ALTER TABLE {table} ADD CONSTRAINT {name} UNIQUE USING INDEX {name}{deferred}")
        )

    def drop_constraint(self, const: Constraint, **options: Any) -> None:
        self._step(partial(super().drop_constraint, const, **options))

    def bulk_insert(self, *arguments: Any, **options: Any) -> None:
        self._step(partial(super().bulk_insert, *arguments, **options))

    def execute(self, sql: Any, execution_options: dict[str, Any] | None = None) -> None:
        self._step(partial(super().execute, sql, execution_options))

    # Steps.

    def backfill(self, update: str, told: Callable[[int], None]) -> None:
        """Change rows some at a time, as one step: ``update`` finds no row that it has changed."""

        def change_all() -> None:
            done = 0
            while changed := self._bound.exec_driver_sql(update).rowcount:
                self._commit()
                done += changed
                told(done)

        self._step(change_all)

    def _step(self, work: Callable[[], object], *, in_transaction: bool = True) -> None:
        """Do a step of the migration, unless it is done."""
        self._number += 1
        if self._number <= self._done:
            return
        with nullcontext() if in_transaction else self._outside_of_transactions():
            work()
        self._query(COUNT, history=self.history, steps=self._number)
        self._commit()
        self._done = self._number
        self.stepped()

    @contextmanager
    def _outside_of_transactions(self) -> Iterator[None]:
        # A migration may have asked for that itself.
        with nullcontext() if self.migration._transaction is None else self.migration.autocommit_block():
            yield

    def _commit(self) -> None:
        """End the transaction, and begin another one."""
        with self._outside_of_transactions():
            pass

    @property
    def _bound(self) -> Connection:
        assert self.connection is not None  # noqa: S101 - nothing is written as SQL here
        return self.connection

    def _query(self, question: str, **values: Any) -> Any:
        return self._bound.execute(text(question), values)

    def _name_of(self, table: Table) -> str:
        return self.dialect.identifier_preparer.format_table(table)


@Operations.register_operation("backfill")
class Backfill(MigrateOperation):
    """``op.backfill("crm_deal", "stage = 'lead'", "stage IS NULL")``: changes of rows that are there, some at a time
    where the upgrade is online. The condition no longer holds for a row that is changed."""

    def __init__(self, table: str, changes: str, condition: str) -> None:
        self.table, self.changes, self.condition = table, changes, condition

    @classmethod
    def backfill(cls, operations: Operations, table: str, changes: str, condition: str) -> None:
        """Change the rows of ``table`` that meet ``condition``."""
        operations.invoke(cls(table, changes, condition))


@Operations.implementation_for(Backfill)
def _backfill(operations: Operations, asked: Backfill) -> None:
    impl, config = operations.migration_context.impl, operations.migration_context.config
    update = f"UPDATE {asked.table} SET {asked.changes}"  # noqa: S608 - of a migration
    if not isinstance(impl, OnlineImpl):
        operations.execute(f"{update} WHERE {asked.condition}")
        return
    some = f"SELECT id FROM {asked.table} WHERE {asked.condition} LIMIT {BATCH} FOR UPDATE"  # noqa: S608

    def tell(done: int) -> None:
        if config is not None:
            config.print_stdout(f"{asked.table}: {done} rows changed")

    impl.backfill(f"{update} WHERE id IN ({some})", tell)
