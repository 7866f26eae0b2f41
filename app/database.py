"""The transaction, and what failures of the database mean to a caller."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import Index, Table, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from sqlalchemy.schema import ColumnCollectionConstraint

from app.errors import DatabaseFailure, Failure, ForeignKeyViolation, Invalid, Unavailable, UniqueViolation
from app.extensions import db
from app.models.base import Base, Field, by_table

UNIQUE, FOREIGN_KEY, CHECK = "23505", "23503", "23514"
# Lost races that a retry settles: serialization failure, deadlock, lock timeout.
RETRYABLE = ("40001", "40P01", "55P03")


@contextmanager
def transaction() -> Iterator[Session]:
    """Open the session of a write: committed at the end, rolled back by any exception, driver errors translated."""
    session: Session = db.session()
    try:
        yield session
        session.commit()
    except (DBAPIError, psycopg.Error) as error:
        session.rollback()
        raise translated(error) from error
    except BaseException:
        session.rollback()
        raise


def defer_constraints(session: Session) -> None:
    """Check deferrable references at commit: the cascade of a large removal reaches both ends of them."""
    session.execute(text("SET CONSTRAINTS ALL DEFERRED"))


def translated(error: DBAPIError | PoolTimeout | psycopg.Error) -> Failure:
    """Turn a database error into the failure a caller may see; driver text never passes."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, PoolTimeout) or _away(cause):
        return Unavailable()
    if isinstance(cause, psycopg.IntegrityError):
        return _violation(cause)
    return DatabaseFailure()


def _away(cause: BaseException | None) -> bool:
    """Whether the server is gone, starting, stopping or out of connections, or the race was lost to another."""
    if isinstance(cause, psycopg.InterfaceError):
        return True
    if not isinstance(cause, psycopg.OperationalError):
        return False
    state = cause.sqlstate or ""
    return not state or state in RETRYABLE or state[:2] in ("08", "53") or state[:3] == "57P"


def _violation(cause: psycopg.IntegrityError) -> Failure:
    table = Base.metadata.tables.get(cause.diag.table_name or "")
    rule = cause.diag.constraint_name or ""
    if table is None:
        return DatabaseFailure()
    if cause.sqlstate == UNIQUE:
        return UniqueViolation.on(_fields_of(table, rule))
    if cause.sqlstate == FOREIGN_KEY:
        return _broken_reference(table, rule, cause.diag.message_detail or "")
    if cause.sqlstate == CHECK:
        return Invalid("A value is outside its allowed range")
    return DatabaseFailure()


def _broken_reference(table: Table, rule: str, detail: str) -> Failure:
    if "still referenced" in detail:
        return ForeignKeyViolation(f"Still referred to by {by_table(table.name).qualified_name()}")
    return ForeignKeyViolation.on(_fields_of(table, rule)[0])


def _fields_of(table: Table, rule: str) -> list[str]:
    """Wire names of the columns under the constraint or index called ``rule``, those that callers write first."""
    for each in (*table.constraints, *table.indexes):
        if isinstance(each, ColumnCollectionConstraint | Index) and each.name == rule:
            fields = [field for field in map(_field(table).get, (column.name for column in each.columns)) if field]
            written = [field.name for field in fields if field.wire.writable and not _is_owner(table, field)]
            return written or [field.name for field in fields]
    return ["id"]


def _field(table: Table) -> dict[str, Field]:
    return {field.column.name: field for field in by_table(table.name).fields().values() if field.column is not None}


def _is_owner(table: Table, field: Field) -> bool:
    return by_table(table.name).policy.scope.column == field.attribute
