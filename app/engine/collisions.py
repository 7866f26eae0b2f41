"""Records of one request that meet in a unique rule, with each other or with rows that are there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import psycopg

from app.engine import uniqueness
from app.engine.database import translated
from app.engine.faults import Faults
from app.engine.record import Record
from app.foundation.errors import UniqueViolation

if TYPE_CHECKING:
    from app.engine.unit_of_work import Unit

Values = dict[str, Any]


def groups(model: type[Record], found: Mapping[int, tuple[Record, Values]]) -> list[list[int]]:
    """The places of what can be written at once, in order: a record that takes a unique key which another one gives
    up, or the other way round, is written after it."""
    rules = uniqueness.rules(model)
    groups: list[list[int]] = []
    before: set[Any] = set()
    after: set[Any] = set()
    for place, (record, changed) in found.items():
        stored = vars(record)
        asked = [rule for rule in rules if any(rule.speaks_of(name) for name in changed)]
        old = {(rule.name, key) for rule in asked if (key := rule.key(stored))}
        new = {(rule.name, key) for rule in asked if (key := rule.key({**stored, **changed}))}
        if not groups or before & new or after & old or any(rule.where for rule in asked):
            groups.append([])
            before, after = set(), set()
        groups[-1].append(place)
        before |= old
        after |= new
    return groups


def judge(
    unit: Unit, model: type[Record], error: Exception, rows_of: Mapping[int, Values],
    connection: psycopg.Connection[Any],
) -> None:  # fmt: skip
    """Tell which records broke a unique rule; raises ItemsRefused where that is known."""
    cause = getattr(error, "orig", error)
    if not isinstance(cause, psycopg.errors.UniqueViolation):
        return
    rule = next((each for each in uniqueness.rules(model) if each.name == cause.diag.constraint_name), None)
    if rule is None or rule.where:
        if len(rows_of) == 1:
            Faults(dict.fromkeys(rows_of, translated(error))).check()  # type: ignore[arg-type]
        return
    own = {place: row["id"] for place, row in rows_of.items()}
    places = set(uniqueness.repeated(rule, rows_of))
    taken = uniqueness.standing(model, unit.principal, connection, rule, rows_of)
    places |= {place for place, row in taken.items() if row.id != own[place]}
    failure = translated(error)  # type: ignore[arg-type]
    Faults(dict.fromkeys(places, failure if isinstance(failure, UniqueViolation) else UniqueViolation())).check()
