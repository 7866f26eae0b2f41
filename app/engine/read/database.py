"""Reading sessions, and the translation of database errors into failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import Index, Table, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from sqlalchemy.schema import ColumnCollectionConstraint

from app.engine.declare import rules
from app.engine.declare.record import Base, Field, by_table
from app.extensions import READS, db
from app.foundation.errors import (
    DatabaseFailure,
    Failure,
    ForeignKeyViolation,
    Invalid,
    Overlap,
    Unavailable,
    UniqueViolation,
)

# Where the session of a unit of work has it while it runs.
UNIT_KEY = "unit"
# And the driver's connection that this unit writes on, once it is known.
DRIVER_KEY = "driver"

UNIQUE, FOREIGN_KEY, CHECK, EXCLUSION = "23505", "23503", "23514", "23P01"
# Lost races that another run settles: serialization failure, deadlock, lock timeout.
RETRYABLE = ("40001", "40P01", "55P03")
# Statements and transactions that took longer than the settings allow; to repeat them would take as long.
TOO_SLOW = ("57014", "25P03")
# A pool without a free connection is a failure of SQLAlchemy's own.
DRIVER_ERRORS = (DBAPIError, PoolTimeout, psycopg.Error)


class LostRace(Unavailable):
    """A transaction that the database ended in favour of another; nothing of it remains."""


class OutcomeUnknown(Unavailable):
    """A commit whose answer was lost: what was written may be there or not, and is neither undone nor done again."""


@contextmanager
def translating() -> Iterator[None]:
    """Turn errors of the driver into failures, as ``translated`` does."""
    try:
        yield
    except DRIVER_ERRORS as error:
        raise translated(error) from error


def after_unit(action: Callable[[], None]) -> None:
    """Do ``action`` after the commit of the unit that is running, or now where none is."""
    unit = db.session().info.get(UNIT_KEY) if db.session.registry.has() else None
    if unit is None:
        action()
    else:
        unit.after_commit(action)


@contextmanager
def reading() -> Iterator[Session]:
    """Lend a session for queries, each a transaction of its own; what it has loaded is detached at the end. Driver
    errors are translated. Raises RuntimeError inside of a unit of work, whose writes it would not see."""
    if db.session.registry.has() and UNIT_KEY in db.session().info:
        raise RuntimeError("A unit of work reads with its own session")
    with translating(), Session(db.engines[READS], autoflush=False) as session:
        yield session


def defer_constraints(session: Session) -> None:
    """Check deferrable references later: the cascade of a large removal reaches both ends of them."""
    session.execute(text("SET CONSTRAINTS ALL DEFERRED"))


def check_constraints(session: Session) -> None:
    """Check what was deferred now, and references at once again: what follows in the unit is told what it breaks."""
    session.execute(text("SET CONSTRAINTS ALL IMMEDIATE"))


def translated(error: DBAPIError | PoolTimeout | psycopg.Error, *, removing: bool = False) -> Failure:
    """Turn a database error into the failure a caller may see; driver text never passes."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    state = getattr(cause, "sqlstate", None)
    if state in RETRYABLE:
        return LostRace()
    if state in TOO_SLOW or isinstance(cause, PoolTimeout) or _is_unreachable(cause):
        return Unavailable()
    if isinstance(cause, psycopg.IntegrityError):
        return _violation(cause, removing)
    return DatabaseFailure()


def is_definite_failure(error: DBAPIError | PoolTimeout | psycopg.Error) -> bool:
    """Whether the server itself has said that it failed, and goes on; a lost connection says nothing."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return bool(getattr(cause, "sqlstate", None)) and not _is_unreachable(cause)


def _is_unreachable(cause: BaseException | None) -> bool:
    """Whether the server is gone, starting, stopping or out of connections."""
    if isinstance(cause, psycopg.InterfaceError):
        return True
    if not isinstance(cause, psycopg.OperationalError):
        return False
    state = cause.sqlstate or ""
    return not state or state[:2] in ("08", "53") or state[:3] == "57P"


def _violation(cause: psycopg.IntegrityError, removing: bool) -> Failure:
    table = Base.metadata.tables.get(cause.diag.table_name or "")
    rule = cause.diag.constraint_name or ""
    if table is None and cause.sqlstate == FOREIGN_KEY and removing:
        return ForeignKeyViolation(
            f"Still referred to by the table {cause.diag.table_name} of a plugin that is not loaded"
        )
    if table is None:
        return DatabaseFailure()
    if cause.sqlstate == UNIQUE:
        return UniqueViolation.on(fields_of(table, rule))
    if cause.sqlstate == FOREIGN_KEY and removing:
        return ForeignKeyViolation(f"Still referred to by {by_table(table.name).qualified_name()}")
    if cause.sqlstate == FOREIGN_KEY:
        return ForeignKeyViolation.on(fields_of(table, rule)[0])
    if cause.sqlstate == EXCLUSION:
        return Overlap.on(fields_of(table, rule))
    if cause.sqlstate == CHECK:
        return broken_check(table, rule)
    return DatabaseFailure()


def broken_check(table: Table, rule: str) -> Failure:
    """What the check called ``rule`` says."""
    for each in rules.declared(table):
        if each.name == rule and "says" in each.info:
            name = _field(table)[each.info["columns"][0]].name
            return Invalid({name: [each.info["says"]]})
    return Invalid("A value is outside its allowed range")


def fields_of(table: Table, rule: str) -> list[str]:
    """Wire names of the columns under the constraint or index called ``rule``: those that callers write, where there
    are such, and without the owner that is theirs unless they say otherwise."""
    for declared in rules.declared(table):
        if declared.name == rule:
            return [_field(table)[column].name for column in declared.info["columns"]]
    for each in (*table.constraints, *table.indexes):
        if isinstance(each, ColumnCollectionConstraint | Index) and each.name == rule:
            switch = str(each.dialect_options["postgresql"]["where"]) if isinstance(each, Index) else ""
            if switch in table.columns:
                return [_field(table)[switch].name]  # one row may have it switched on
            fields = [field for field in map(_field(table).get, (column.name for column in each.columns)) if field]
            written = [field.name for field in fields if field.spec.writable and not _is_owner(table, field)]
            return written or [field.name for field in fields]
    return ["id"]


def _field(table: Table) -> dict[str, Field]:
    return {field.column.name: field for field in by_table(table.name).fields().values() if field.column is not None}


def _is_owner(table: Table, field: Field) -> bool:
    return field.spec.has_default and by_table(table.name).policy.scope.column == field.attribute
