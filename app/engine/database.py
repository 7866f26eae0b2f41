"""The transaction, and what failures of the database mean to a caller."""

from __future__ import annotations

import logging
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

from app.engine.record import Base, Field, by_table
from app.extensions import db
from app.foundation.errors import DatabaseFailure, Failure, ForeignKeyViolation, Invalid, Unavailable, UniqueViolation

log = logging.getLogger(__name__)

F = TypeVar("F", bound=Callable[..., Any])

# What the session of a transaction is to do at its end.
AFTER_COMMIT, ON_ROLLBACK = "after_commit", "on_rollback"

UNIQUE, FOREIGN_KEY, CHECK = "23505", "23503", "23514"
# Lost races that a retry settles: serialization failure, deadlock, lock timeout.
TRIES = 3
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
def transaction(*, removing: bool = False) -> Iterator[Session]:
    """Open the session of a write: committed at the end, rolled back by any exception, driver errors translated.
    ``removing`` says that a broken reference is one to the rows that go.

    Raises OutcomeUnknown when the answer of the commit is lost.
    """
    session: Session = db.session()
    try:
        yield session
        session.flush()  # so that what fails from here on is the commit
    except DRIVER_ERRORS as error:
        _roll_back(session)
        raise translated(error, removing=removing) from error
    except BaseException:
        _roll_back(session)
        raise
    try:
        session.commit()
    except DRIVER_ERRORS as error:
        failure = translated(error, removing=removing)
        certain = is_answer(error)
        _roll_back(session, undo=certain)
        raise (failure if certain else OutcomeUnknown()) from error
    except BaseException:
        _roll_back(session, undo=False)
        raise
    session.info.pop(ON_ROLLBACK, None)
    _carry_out(session.info.pop(AFTER_COMMIT, []))


def _roll_back(session: Session, *, undo: bool = True) -> None:
    """End a transaction that failed; ``undo`` what was done outside of the database for its sake."""
    # The next transaction of this context has actions of its own, whatever happens here.
    session.info.pop(AFTER_COMMIT, None)
    actions = session.info.pop(ON_ROLLBACK, [])
    try:
        session.rollback()
    except DRIVER_ERRORS as error:
        log.warning("A connection was lost before its transaction was rolled back: %s", type(error).__name__)
        session.invalidate()
    if undo:
        _carry_out(actions)


def _carry_out(actions: list[Callable[[], None]]) -> None:
    """Do what follows the end of a transaction. It has ended, so one failure is neither the caller's nor that of the
    other actions."""
    for action in actions:
        try:
            action()
        except Exception:
            log.exception("What follows a transaction has failed")


def after_commit(session: Session, action: Callable[[], None]) -> None:
    """Do ``action`` once the transaction of ``session`` is safe."""
    session.info.setdefault(AFTER_COMMIT, []).append(action)


def on_rollback(session: Session, action: Callable[[], None]) -> None:
    """Do ``action`` should the transaction of ``session`` certainly come to nothing."""
    session.info.setdefault(ON_ROLLBACK, []).append(action)


def retried(write: F) -> F:
    """Run a function that opens a transaction again when it lost a race that the next try settles."""

    @wraps(write)
    def run(*args: Any, **options: Any) -> Any:
        for _ in range(TRIES - 1):
            with suppress(LostRace):
                return write(*args, **options)
        return write(*args, **options)

    return cast(F, run)


def advisory_lock(session: Session, name: str) -> None:
    """Wait for whoever else is at ``name``, and keep it until this transaction ends."""
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0))))


def defer_constraints(session: Session) -> None:
    """Check deferrable references at commit: the cascade of a large removal reaches both ends of them."""
    session.execute(text("SET CONSTRAINTS ALL DEFERRED"))


def translated(error: DBAPIError | PoolTimeout | psycopg.Error, *, removing: bool = False) -> Failure:
    """Turn a database error into the failure a caller may see; driver text never passes."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    state = getattr(cause, "sqlstate", None)
    if state in RETRYABLE:
        return LostRace()
    if state in TOO_SLOW or isinstance(cause, PoolTimeout) or _away(cause):
        return Unavailable()
    if isinstance(cause, psycopg.IntegrityError):
        return _violation(cause, removing)
    return DatabaseFailure()


def is_answer(error: DBAPIError | PoolTimeout | psycopg.Error) -> bool:
    """Whether the server itself has said that it failed, and goes on; a lost connection says nothing."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return bool(getattr(cause, "sqlstate", None)) and not _away(cause)


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
