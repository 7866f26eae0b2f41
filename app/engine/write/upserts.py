"""Upserts: records are made, or where a unique rule has one in the way, merged into it or left as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from uuid import UUID

from app.engine.declare.record import Record, camel, metadata
from app.engine.read.database import LostRace, fields_of
from app.engine.read.statements import driver_connection
from app.engine.write import conflicts, inputs, plan
from app.engine.write.conflicts import UniqueRule
from app.engine.write.faults import Faults, ItemsRefused
from app.engine.write.plan import Change
from app.foundation.errors import Forbidden, Invalid, UniqueViolation

if TYPE_CHECKING:
    from app.engine.write.unit_of_work import Unit

Values = dict[str, Any]


class Resolution(StrEnum):
    """What becomes of a record that is there already."""

    MERGE = "merge"
    IGNORE = "ignore"


@dataclass(frozen=True)
class Upserted:
    """The ids of the records, by their index in the request, and the indexes of those that were made and changed."""

    ids: Mapping[int, UUID]
    created: frozenset[int]
    updated: frozenset[int]


def rule_of(model: type[Record], names: tuple[str, ...]) -> UniqueRule | None:
    """The unique rule over the fields called ``names`` on the wire, beside which the owner or organization of the row
    need not be named."""
    scope = camel(model.policy.scope.column)
    for rule in conflicts.rules(model):
        wire = {camel(attribute) for attribute in rule.attributes}
        if not rule.where and set(names) | {scope} == wire | {scope} and set(names) and _is_sent(model, rule):
            return rule
    return None


def rules_of(model: type[Record]) -> list[str]:
    """What ``onConflict`` may name, as callers write it."""
    scope = model.policy.scope.column
    found = [rule for rule in conflicts.rules(model) if not rule.where and _is_sent(model, rule)]
    return [",".join(camel(each) for each in rule.attributes if each != scope) or camel(scope) for rule in found]


def upsert(
    unit: Unit, model: type[Record], given: Mapping[int, Values], rule: UniqueRule, resolution: Resolution,
    faults: Faults,
) -> Upserted:  # fmt: skip
    """Make or merge records, by their index in the request; raises ItemsRefused."""
    if not model.policy.may_create(unit.principal) or not unit.principal.reader.admits(model, "create", "update"):
        raise Forbidden()
    # What lies below a parent that the caller does not see is told by no key, so the parent is asked for first.
    keys = _keys(unit, model, given, rule, faults)
    plan.check_references(unit, model, {index: (given[index], values) for index, values in keys.items()}, faults)
    keys = {index: values for index, values in keys.items() if index not in faults}
    wanted = {index: row for index, row in keys.items() if rule.key(row) is not None}
    there, keeps_existing = {}, resolution is Resolution.IGNORE
    if wanted:
        connection = driver_connection(unit.session)
        there = conflicts.locked(model, unit.principal, connection, rule, wanted, keeps_existing=keeps_existing)
    names = fields_of(metadata.tables[model.__tablename__], rule.name)
    for index, row in there.items():
        if not row.is_writable:
            faults[index] = UniqueViolation.on(names)
    ids = {index: row.id for index, row in there.items() if index not in faults}
    made = {index: each for index, each in given.items() if index in keys and index not in there}
    changes = {index: Change(ids[index], given[index]) for index in ids}
    if resolution is Resolution.MERGE:
        plan.update(unit, model, changes, faults)
    faults.check()
    try:
        created = plan.create(unit, model, made, faults).ids if made else {}
    except ItemsRefused as refused:
        # Somebody else has made the record since it was looked for; the next run finds it.
        if any(_breaks(fault, names) for fault in refused.faults.values()):
            raise LostRace() from refused
        raise
    updated = frozenset(ids) if resolution is Resolution.MERGE else frozenset()
    return Upserted({**ids, **created}, frozenset(created), updated)


def _keys(
    unit: Unit, model: type[Record], given: Mapping[int, Values], rule: UniqueRule, faults: Faults
) -> dict[int, Values]:
    """The values of each record, with their defaults; one that has the key of another is refused."""
    keys: dict[int, Values] = {}
    for index, each in sorted(given.items()):
        with faults.of(index):
            values = inputs.with_defaults(model, unit.principal, each)
            inputs.check_organization(model, unit.principal, values)
            keys[index] = values
    for index in conflicts.duplicate_indexes(rule, keys):
        names = [name for name in rule.attributes if name != model.policy.scope.column]
        faults[index] = Invalid({camel(names[0] if names else "id"): ["Given more than once."]})
        del keys[index]
    return keys


def _breaks(fault: Exception, names: list[str]) -> bool:
    return isinstance(fault, UniqueViolation) and set(fault.details.get("fields", ())) <= set(names)


def _is_sent(model: type[Record], rule: UniqueRule) -> bool:
    """Whether callers send every field of the rule, but for what the credential says."""
    fields, scope = model.fields(), model.policy.scope.column
    return all(name == scope or fields[name].spec.writable for name in rule.attributes)
