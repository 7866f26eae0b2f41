"""Unique rules: which rows have the keys of new ones, asked of all in one statement, and which records of one request
meet in a rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, TypeVar
from uuid import UUID

import psycopg
from sqlalchemy import Index, UniqueConstraint

from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import Record
from app.engine.declare.scope import Rule
from app.engine.read import fragments
from app.engine.read.database import LostRace, translated
from app.engine.read.encoding import STATEMENTS_KEPT
from app.engine.write.faults import Faults
from app.engine.write.sql import document, recordset
from app.foundation.errors import UniqueViolation

Values = Mapping[str, Any]
# A draft of a change, with its record and the columns that change.
D = TypeVar("D", bound=Any)


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
class Conflict:
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


def find(
    model: type[Record], principal: Principal, connection: psycopg.Connection[Any], rule: UniqueRule,
    rows: Mapping[int, Values],
) -> dict[int, Conflict]:  # fmt: skip
    """The rows that have the keys of new ``rows`` (values by attribute, by index)."""
    return _found(model, principal, connection, rule, rows, lock=False, keeps_existing=False)


def locked(
    model: type[Record], principal: Principal, connection: psycopg.Connection[Any], rule: UniqueRule,
    rows: Mapping[int, Values], *, keeps_existing: bool,
) -> dict[int, Conflict]:  # fmt: skip
    """The same, where the caller may change them locked; with ``keeps_existing`` they are to stay as they are. Raises
    LostRace where the caller may change one by now that was not locked."""
    found = _found(model, principal, connection, rule, rows, lock=True, keeps_existing=keeps_existing)
    if missing := {index: row for index, row in rows.items() if index not in found}:
        others = _found(model, principal, connection, rule, missing, lock=False, keeps_existing=keeps_existing)
        if any(each.is_writable for each in others.values()):
            raise LostRace()
        found |= others
    return found


def _found(
    model: type[Record], principal: Principal, connection: psycopg.Connection[Any], rule: UniqueRule,
    rows: Mapping[int, Values], *, lock: bool, keeps_existing: bool,
) -> dict[int, Conflict]:  # fmt: skip
    sent = [{"record_index": index, **{name: row.get(name) for name in rule.attributes}} for index, row in rows.items()]
    sql, fixed = _statement(model, principal.reader, rule, lock, keeps_existing)
    parameters = {"rows": document(sent), **fixed, **principal.binds}
    found = connection.execute(sql, parameters).fetchall()
    return {index: Conflict(identifier, is_writable) for index, identifier, is_writable in found}


def duplicate_indexes(rule: UniqueRule, rows: Mapping[int, Values]) -> list[int]:
    """The indexes of rows that have the key of an earlier one."""
    seen: set[Any] = set()
    indexes = []
    for index, row in sorted(rows.items()):
        key = rule.key(row)
        if key is not None and key in seen:
            indexes.append(index)
        seen.add(key)
    return indexes


@lru_cache(maxsize=STATEMENTS_KEPT)
def _statement(
    model: type[Record], reader: Reader, rule: UniqueRule, lock: bool, keeps_existing: bool
) -> tuple[str, Mapping[str, Any]]:
    fields = model.fields()
    equals = "IS NOT DISTINCT FROM" if rule.null_is_value else "="
    columns = ((name, fields[name].column) for name in rule.attributes)
    met = [f'kept."{column.name}" {equals} given."{name}"' for name, column in columns if column is not None]
    if rule.where:
        met.append(f"({rule.where})")
    # Where nobody may update the model, an upsert may not either. To pass an existing row over, callers need the right
    # to create it.
    is_fixed = model.policy.update is Rule.NONE
    seen = fragments.visible(model, reader)
    writable = fragments.writable(model, reader, "create" if is_fixed else "update")
    is_reached = f"coalesce(({seen.on('kept')}) AND ({writable.on('kept')}), false)"
    may = "false" if is_fixed and not keeps_existing else is_reached
    given = recordset(model, rule.attributes, beside="record_index integer")
    found = f"SELECT given.record_index, kept.id, {may} FROM {given}"
    sql = f"{found} JOIN {model.__tablename__} AS kept ON {' AND '.join(met)}"
    end = f" WHERE {may} ORDER BY kept.id FOR UPDATE OF kept" if lock else ""
    return sql + end, {**seen.fixed, **writable.fixed}


def split_by_conflicts(model: type[Record], drafts: Sequence[D]) -> list[list[D]]:
    """Return the changes that can be written at once, in order: a record that takes a unique key which another one
    gives up, or the other way round, is written after it."""
    if len(drafts) < 2:
        return [list(drafts)]
    groups: list[list[D]] = []
    before: set[Any] = set()
    after: set[Any] = set()
    for draft in drafts:
        stored, changed = vars(draft.record), draft.columns
        asked = [rule for rule in rules(model) if any(rule.speaks_of(name) for name in changed)]
        old = {(rule.name, key) for rule in asked if (key := rule.key(stored))}
        new = {(rule.name, key) for rule in asked if (key := rule.key({**stored, **changed}))}
        if not groups or before & new or after & old or any(rule.where for rule in asked):
            groups.append([])
            before, after = set(), set()
        groups[-1].append(draft)
        before |= old
        after |= new
    return groups


def raise_duplicates(
    model: type[Record], principal: Principal, connection: psycopg.Connection[Any], error: Exception,
    rows_of: Mapping[int, Values],
) -> None:  # fmt: skip
    """Tell by their indexes which records broke a unique rule; raises ItemsRefused where that is known."""
    cause = getattr(error, "orig", error)
    if not isinstance(cause, psycopg.errors.UniqueViolation):
        return
    rule = next((each for each in rules(model) if each.name == cause.diag.constraint_name), None)
    if rule is None or rule.where:
        return
    own = {index: row["id"] for index, row in rows_of.items()}
    indexes = set(duplicate_indexes(rule, rows_of))
    taken = find(model, principal, connection, rule, rows_of)
    indexes |= {index for index, row in taken.items() if row.id != own[index]}
    failure = translated(error)  # type: ignore[arg-type]
    Faults(dict.fromkeys(indexes, failure if isinstance(failure, UniqueViolation) else UniqueViolation())).check()
