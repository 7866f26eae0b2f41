"""Reads as SQL text: each list and item statement is compiled once per model, kind of reader and set of filters.

Building and hashing a SQLAlchemy expression costs more than PostgreSQL takes to answer it, so the expression is
built once and only its text and parameters travel afterwards; psycopg prepares the text on the server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import psycopg
from sqlalchemy import BigInteger, ColumnElement, Integer, Select, Uuid, and_, bindparam, func, select, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.orm import Session

from app.engine.database import DRIVER_ERRORS, translated
from app.engine.encoding import View, view
from app.engine.principal import Reader
from app.engine.record import Record
from app.extensions import READS, db

Row = tuple[Any, ...]
DIALECT = PGDialect_psycopg()  # type: ignore[no-untyped-call]

# From here on it is cheaper to walk the index alone and fetch only the rows of the page.
DEEP_SKIP = 1000


@dataclass(frozen=True)
class Statement:
    """SQL text with the parameters that never change; ``view`` names the columns of its rows."""

    sql: str
    fixed: Mapping[str, Any]
    view: View

    def rows(self, connection: psycopg.Connection[Row], parameters: Mapping[str, Any]) -> list[Row]:
        return connection.execute(self.sql, {**self.fixed, **parameters}).fetchall()


@contextmanager
def autocommitted() -> Iterator[psycopg.Connection[Row]]:
    """Lend a connection of the driver on which every statement is a transaction of its own, as reads are: no BEGIN and
    no ROLLBACK to wait for. Driver errors are translated."""
    engine = db.engines[READS]
    try:
        lent = engine.raw_connection()
    except DRIVER_ERRORS as error:
        raise translated(error) from error
    try:
        yield lent.driver_connection  # type: ignore[misc]
    except psycopg.Error as error:
        if lent.driver_connection is None or lent.driver_connection.closed:
            # The server is gone, and with it every other connection that waits in the pool.
            lent.invalidate()
            engine.dispose()
        raise translated(error) from error
    except BaseException:
        lent.invalidate()  # interrupted in the middle of an answer
        raise
    finally:
        lent.close()


def within(session: Session) -> psycopg.Connection[Row]:
    """The driver's connection under the transaction of ``session``."""
    return session.connection().connection.driver_connection  # type: ignore[return-value]


def compiled(statement: Select[Any], shown: View) -> Statement:
    """Render ``statement`` for psycopg."""
    text = statement.compile(dialect=DIALECT)
    fixed = {name: value for name, value in text.params.items() if value is not None}
    return Statement(str(text), fixed, shown)


@cache
def item(model: type[Record], reader: Reader) -> Statement:
    """The visible row with ``wanted_id``."""
    shown = view(model, reader)
    wanted = model.id == bindparam("wanted_id", type_=Uuid())
    return compiled(select(*shown.columns).where(wanted, model.policy.visible(model, reader)), shown)


@cache
def stored(model: type[Record], reader: Reader) -> Statement:
    """The row with ``wanted_id``, for a write that has already been allowed."""
    shown = view(model, reader)
    return compiled(select(*shown.columns).where(model.id == bindparam("wanted_id", type_=Uuid())), shown)


# A caller chooses among the filters, and a model with fifteen of them has thirty thousand sets.
@lru_cache(maxsize=1024)
def page(model: type[Record], reader: Reader, filters: tuple[str, ...], *, deep: bool) -> Statement:
    """One page with the exact count of matching rows: the count comes first in every row, alone when the page is
    empty. Filters are bound as ``filter_<attribute>``, the window as ``take`` and ``skip``."""
    shown = view(model, reader, listed=True)
    where = and_(model.policy.listed(model, reader, filters), *(_equals(model, name) for name in filters))
    order = (model.created_at.desc(), model.id.desc())
    take, skip = bindparam("take", type_=Integer()), bindparam("skip", type_=Integer())
    window: Select[Any]
    if deep:
        ids = select(model.id).where(where).order_by(*order).limit(take).offset(skip).subquery("ids")
        window = select(*shown.columns).join(ids, ids.c.id == model.id).order_by(*order)
    else:
        window = select(*shown.columns).where(where).order_by(*order).limit(take).offset(skip)
    rows = window.subquery("page")
    total = select(func.count()).select_from(model).where(where).subquery("total")
    statement = select(*total.c, *rows.c).select_from(total.join(rows, true(), isouter=True))
    return compiled(statement.order_by(rows.c.created_at.desc(), rows.c.id.desc()), shown)


def _equals(model: type[Record], attribute: str) -> ColumnElement[bool]:
    column = getattr(model, attribute)
    # A number beyond four bytes is no error here: it matches nothing.
    kind = BigInteger() if isinstance(column.type, Integer) else column.type
    wanted = bindparam(f"filter_{attribute}", type_=kind)
    if isinstance(column.type, ARRAY):
        return column.contains(wanted)
    return column == wanted


def filter_binds(model: type[Record], filters: Mapping[str, Any]) -> dict[str, Any]:
    """Name the values of ``filters`` as ``page`` expects them; a value sought in an array is wrapped."""
    fields = model.fields()
    return {f"filter_{name}": fields[name].spec.kind.bound(value) for name, value in filters.items()}
