"""Which records of one statement broke a rule that the database holds them to: the statement has failed as a whole, and
a second one asks for their indexes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import psycopg
from sqlalchemy import Index, Table

from app.engine.declare import rules
from app.engine.declare.record import Record
from app.engine.read.database import translated
from app.engine.write.faults import Faults
from app.engine.write.sql import document, recordset

Values = Mapping[str, Any]


def raise_broken(
    model: type[Record], connection: psycopg.Connection[Any], error: Exception, rows_of: Mapping[int, Values]
) -> None:
    """Tell by their indexes which records broke a check, an exclusion, or a unique rule of some rows; raises
    ItemsRefused where that is known."""
    cause = getattr(error, "orig", error)
    if not isinstance(cause, psycopg.IntegrityError):
        return
    sql = _statement(model, cause.diag.constraint_name or "")
    if not sql:
        return
    names = _attributes(model)
    sent = [{"record_index": index, **{name: row.get(name) for name in names}} for index, row in rows_of.items()]
    found = connection.execute(sql, {"rows": document(sent)}).fetchall()
    Faults(dict.fromkeys((index for (index,) in found), translated(error))).check()  # type: ignore[arg-type]


@cache
def _statement(model: type[Record], name: str) -> str:
    """The statement that finds the indexes; empty for a rule that is not of these."""
    table: Table = model.__table__  # type: ignore[assignment]
    for rule in rules.declared(table):
        if rule.name == name and "compares" in rule.info:
            return _meeting(model, rule.info["compares"], rule.info["where"], rule.info["judged"])
        if rule.name == name:
            return f"SELECT record_index FROM {_given(model)} WHERE NOT ({rule.sqltext})"  # noqa: S608
    for index in table.indexes:
        where = index.dialect_options["postgresql"]["where"]
        if index.name == name and index.unique and where is not None:
            return _meeting(model, _equal(index), str(where))
    return ""


def _equal(index: Index) -> list[tuple[str, str]]:
    is_value = index.dialect_options["postgresql"]["nulls_not_distinct"]
    return [(column.name, "IS NOT DISTINCT FROM" if is_value else "=") for column in index.columns]


def _meeting(model: type[Record], compares: Sequence[tuple[str, str]], where: str, judged: str = "true") -> str:
    """Those that meet a row of the table, or an earlier one among themselves, of those that are ``judged`` at all."""
    keys = ", ".join(f"{expression} AS k{number}" for number, (expression, _) in enumerate(compares))
    met = " AND ".join(f"there.k{number} {operator} given.k{number}" for number, (_, operator) in enumerate(compares))
    condition = f"WHERE {where}" if where else ""
    table = model.__tablename__
    return f"""
        WITH given AS MATERIALIZED (SELECT record_index, id, {keys} FROM {_given(model)}
            WHERE ({judged}) IS NOT FALSE AND ({where or "true"}))
        SELECT record_index FROM given
        WHERE EXISTS (SELECT 1 FROM (SELECT id, {keys} FROM {table} {condition}) AS there
                WHERE {met} AND there.id NOT IN (SELECT id FROM {_given(model)}))
            OR EXISTS (SELECT 1 FROM given AS there WHERE {met} AND there.record_index < given.record_index)"""  # noqa: S608


def _given(model: type[Record]) -> str:
    """The records as rows, their columns called as those of the table."""
    fields, names = model.fields(), _attributes(model)
    columns = ", ".join(
        f'given."{name}" AS "{column.name}"' for name in names if (column := fields[name].column) is not None
    )
    rows = recordset(model, names, beside="record_index integer")
    return f"(SELECT record_index, {columns} FROM {rows}) AS {model.__tablename__}"  # noqa: S608


@cache
def _attributes(model: type[Record]) -> tuple[str, ...]:
    return tuple(name for name, field in model.fields().items() if field.column is not None)
