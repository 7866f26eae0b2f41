"""Many records of one model in one unit, all or none: the same defaults, checks, hooks and audit as single writes, with
statements whose number does not grow with that of the records, unless a hook takes one record at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import delete as deletion
from sqlalchemy.exc import IntegrityError

from app.engine import audit, collisions, growth, hooks, inputs, locks, records, references, rows
from app.engine.database import DRIVER_ERRORS, check_constraints, defer_constraints
from app.engine.encoding import Representation
from app.engine.faults import Faults, ItemsRefused
from app.engine.hooks import Write
from app.engine.preconditions import UNCONDITIONAL, Precondition
from app.engine.record import Record
from app.engine.statements import autocommitted, driver_connection
from app.foundation.errors import Failure, Forbidden, Invalid
from app.runtime.connections import allow_time

if TYPE_CHECKING:
    from app.engine.unit_of_work import Unit

Values = dict[str, Any]
MAX_RECORDS = 1000


@dataclass(frozen=True, slots=True)
class Change:
    """New values for the record called ``id``."""

    id: UUID
    given: Values = field(default_factory=dict)
    condition: Precondition = UNCONDITIONAL


@dataclass(slots=True)
class _Draft:
    """A record on its way, as the values of its columns."""

    place: int
    write: Write
    columns: Values
    id: UUID


def create(unit: Unit, model: type[Record], given: Mapping[int, Values], faults: Faults) -> dict[int, UUID]:
    """Insert records from values by attribute, by their place in the request, and return their ids, by place.
    ``faults`` has what was found before. Raises Forbidden, and ItemsRefused."""
    if not model.policy.may_create(unit.principal):
        raise Forbidden()
    drafts = [draft for place in sorted(given) for draft in _drafted(unit, model, place, given[place], faults)]
    parents = (draft.write.given.get(model.policy.scope.column) for draft in drafts)
    locks.hold_parent_roots(model, unit.session, {each for each in parents if each is not None})
    check_references(unit, model, {draft.place: (draft.write.given, draft.columns) for draft in drafts}, faults)
    faults.check()
    if hooks.takes_many("create", model) and not model.audited:
        _insert_at_once(unit, model, drafts)
    else:
        _insert_each(unit, model, drafts)
    growth.note(unit, model, len(drafts))
    return {draft.place: draft.id for draft in drafts}


def update(unit: Unit, model: type[Record], changes: Mapping[int, Change], faults: Faults) -> None:
    """Change records, by their place in the request. Raises ItemsRefused."""
    found: dict[int, tuple[Record, Values]] = {}
    for place, record in _locked(unit, model, changes, "update", faults).items():
        with faults.of(place):
            changed = inputs.changes_of(model, unit.principal, record, changes[place].given, _reader(unit, model))
            inputs.check_transitions(model, record, changed)
            found[place] = (record, changed)
    named = {
        place: (changed, {"organization_id": getattr(record, "organization_id", None)})
        for place, (record, changed) in found.items()
    }
    check_references(unit, model, named, faults)
    faults.check()
    written: list[tuple[Record, Write]] = []
    for group in collisions.groups(model, {place: each for place, each in found.items() if each[1]}):
        written += _change(unit, model, {place: (*found[place], changes[place].given) for place in group})
    if model.audited:
        for record, write in written:
            audit.written(unit, "update", record, write.before)


def delete(unit: Unit, model: type[Record], changes: Mapping[int, Change], faults: Faults) -> None:
    """Remove records with what belongs to them, by their place in the request. Raises ItemsRefused."""
    found = _locked(unit, model, changes, "delete", faults)
    faults.check()
    if model.cascades_widely:
        allow_time(unit.session)
        defer_constraints(unit.session)
    if hooks.takes_many("delete", model) and not model.audited:
        _remove_at_once(unit, model, found)
    else:
        for place, record in found.items():
            with faults.alone(place, removing=True):
                hooks.run("delete", record, Write(unit))
                if model.audited:
                    audit.written(unit, "delete", record)
                unit.session.delete(record)
                unit.session.flush()
    if model.cascades_widely:
        check_constraints(unit.session)


def _remove_at_once(unit: Unit, model: type[Record], found: Mapping[int, Record]) -> None:
    """Remove records in one statement; where something still refers to one of them, each in its own, so that the place
    of that one is told."""
    ids = {place: record.id for place, record in found.items()}
    with _placed(list(found)):
        hooks.run_many("delete", model, list(found.values()), [Write(unit) for _ in found])
    removal = deletion(model).execution_options(synchronize_session=False)
    try:
        with unit.session.begin_nested():
            unit.session.execute(removal.where(model.id.in_(ids.values())))
    except IntegrityError:
        for place, identifier in ids.items():
            with Faults().alone(place, removing=True):
                unit.session.execute(removal.where(model.id == identifier))


def _drafted(unit: Unit, model: type[Record], place: int, given: Values, faults: Faults) -> list[_Draft]:
    """The draft of one record, or none where it is refused."""
    with faults.of(place):
        columns = inputs.new_row(model, unit.principal, given)
        write = Write(unit, given, prepared=hooks.prepared(unit, model, given))
        return [_Draft(place, write, columns, columns["id"])]
    return []


def check_references(
    unit: Unit, model: type[Record], named: Mapping[int, tuple[Mapping[str, Any], Mapping[str, Any]]], faults: Faults
) -> None:
    """Check what records name, one statement for each reference: ``named`` has the values that name rows, and those
    that say in which organization the record is."""
    asked: dict[str, dict[tuple[UUID, UUID | None], list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, (given, values) in named.items():
        if place not in faults:
            for name, wanted in inputs.references_in(model, given).items():
                asked[name][wanted, values.get("organization_id")].append(place)
    for name, rows_of in asked.items():
        for place, failure in references.faults_of_many(model, unit.principal, unit.session, name, rows_of):
            faults.setdefault(place, failure)


def _insert_at_once(unit: Unit, model: type[Record], drafts: Sequence[_Draft]) -> None:
    if hooks.has_any("create", model):
        made = [model(**draft.columns) for draft in drafts]
        with unit.session.no_autoflush, _placed([draft.place for draft in drafts]):
            hooks.run_many("create", model, made, [draft.write for draft in drafts])
        for draft, record in zip(drafts, made, strict=True):
            draft.columns = {name: getattr(record, name) for name in _columns(model)}
    connection = driver_connection(unit.session)
    connection.execute("SAVEPOINT rows")
    try:
        rows.insert(model, connection, [draft.columns for draft in drafts])
    except DRIVER_ERRORS as error:
        connection.execute("ROLLBACK TO SAVEPOINT rows")
        collisions.judge(unit, model, error, {draft.place: draft.columns for draft in drafts}, connection)
        raise


def _insert_each(unit: Unit, model: type[Record], drafts: Sequence[_Draft]) -> None:
    faults = Faults()
    for draft in drafts:
        with faults.alone(draft.place):
            record = model(**draft.columns)
            hooks.run("create", record, draft.write)
            unit.session.add(record)
            unit.session.flush()
            if model.audited:
                audit.written(unit, "create", record)


def _locked(
    unit: Unit, model: type[Record], changes: Mapping[int, Change], operation: str, faults: Faults
) -> dict[int, Any]:
    """Lock the records, and admit those that the caller may write."""
    identifiers = {change.id for change in changes.values()}
    locked = locks.locked_rows(model, unit.principal, unit.session, identifiers, operation) if identifiers else {}
    found: dict[int, Any] = {}
    seen: set[UUID] = set()
    for place, change in sorted(changes.items()):
        with faults.of(place):
            if change.id in seen:
                raise Invalid({"id": ["Given more than once."]})
            seen.add(change.id)
            found[place] = locks.admitted(model, locked.get(change.id), change.condition)
    return found


def _change(
    unit: Unit, model: type[Record], group: Mapping[int, tuple[Record, Values, Values]]
) -> list[tuple[Record, Write]]:
    """Write changes (the record, what changes, what was sent), with their hooks."""
    if not hooks.takes_many("update", model):
        return [_change_alone(unit, model, place, *each) for place, each in group.items()]
    written = [
        (record, records.assign(unit, model, record, given, changed)) for record, changed, given in group.values()
    ]
    with _placed(list(group)):
        hooks.run_many("update", model, [record for record, _ in written], [write for _, write in written])
    # A flush that fails forgets what was to be written.
    rows_of = {place: dict(vars(record)) for place, (record, _, _) in group.items()}
    try:
        unit.session.flush()
    except DRIVER_ERRORS as error:
        # The transaction is over for the database.
        with autocommitted() as connection:
            collisions.judge(unit, model, error, rows_of, connection)
        raise
    return written


def _change_alone(
    unit: Unit, model: type[Record], place: int, record: Record, changed: Values, given: Values
) -> tuple[Record, Write]:
    with Faults().alone(place):
        write = records.assign(unit, model, record, given, changed)
        hooks.run("update", record, write)
        unit.session.flush()
    return record, write


@contextmanager
def _placed(places: Sequence[int]) -> Iterator[None]:
    """Tell by its place in the request which of the records a hook of many has refused."""
    try:
        yield
    except Failure as failure:
        if failure.place is not None:
            raise ItemsRefused({places[failure.place]: failure}) from failure
        raise


def _reader(unit: Unit, model: type[Record]) -> Callable[[UUID], Representation]:
    return lambda identifier: rows.read(model, unit.principal, unit.session, [identifier])[identifier]


def _columns(model: type[Record]) -> list[str]:
    return [name for name, each in model.fields().items() if each.column is not None]
