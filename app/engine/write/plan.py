"""The write plan: how one record or many are created, changed and deleted. All three lock the rows, validate the input,
run the hooks, write, and notify subscribers. Errors are collected by the index of the record in the request, and
nothing is written then; ``FirstFault`` raises the first one, for writes of one record.

Where no Python has to run between lock and write, one record is written by one statement (``single``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import Record
from app.engine.read.database import check_constraints, defer_constraints
from app.engine.read.encoding import Representation
from app.engine.read.statements import driver_connection
from app.engine.write import clients, conflicts, filling, growth, hooks, inputs, judgment, locks, references, sql, store
from app.engine.write.faults import Faults
from app.engine.write.hooks import Write
from app.engine.write.preconditions import UNCONDITIONAL, Precondition
from app.engine.write.store import Draft
from app.engine.write.writers import describe_writer
from app.foundation.errors import Forbidden, Invalid
from app.runtime.connections import allow_time
from app.runtime.gevent_support import BoundedConnection

if TYPE_CHECKING:
    from app.engine.write.unit_of_work import Unit

Values = dict[str, Any]
MAX_RECORDS = 1000


@dataclass(frozen=True, slots=True)
class Change:
    """New values for the record called ``id``."""

    id: UUID
    given: Values = field(default_factory=dict)
    condition: Precondition = UNCONDITIONAL


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The ids of the records that were written, by their index in the request, and those that were read back."""

    ids: Mapping[int, UUID]
    records: dict[UUID, Representation] = field(default_factory=dict)


def create(
    unit: Unit, model: type[Record], given: Mapping[int, Values], faults: Faults, *, returns: bool = False
) -> WriteResult:
    """Insert records from values by attribute, and read them back where the caller ``returns`` them. Raises Forbidden,
    and what ``faults`` does."""
    if not model.policy.may_create(unit.principal):
        raise Forbidden()
    drafts = list(_drafts(unit, model, given, faults))
    parents = (draft.write.given.get(model.policy.scope.parent_column) for draft in drafts)
    locks.lock_parent_roots(model, unit.session, {each for each in parents if each is not None})
    written = WriteResult({draft.index: draft.id for draft in drafts})
    if returns and len(drafts) == 1 and not faults and inserts_in_one_statement(model, unit.principal.reader):
        (draft,) = drafts
        made = insert_with_checks(
            model, unit.principal, driver_connection(unit.session), draft.write.given, draft.columns
        )
        written.records[draft.id] = made
        return written
    check_references(unit, model, {draft.index: (draft.write.given, draft.columns) for draft in drafts}, faults)
    faults.check()
    for group in store.split_by_hooks("create", model, drafts):
        store.insert(unit, model, group, faults)
    judgment.judge_stored(unit, model, "create", drafts, faults)
    store.tell(unit, model, "create", drafts)
    growth.note(unit, model, len(drafts))
    return _read_back(unit, model, written) if returns else written


def update(
    unit: Unit, model: type[Record], changes: Mapping[int, Change], faults: Faults, *, returns: bool = False
) -> WriteResult:
    """Write what differs from the stored rows, and read the records back where the caller ``returns`` them."""
    unit.writes.settle_before(unit, model, [change.id for change in changes.values()])
    drafts = list(_changes(unit, model, changes, faults))
    named = {
        draft.index: (draft.columns, {"organization_id": getattr(draft.record, "organization_id", None)})
        for draft in drafts
    }
    check_references(unit, model, named, faults)
    judgment.judge_fields(unit, model, drafts, faults)
    faults.check()
    written = WriteResult({draft.index: draft.id for draft in drafts})
    changed = [draft for draft in drafts if draft.columns]
    reads_back = returns and hooks.takes_many("update", model) and sql.reads_only_own_row(model, unit.principal.reader)
    for changes_apart in conflicts.split_by_conflicts(model, changed):
        for group in store.split_by_hooks("update", model, changes_apart):
            written.records.update(store.update(unit, model, group, faults, returns=reads_back))
    judgment.judge_stored(unit, model, "update", changed, faults)
    store.tell(unit, model, "update", changed)
    return _read_back(unit, model, written) if returns else written


def delete(
    unit: Unit, model: type[Record], changes: Mapping[int, Change], faults: Faults, *, returns: bool = False
) -> WriteResult:
    """Remove records with what belongs to them, by the rules of the database; read them before where the caller
    ``returns`` them."""
    clients.refuse(model, unit.principal)
    unit.writes.settle_before(unit, model, [change.id for change in changes.values()])
    drafts = [
        Draft(index, record.id, {}, Write(unit), record)
        for index, record in _locked(unit, model, changes, "delete", faults)
    ]
    faults.check()
    written = WriteResult({draft.index: draft.id for draft in drafts})
    if returns:
        _read_back(unit, model, written)
    if model.cascades_widely:
        allow_time(unit.session)
        defer_constraints(unit.session)
    for group in store.split_by_hooks("delete", model, drafts):
        store.delete(unit, model, group, faults)
    if model.cascades_widely:
        check_constraints(unit.session)
    return written


def inserts_in_one_statement(model: type[Record], reader: Reader) -> bool:
    """Whether the INSERT of a record judges what the record names, and reads it back: nothing of Python follows."""
    is_followed = hooks.has_any("create", model) or model in hooks.preparations or store.is_observed(model)
    is_followed = is_followed or bool(filling.filled(model))
    is_judged = judgment.is_needed("create", model, reader)
    return not is_followed and not is_judged and sql.reads_only_own_row(model, reader)


def insert_with_checks(
    model: type[Record], principal: Principal, connection: BoundedConnection, given: Mapping[str, Any], columns: Values
) -> Representation:
    """Insert the row of ``columns`` where the caller may name what it names, and return the record as the caller sees
    it. Raises ForeignKeyViolation and Forbidden, and the errors of the driver."""
    named = inputs.references_in(model, given)
    statement = sql.insert_statement(model, principal.reader, tuple(columns), tuple(named), returns=True, tells=True)
    parameters = {"rows": sql.document([columns]), "change_context": describe_writer(principal)} | principal.binds
    if not named:
        (row,) = statement.rows(connection, parameters)
        return statement.view.representation(row)
    asked = references.parameters([(columns.get("organization_id"), tuple(named.values()))], tuple(named))
    (row,) = statement.rows(connection, parameters | asked)
    judged, made = row[: len(named) + 2], row[len(named) + 2 :]
    if failure := references.failure(tuple(named), judged):
        raise failure
    return statement.view.representation(made)


def _drafts(unit: Unit, model: type[Record], given: Mapping[int, Values], faults: Faults) -> Iterator[Draft]:
    """The drafts of new records, without those that are refused."""
    for index in sorted(given):
        with faults.of(index):
            columns = inputs.new_row(model, unit.principal, given[index])
            write = Write(unit, given[index], prepared=hooks.prepared(unit, model, given[index]))
            yield Draft(index, columns["id"], columns, write)


def _changes(unit: Unit, model: type[Record], changes: Mapping[int, Change], faults: Faults) -> Iterator[Draft]:
    """The drafts of what differs from the stored rows, without those that are refused."""
    read = partial(_stored, unit, model)
    for index, record in list(_locked(unit, model, changes, "update", faults)):
        with faults.of(index):
            given = changes[index].given
            changed = inputs.changes_of(model, unit.principal, record, given, read)
            if unit.follows_transitions:
                inputs.check_transitions(model, unit.principal, record, changed)
            write = Write(unit, given, {name: getattr(record, name) for name in changed})
            yield Draft(index, record.id, changed, write, record)


def _locked(
    unit: Unit, model: type[Record], changes: Mapping[int, Change], operation: str, faults: Faults
) -> Iterator[tuple[int, Any]]:
    """Lock the records, and admit those that the caller may write."""
    first: dict[UUID, int] = {}
    for index in sorted(changes):
        first.setdefault(changes[index].id, index)
    rows = locks.lock(model, unit.principal, unit.session, first.keys(), operation) if first else {}
    for index, change in sorted(changes.items()):
        with faults.of(index):
            if first[change.id] != index:
                raise Invalid({"id": ["Given more than once."]})
            yield index, locks.check_writable(model, rows.get(change.id), change.condition)


def check_references(
    unit: Unit, model: type[Record], named: Mapping[int, tuple[Mapping[str, Any], Mapping[str, Any]]], faults: Faults
) -> None:
    """Judge what records name: ``named`` has the values that name rows, and those that say in which organization the
    record is."""
    wanted = {
        index: (values.get("organization_id"), inputs.references_in(model, given))
        for index, (given, values) in named.items()
        if index not in faults
    }
    connection = driver_connection(unit.session) if any(each for _, each in wanted.values()) else None
    if connection is not None:
        for index, failure in references.check(model, unit.principal, connection, wanted):
            faults[index] = failure


def _stored(unit: Unit, model: type[Record], identifier: UUID) -> Representation:
    return sql.read(model, unit.principal, driver_connection(unit.session), [identifier])[identifier]


def _read_back(unit: Unit, model: type[Record], written: WriteResult) -> WriteResult:
    """Read what was not read by the statement that wrote it."""
    if missing := [each for each in written.ids.values() if each not in written.records]:
        found = sql.read(model, unit.principal, driver_connection(unit.session), missing)
        written.records.update(found)
    return written
