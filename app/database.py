"""The transaction, and what failures of the database mean to a caller."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Any, TypeVar, cast

import psycopg
from sqlalchemy import Index, Table, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from sqlalchemy.schema import ColumnCollectionConstraint

from app import embedded
from app.errors import DatabaseFailure, Failure, ForeignKeyViolation, Invalid, Unavailable, UniqueViolation
from app.extensions import db
from app.models.base import Base, Field, by_table
from config import Settings

F = TypeVar("F", bound=Callable[..., Any])

# What the session of a transaction is to do at its end.
AFTER_COMMIT, ON_ROLLBACK = "after_commit", "on_rollback"

UNIQUE, FOREIGN_KEY, CHECK = "23505", "23503", "23514"
# Lost races that a retry settles: serialization failure, deadlock, lock timeout.
TRIES = 3
RETRYABLE = ("40001", "40P01", "55P03")


class LostRace(Unavailable):
    """A transaction that the database ended in favour of another; nothing of it remains."""


def server_url(settings: Settings) -> str:
    """Where the database of ``settings`` is, as libpq reads it. The embedded one tells that only while it runs."""
    url = settings.database_url or embedded.database_url(settings.var_dir)
    return re.sub(r"^postgres(ql)?(\+psycopg)?://", "postgresql://", url)


@contextmanager
def transaction(*, removing: bool = False) -> Iterator[Session]:
    """Open the session of a write: committed at the end, rolled back by any exception, driver errors translated.
    ``removing`` says that a broken reference is one to the rows that go."""
    session: Session = db.session()
    try:
        yield session
        session.commit()
    except (DBAPIError, psycopg.Error) as error:
        _undo(session)
        raise translated(error, removing=removing) from error
    except BaseException:
        _undo(session)
        raise
    session.info.pop(ON_ROLLBACK, None)
    for action in session.info.pop(AFTER_COMMIT, []):
        action()


def _undo(session: Session) -> None:
    session.rollback()
    session.info.pop(AFTER_COMMIT, None)
    for action in session.info.pop(ON_ROLLBACK, []):
        action()


def retried(write: F) -> F:
    """Run a function that opens a transaction again when it lost a race that the next try settles."""

    @wraps(write)
    def run(*args: Any, **options: Any) -> Any:
        for _ in range(TRIES - 1):
            with suppress(LostRace):
                return write(*args, **options)
        return write(*args, **options)

    return cast(F, run)


def take_turn(session: Session, name: str) -> None:
    """Wait for whoever else is at ``name``, and keep it until this transaction ends."""
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0))))


def defer_constraints(session: Session) -> None:
    """Check deferrable references at commit: the cascade of a large removal reaches both ends of them."""
    session.execute(text("SET CONSTRAINTS ALL DEFERRED"))


def translated(error: DBAPIError | PoolTimeout | psycopg.Error, *, removing: bool = False) -> Failure:
    """Turn a database error into the failure a caller may see; driver text never passes."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if getattr(cause, "sqlstate", None) in RETRYABLE:
        return LostRace()
    if isinstance(cause, PoolTimeout) or _away(cause):
        return Unavailable()
    if isinstance(cause, psycopg.IntegrityError):
        return _violation(cause, removing)
    return DatabaseFailure()


def _away(cause: BaseException | None) -> bool:
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
    if table is None:
        return DatabaseFailure()
    if cause.sqlstate == UNIQUE:
        return UniqueViolation.on(_fields_of(table, rule))
    if cause.sqlstate == FOREIGN_KEY and removing:
        return ForeignKeyViolation(f"Still referred to by {by_table(table.name).qualified_name()}")
    if cause.sqlstate == FOREIGN_KEY:
        return ForeignKeyViolation.on(_fields_of(table, rule)[0])
    if cause.sqlstate == CHECK:
        return Invalid("A value is outside its allowed range")
    return DatabaseFailure()


def _fields_of(table: Table, rule: str) -> list[str]:
    """Wire names of the columns under the constraint or index called ``rule``, those that callers write first."""
    for each in (*table.constraints, *table.indexes):
        if isinstance(each, ColumnCollectionConstraint | Index) and each.name == rule:
            switch = str(each.dialect_options["postgresql"]["where"]) if isinstance(each, Index) else ""
            if switch in table.columns:
                return [_field(table)[switch].name]  # one row may have it switched on
            fields = [field for field in map(_field(table).get, (column.name for column in each.columns)) if field]
            written = [field.name for field in fields if field.wire.writable and not _is_owner(table, field)]
            return written or [field.name for field in fields]
    return ["id"]


def _field(table: Table) -> dict[str, Field]:
    return {field.column.name: field for field in by_table(table.name).fields().values() if field.column is not None}


def _is_owner(table: Table, field: Field) -> bool:
    return by_table(table.name).policy.scope.column == field.attribute
