"""Reads as SQL text: each statement is compiled once for what it answers and for each kind of reader.

Building and hashing a SQLAlchemy expression costs more than PostgreSQL takes to answer it, so the expression is
built once and only its text and parameters travel afterwards; psycopg prepares the text on the server.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import psycopg
from flask import current_app
from sqlalchemy import Select, Uuid, bindparam, select
from sqlalchemy.orm import Session

from app.engine.declare.principal import Reader
from app.engine.declare.record import Record
from app.engine.read.database import DRIVER_ERRORS, DRIVER_KEY, UNIT_KEY, translated
from app.engine.read.encoding import STATEMENTS_KEPT, Projection, view
from app.engine.read.fragments import DIALECT
from app.extensions import db
from app.foundation.errors import Failure, QueryTimeout
from app.runtime import connections
from app.runtime.gevent_support import BoundedConnection
from app.runtime.kept_connections import AutocommitPool, CheckedOut

Row = tuple[Any, ...]
T = TypeVar("T")
SET_TIMEOUT = "SELECT set_config('statement_timeout', %s, true)"
USUAL_TIMEOUT = "SET LOCAL statement_timeout TO DEFAULT"


@dataclass(frozen=True)
class Statement:
    """SQL text with the parameters that never change."""

    sql: str
    fixed: Mapping[str, Any]

    def rows(self, connection: BoundedConnection, parameters: Mapping[str, Any]) -> list[Row]:
        return connection.rows(self.sql, {**self.fixed, **parameters})

    def rows_in_time(self, connection: BoundedConnection, parameters: Mapping[str, Any]) -> list[Row]:
        """The rows, within the time that a query of a caller may take; raises QueryTimeout."""
        milliseconds = str(round(current_app.config["SETTINGS"].query_timeout * 1000))
        try:
            if connection.limited:
                return self.rows(connection, parameters)
            # One round trip, and one transaction: the limit ends with it, or with the query in that of a write.
            with connection.pipeline():
                connection.execute(SET_TIMEOUT, (milliseconds,))
                found = connection.execute(self.sql, {**self.fixed, **parameters}).fetchall()
                if not connection.autocommit:
                    connection.execute(USUAL_TIMEOUT)
                return found
        except psycopg.errors.QueryCanceled as error:
            raise QueryTimeout() from error


@dataclass(frozen=True)
class RecordStatement(Statement):
    """A statement whose rows have the columns of ``view``."""

    view: Projection


class StatementCache:
    """Compiled statements by the shape of what they answer; the one that was not used for longest goes first."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: OrderedDict[Any, Any] = OrderedDict()

    def get(self, key: Any, make: Callable[[], T]) -> T:
        """What is kept for ``key``, or ``make()``."""
        found: T | None = self._kept.pop(key, None)
        kept = self._kept[key] = make() if found is None else found
        if len(self._kept) > self.most:
            self._kept.popitem(last=False)
        return kept

    def __len__(self) -> int:
        return len(self._kept)


# Callers choose the shapes of their queries; the statements of the latest are kept.
statement_cache = StatementCache(1024)


_own: ContextVar[BoundedConnection | None] = ContextVar("connection", default=None)


class autocommit_connection:  # noqa: N801 - it reads as a function, and as a generator it would take twice as long
    """Lend a connection of the driver on which every statement is a transaction of its own, as reads are: no BEGIN and
    no ROLLBACK to wait for. Driver errors are translated. Inside of ``reads_in_transaction`` it is the one of that
    transaction. ``purpose`` is one of ``connections.kept``."""

    __slots__ = ("_from", "_lent", "_purpose")
    _lent: CheckedOut | None
    _from: AutocommitPool

    def __init__(self, purpose: str = "reads") -> None:
        self._purpose = purpose

    def __enter__(self) -> BoundedConnection:
        own = _own.get()
        if own is not None:
            self._lent = None
            return own
        self._from = connections.kept(self._purpose)
        try:
            lent = self._lent = self._from.take()
        except DRIVER_ERRORS as error:
            raise translated(error) from error
        return lent.connection

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        lent = self._lent
        if lent is None:
            return
        if error is None or isinstance(error, Failure):
            self._from.give_back(lent)
        elif isinstance(error, psycopg.Error):
            # Where the server is gone, so is every other connection that waits.
            if lent.connection.closed:
                self._from.close_with_idle(lent)
            else:
                self._from.give_back(lent)
            raise translated(error) from error
        else:
            self._from.drop(lent)  # interrupted in the middle of an answer


@contextmanager
def reads_in_transaction(session: Session) -> Iterator[None]:
    """Let reads see what the transaction of ``session`` has written."""
    token = _own.set(driver_connection(session))
    try:
        yield
    finally:
        _own.reset(token)


@contextmanager
def reads_of_unit() -> Iterator[None]:
    """Let reads see what the running unit has written, where one is running."""
    session = db.session() if db.session.registry.has() else None
    if session is not None and UNIT_KEY in session.info:
        with reads_in_transaction(session):
            yield
    else:
        yield


@contextmanager
def reads_outside_transaction() -> Iterator[None]:
    """Let reads share one connection of queries, on which they see nothing that the running unit has written."""
    with autocommit_connection("queries") as connection:
        token = _own.set(connection)
        try:
            yield
        finally:
            _own.reset(token)


def driver_connection(session: Session) -> BoundedConnection:
    """The driver's connection under the transaction of ``session``. That of a unit of work stays the same to its end,
    and to ask the session for it takes as long as a short statement does."""
    known: BoundedConnection | None = session.info.get(DRIVER_KEY)
    if known is None:
        known = session.connection().connection.driver_connection
        if UNIT_KEY in session.info:
            session.info[DRIVER_KEY] = known
    return known  # type: ignore[return-value]


def compiled(statement: Select[Any], shown: Projection) -> RecordStatement:
    """Render ``statement`` for psycopg."""
    text = statement.compile(dialect=DIALECT)
    fixed = {name: value for name, value in text.params.items() if value is not None}
    return RecordStatement(str(text), fixed, shown)


@lru_cache(maxsize=STATEMENTS_KEPT)
def item(model: type[Record], reader: Reader) -> RecordStatement:
    """The visible row with ``wanted_id``, and its version."""
    shown = view(model, reader)
    wanted = model.id == bindparam("wanted_id", type_=Uuid())
    return compiled(select(*shown.columns, model.row_version).where(wanted, model.policy.visible(model, reader)), shown)


@lru_cache(maxsize=STATEMENTS_KEPT)
def stored(model: type[Record], reader: Reader) -> RecordStatement:
    """The row with ``wanted_id``, for a write that has already been allowed, and its version."""
    shown = view(model, reader, filtered=False)
    wanted = model.id == bindparam("wanted_id", type_=Uuid())
    return compiled(select(*shown.columns, model.row_version).where(wanted), shown)
