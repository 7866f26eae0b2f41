"""The three statements of writes: INSERT, UPDATE and DELETE of rows that travel as one JSON document, which PostgreSQL
reads as a table. Where it is asked for, a statement judges the rows that it writes, and reads them back as the caller
sees them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, select
from sqlalchemy.sql import visitors

from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import VERSION, Record
from app.engine.read import fragments
from app.engine.read.encoding import STATEMENTS_KEPT, Representation, dumps, selected, shown_fields, view
from app.engine.read.fragments import DIALECT
from app.engine.read.statements import RecordStatement, Statement, compiled, stored
from app.engine.write import references
from app.runtime.change_context import SET_INSIDE
from app.runtime.gevent_support import BoundedConnection

Values = dict[str, Any]


def document(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return ``rows`` (values by attribute) as the document that ``recordset`` reads."""
    return dumps(list(rows)).decode()


def recordset(model: type[Record], attributes: Sequence[str], parameter: str = "rows", beside: str = "") -> str:
    """Return the document in ``parameter`` as the table ``given``: columns by attribute, after those ``beside``."""
    fields = model.fields()
    typed = ((name, fields[name].column) for name in attributes)
    columns = [f'"{name}" {column.type.compile(DIALECT)}' for name, column in typed if column is not None]
    return f"json_to_recordset(%({parameter})s::json) AS given({', '.join([beside] * bool(beside) + columns)})"


def read(
    model: type[Record], principal: Principal, connection: BoundedConnection, identifiers: Collection[UUID]
) -> dict[UUID, Representation]:
    """Return the rows with these ids, by id, as the principal of a write that was allowed sees them."""
    if len(identifiers) == 1:
        (identifier,) = identifiers
        one = stored(model, principal.reader)
        return by_id(one, one.rows(connection, {"wanted_id": identifier} | principal.binds))
    shown = _stored(model, principal.reader)
    return by_id(shown, shown.rows(connection, {"wanted_ids": list(identifiers)} | principal.binds))


def by_id(shown: RecordStatement, rows: Iterable[tuple[Any, ...]]) -> dict[UUID, Representation]:
    """Return the records in ``rows`` by id."""
    at = shown.view.names.index("id")
    return {row[at]: shown.view.representation(row) for row in rows}


@lru_cache(maxsize=1024)
def insert_statement(
    model: type[Record], reader: Reader, attributes: tuple[str, ...], named: tuple[str, ...], *, returns: bool,
    tells: bool = False,
) -> RecordStatement:  # fmt: skip
    """Return the INSERT of rows. With ``named`` it is of one row, which it inserts where the caller may name what the
    row names; its answer begins with a row of ``references.statement``. What ``tells`` has the log told who writes, as
    ``change_context``, so that it may be a transaction of its own."""
    table, shown = model.__tablename__, _returned(model, reader)
    fields = model.fields()
    names = ", ".join(f'"{column.name}"' for name in attributes if (column := fields[name].column) is not None)
    values = ", ".join(f'given."{name}"' for name in attributes)
    told = f", {SET_INSIDE}" if tells else ""
    insert = f"INSERT INTO {table} ({names}) SELECT {values} FROM {recordset(model, attributes)}{told}"
    if not returns:
        return RecordStatement(f"{insert} RETURNING id", {}, shown.view)
    if not named:
        return RecordStatement(f"WITH {table} AS ({insert} RETURNING *) {shown.sql}", shown.fixed, shown.view)
    judging = _prefix_parameters(references.statement(model, reader, named))
    is_met = " AND ".join(f'"{name}"' for name in (*named, references.PARENT_WRITABLE))
    # What is read is the new row, by the name of its table; what is judged stands before it and reads the table.
    text = f"""
        WITH met AS MATERIALIZED ({judging.sql}),
        {table} AS ({insert} WHERE (SELECT {is_met} FROM met) RETURNING *)
        SELECT met.*, made.* FROM met LEFT JOIN ({shown.sql}) AS made ON true
    """
    return RecordStatement(text, {**judging.fixed, **shown.fixed}, shown.view)


@lru_cache(maxsize=1024)
def update_statement(
    model: type[Record], reader: Reader, attributes: tuple[str, ...], *, conditions: tuple[str, ...] = (),
    kept: tuple[str, ...] = (), returns: bool, tells: bool = False,
) -> RecordStatement:  # fmt: skip
    """Return the UPDATE of ``attributes`` of rows that are found by their ids, and meet ``conditions``; ``kept`` are
    further attributes of the document."""
    table, shown, fields = model.__tablename__, _returned(model, reader), model.fields()
    columns = {name: column.name for name in attributes if (column := fields[name].column) is not None}
    put = ", ".join(f'"{column}" = given."{name}"' for name, column in columns.items())
    met = " AND ".join([f"{table}.id = given.id", *(f"({condition})" for condition in conditions)])
    rows = recordset(model, ("id", *attributes, *kept)) + (f", {SET_INSIDE}" if tells else "")
    update = f"UPDATE {table} SET {put} FROM {rows} WHERE {met}"
    if not returns:
        return RecordStatement(f"{update} RETURNING {table}.id", {}, shown.view)
    # What is read is the row as it is now, by the name of its table.
    return RecordStatement(f"WITH {table} AS ({update} RETURNING {table}.*) {shown.sql}", shown.fixed, shown.view)


@lru_cache(maxsize=1024)
def delete_statement(model: type[Record], conditions: tuple[str, ...] = (), *, one: bool = False) -> str:
    """Return the DELETE of the rows with ``wanted_ids``, or of ``one`` with ``wanted_id`` as a transaction of its own,
    that meet ``conditions``; it answers their ids."""
    wanted, told = ("%(wanted_id)s", f" USING {SET_INSIDE}") if one else ("ANY (%(wanted_ids)s)", "")
    met = " AND ".join([f"{model.__tablename__}.id = {wanted}", *(f"({each})" for each in conditions)])
    return f"DELETE FROM {model.__tablename__}{told} WHERE {met} RETURNING id"


@lru_cache(maxsize=STATEMENTS_KEPT)
def writable(model: type[Record], reader: Reader, operation: str, *, versioned: bool) -> Statement:
    """Return the condition that the caller sees a row and may write it, with ``versioned`` in one of ``versions``."""
    table = model.__tablename__
    visible, may = fragments.visible(model, reader), fragments.writable(model, reader, operation)
    parts = [visible.on(table), may.on(table), *[f"{table}.{VERSION} = ANY (%(versions)s)"] * versioned]
    return Statement(" AND ".join(f"({part})" for part in parts), {**visible.fixed, **may.fixed})


def onupdate_values(model: type[Record]) -> Values:
    """Return what changes with every change, by attribute."""
    return {name: column.onupdate.arg(None) for name, column in _stamped(model).items()}


@lru_cache(maxsize=STATEMENTS_KEPT)
def reads_only_own_row(model: type[Record], reader: Reader) -> bool:
    """Whether what a reader sees of a row depends on no other row of its table, as what a statement writes is seen by
    no other part of it. An expression that looks at other rows names its table once more, as an alias."""
    expressions = [selected(model, field) for field in shown_fields(model, reader, listed=False) if field.virtual]
    parts = (part for expression in expressions for part in visitors.iterate(expression))
    return not any(getattr(part, "element", None) is model.__table__ for part in parts)


@cache
def _stamped(model: type[Record]) -> dict[str, Any]:
    columns = ((name, field.column) for name, field in model.fields().items())
    return {name: column for name, column in columns if column is not None and column.onupdate is not None}


@lru_cache(maxsize=STATEMENTS_KEPT)
def _returned(model: type[Record], reader: Reader) -> RecordStatement:
    """What a reader sees of the rows that a statement has written, and their versions."""
    shown = view(model, reader, filtered=False)
    return compiled(select(*shown.columns, model.row_version), shown)


@lru_cache(maxsize=STATEMENTS_KEPT)
def _stored(model: type[Record], reader: Reader) -> RecordStatement:
    shown = view(model, reader, filtered=False)
    wanted = model.id == bindparam("wanted_ids", type_=ARRAY(Uuid())).any_()
    return compiled(select(*shown.columns, model.row_version).where(wanted), shown)


def _prefix_parameters(judging: RecordStatement) -> RecordStatement:
    """A statement whose fixed parameters have names of their own, beside those of another one."""
    names = {f"%({name})s": f"%(judged_{name})s" for name in judging.fixed}
    text = re.sub(r"%\(\w+\)s", lambda found: names.get(found[0], found[0]), judging.sql)
    return RecordStatement(text, {f"judged_{name}": value for name, value in judging.fixed.items()}, judging.view)
