"""Unique rules: which rows stand in the way of new ones, asked of all in one statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import Index, UniqueConstraint

from app.engine import fragments
from app.engine.database import LostRace
from app.engine.policy import Rule
from app.engine.principal import Principal, Reader
from app.engine.record import Record
from app.engine.rows import as_document, columns_of

Values = Mapping[str, Any]


@dataclass(frozen=True)
class UniqueRule:
    """No two rows have the same values of ``attributes``, among those that meet ``where``; an empty value is like no
    other, unless ``null_is_value``."""

    name: str
    attributes: tuple[str, ...]
    where: str = ""
    null_is_value: bool = False

    def key(self, row: Values) -> tuple[Any, ...] | None:
        """What no other row may have; None for a row that the rule lets pass."""
        key = tuple(row.get(name) for name in self.attributes)
        return None if not self.null_is_value and None in key else key

    def speaks_of(self, attribute: str) -> bool:
        """Whether a change of ``attribute`` can break it."""
        return attribute in self.attributes or attribute in self.where


@dataclass(frozen=True)
class Standing:
    """A row that has the key of a new one, and whether the caller may see it and change it, or leave it."""

    id: UUID
    is_writable: bool


@cache
def rules(model: type[Record]) -> tuple[UniqueRule, ...]:
    """The unique rules of ``model`` beside that of its id."""
    attributes = {field.column.name: name for name, field in model.fields().items() if field.column is not None}
    table: Any = model.__table__
    found = []
    for each in (*table.constraints, *table.indexes):
        if isinstance(each, UniqueConstraint) or (isinstance(each, Index) and each.unique):
            options = each.dialect_options["postgresql"]
            names = tuple(attributes[column.name] for column in each.columns)
            where = "" if isinstance(each, UniqueConstraint) or options["where"] is None else str(options["where"])
            found.append(UniqueRule(str(each.name), names, where, bool(options["nulls_not_distinct"])))
    return tuple(sorted(found, key=lambda rule: rule.name))


def standing(
    model: type[Record], principal: Principal, connection: psycopg.Connection[Any], rule: UniqueRule,
    rows: Mapping[int, Values],
) -> dict[int, Standing]:  # fmt: skip
    """The rows that have the keys of new ``rows`` (values by attribute, by place)."""
    return _found(model, principal, connection, rule, rows, lock=False, leaving=False)


def locked(
    model: type[Record], principal: Principal, connection: psycopg.Connection[Any], rule: UniqueRule,
    rows: Mapping[int, Values], *, leaving: bool,
) -> dict[int, Standing]:  # fmt: skip
    """The same, where the caller may change them locked; with ``leaving`` they are to stay as they are. Raises
    LostRace where the caller may change one by now that was not locked."""
    found = _found(model, principal, connection, rule, rows, lock=True, leaving=leaving)
    if missing := {place: row for place, row in rows.items() if place not in found}:
        others = _found(model, principal, connection, rule, missing, lock=False, leaving=leaving)
        if any(each.is_writable for each in others.values()):
            raise LostRace()
        found |= others
    return found


def _found(
    model: type[Record], principal: Principal, connection: psycopg.Connection[Any], rule: UniqueRule,
    rows: Mapping[int, Values], *, lock: bool, leaving: bool,
) -> dict[int, Standing]:  # fmt: skip
    sent = [{"place": place, **{name: row.get(name) for name in rule.attributes}} for place, row in rows.items()]
    sql, fixed = _statement(model, principal.reader, rule, lock, leaving)
    parameters = {"rows": as_document(sent), **fixed, **principal.binds}
    found = connection.execute(sql, parameters).fetchall()
    return {place: Standing(identifier, is_writable) for place, identifier, is_writable in found}


def repeated(rule: UniqueRule, rows: Mapping[int, Values]) -> list[int]:
    """The places of rows that have the key of an earlier one."""
    seen: set[Any] = set()
    places = []
    for place, row in sorted(rows.items()):
        key = rule.key(row)
        if key is not None and key in seen:
            places.append(place)
        seen.add(key)
    return places


@cache
def _statement(
    model: type[Record], reader: Reader, rule: UniqueRule, lock: bool, leaving: bool
) -> tuple[str, Mapping[str, Any]]:
    fields = model.fields()
    equals = "IS NOT DISTINCT FROM" if rule.null_is_value else "="
    columns = ((name, fields[name].column) for name in rule.attributes)
    met = [f'kept."{column.name}" {equals} given."{name}"' for name, column in columns if column is not None]
    if rule.where:
        met.append(f"({rule.where})")
    # Of what callers never change, no row may change by the way of a create either. To leave one, they need what they
    # would need to make it.
    is_fixed = model.policy.update is Rule.NONE
    seen = fragments.visible(model, reader)
    writable = fragments.writable(model, reader, "create" if is_fixed else "update")
    is_reached = f"coalesce(({seen.on('kept')}) AND ({writable.on('kept')}), false)"
    may = "false" if is_fixed and not leaving else is_reached
    given = f"json_to_recordset(%(rows)s::json) AS given(place integer, {columns_of(model, rule.attributes)})"
    found = f"SELECT given.place, kept.id, {may} FROM {given}"  # noqa: S608 - declarations alone
    sql = f"{found} JOIN {model.__tablename__} AS kept ON {' AND '.join(met)}"
    end = f" WHERE {may} ORDER BY kept.id FOR UPDATE OF kept" if lock else ""
    return sql + end, {**seen.fixed, **writable.fixed}
