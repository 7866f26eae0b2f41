"""Many rows in one statement: they travel as one JSON document, which PostgreSQL reads as a table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import ARRAY, Uuid, bindparam, select
from sqlalchemy.orm import Session

from app.engine.encoding import Representation, dumps, view
from app.engine.fragments import DIALECT
from app.engine.principal import Principal, Reader
from app.engine.record import Record
from app.engine.statements import Viewed, compiled, driver_connection

Values = Mapping[str, Any]


def insert(model: type[Record], connection: psycopg.Connection[Any], rows: Sequence[Values]) -> None:
    """Insert ``rows`` (values by attribute), in their order."""
    columns = tuple(sorted({name for row in rows for name in row}))
    connection.execute(insertion(model, columns), {"rows": as_document(rows)})


def read(
    model: type[Record], principal: Principal, session: Session, identifiers: Collection[UUID]
) -> dict[UUID, Representation]:
    """The rows with these ids, by id, as the principal of a write that has been allowed sees them."""
    statement = _stored(model, principal.reader)
    parameters = {"wanted_ids": list(identifiers)} | principal.binds
    place = statement.view.names.index("id")
    found = statement.rows(driver_connection(session), parameters)
    return {row[place]: statement.view.representation(row) for row in found}


def as_document(rows: Sequence[Values]) -> str:
    """``rows`` as the document that ``columns_of`` describes."""
    return dumps(rows).decode()


def columns_of(model: type[Record], attributes: Sequence[str]) -> str:
    """The columns of a document with ``attributes``, as PostgreSQL is told them."""
    fields = model.fields()
    types = ((name, fields[name].column) for name in attributes)
    return ", ".join(f'"{name}" {column.type.compile(DIALECT)}' for name, column in types if column is not None)


@lru_cache(maxsize=256)
def insertion(model: type[Record], attributes: tuple[str, ...]) -> str:
    """The INSERT of rows that come as the document ``rows``."""
    fields = model.fields()
    names = ", ".join(f'"{column.name}"' for name in attributes if (column := fields[name].column) is not None)
    values = ", ".join(f'given."{name}"' for name in attributes)
    rows = _given(model, attributes)
    return f"INSERT INTO {model.__tablename__} ({names}) SELECT {values} FROM {rows}"  # noqa: S608 - declarations alone


@lru_cache(maxsize=256)
def change(model: type[Record], attributes: tuple[str, ...], beside: tuple[str, ...] = ()) -> str:
    """The UPDATE of rows that come as the document ``rows``, each found by its id, with what stands ``beside`` that."""
    table, fields = model.__tablename__, model.fields()
    named = ((name, fields[name].column) for name in attributes if name != "id")
    put = ", ".join(f'"{column.name}" = given."{name}"' for name, column in named if column is not None)
    rows = _given(model, (*attributes, *beside))
    return f"UPDATE {table} SET {put} FROM {rows} WHERE {table}.id = given.id"  # noqa: S608 - declarations alone


def _given(model: type[Record], attributes: tuple[str, ...]) -> str:
    """The rows of the document, as a table."""
    return f"json_to_recordset(%(rows)s::json) AS given({columns_of(model, attributes)})"


@cache
def _stored(model: type[Record], reader: Reader) -> Viewed:
    shown = view(model, reader)
    wanted = model.id == bindparam("wanted_ids", type_=ARRAY(Uuid())).any_()
    return compiled(select(*shown.columns, model.row_version).where(wanted), shown)
