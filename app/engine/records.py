"""Get, create, update and delete records of any model: policy, references and hooks, and no HTTP.

Writes belong to a unit of work, which has them as methods."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified, set_committed_value

from app.engine import audit, expansions, hooks, inputs, locks, references, returning, statements
from app.engine.concurrency import place_for
from app.engine.database import after_unit, check_constraints, defer_constraints
from app.engine.encoding import Representation
from app.engine.hooks import Write, readings, run
from app.engine.preconditions import UNCONDITIONAL, Precondition
from app.engine.principal import Principal
from app.engine.query import WHOLE, Selection
from app.engine.record import Record
from app.engine.statements import driver_connection
from app.foundation.errors import Forbidden, NotFound
from app.runtime.connections import allow_time

if TYPE_CHECKING:
    from app.engine.unit_of_work import Unit

Values = dict[str, Any]


def get(model: type[Record], principal: Principal, identifier: UUID, selection: Selection = WHOLE) -> Representation:
    """The record with this id, or what ``selection`` chooses of it, with what it expands; raises NotFound alike for
    absent and invisible ones."""
    statement = statements.item(model, principal.reader)
    with statements.autocommitted() as connection:
        rows = statement.rows(connection, {"wanted_id": identifier} | principal.binds)
    if not rows:
        raise NotFound()
    record = statement.view.representation(rows[0])
    if selection.expansions:
        _expand(principal, selection, record)
    for hook in readings.get(model, ()):
        after_unit(partial(hook, record, principal))
    return record if selection.names is None else Representation(selection.of(record), record.version)


def _expand(principal: Principal, selection: Selection, record: Values) -> None:
    references = {each.relation.reference for each in selection.expansions if not each.relation.many}
    referred = {field.attribute: record.get(field.name) for field in references}
    with place_for(principal), statements.autocommitted("queries") as connection:
        expansions.expand(connection, principal, selection, [(record, referred)])


def get_own(model: type[Record], principal: Principal, identifier: UUID) -> Values:
    """The calling credential's own record, always readable by it."""
    statement = statements.stored(model, principal.reader)
    with statements.autocommitted() as connection:
        return statement.view.record(statement.rows(connection, {"wanted_id": identifier} | principal.binds)[0])


def create(unit: Unit, model: type[Record], given: Values) -> Representation:
    """Insert a record with its defaults; ``Unit.create`` is for callers."""
    principal, session = unit.principal, unit.session
    if not model.policy.may_create(principal):
        raise Forbidden()
    columns, named = inputs.new_row(model, principal, given), inputs.references_in(model, given)
    write = Write(unit, given, prepared=hooks.prepared(unit, model, given))
    parent_id = given.get(model.policy.scope.column)
    locks.hold_parent_roots(model, session, [] if parent_id is None else [parent_id])
    if returning.is_plain(model, principal.reader):
        return returning.insert(model, principal, driver_connection(session), columns, named)
    references.check(model, principal, session, named, columns.get("organization_id"))
    record = model(**columns)
    run("create", record, write)
    session.add(record)
    session.flush()
    if model.audited:
        audit.written(unit, "create", record)
    return stored(model, principal, session, record.id)


def update(
    unit: Unit, model: type[Record], identifier: UUID, given: Values, condition: Precondition = UNCONDITIONAL
) -> Representation:
    """Write what differs from the stored row; ``Unit.update`` is for callers."""
    principal, session = unit.principal, unit.session
    record = locks.locked(model, principal, session, identifier, "update", condition)
    changes = inputs.changes_of(model, principal, record, given, partial(stored, model, principal, session))
    inputs.check_transitions(model, record, changes)
    referenced = inputs.references_in(model, changes)
    references.check(model, principal, session, referenced, getattr(record, "organization_id", None))
    if not changes:
        return stored(model, principal, session, identifier)
    if returning.takes_changes(model, principal.reader):
        return _change(unit, model, record, given, changes)
    write = assign(unit, model, record, given, changes)
    run("update", record, write)
    session.flush()
    if model.audited:
        audit.written(unit, "update", record, write.before)
    return stored(model, principal, session, identifier)


def _change(unit: Unit, model: type[Record], record: Record, given: Values, changes: Values) -> Representation:
    """Write changes by the statement that reads the record back. To the session they are what is stored."""
    columns = [name for name, field in model.fields().items() if field.column is not None]
    was = {name: getattr(record, name) for name in columns} if hooks.has_any("update", model) else {}
    write = Write(unit, given, {name: getattr(record, name) for name in changes})
    written = inputs.sealed(model, changes)
    _settle(record, written)
    run("update", record, write)
    hooked = {
        name: getattr(record, name) for name, value in (was | written).items() if getattr(record, name) is not value
    }
    _settle(record, hooked)
    if model.audited:
        audit.written(unit, "update", record, write.before)
    return returning.update(model, unit.principal, driver_connection(unit.session), record.id, written | hooked)


def _settle(record: Record, values: Values) -> None:
    for name, value in values.items():
        set_committed_value(record, name, value)


def assign(unit: Unit, model: type[Record], record: Record, given: Values, changes: Values) -> Write:
    """Give a record its new values; returns the write, for its hooks."""
    before = {name: getattr(record, name) for name in changes}
    for name, value in inputs.sealed(model, changes).items():
        setattr(record, name, value)
        flag_modified(record, name)  # to the ORM, 1 and true are equal
    return Write(unit, given, before)


def delete(
    unit: Unit, model: type[Record], identifier: UUID, condition: Precondition = UNCONDITIONAL, *,
    returning: bool = False,
) -> Representation | None:  # fmt: skip
    """Remove a record, and read it before when it is wanted; ``Unit.delete`` is for callers."""
    principal, session = unit.principal, unit.session
    record = locks.locked(model, principal, session, identifier, "delete", condition)
    last = stored(model, principal, session, identifier) if returning else None
    if model.cascades_widely:
        allow_time(session)
        defer_constraints(session)
    run("delete", record, Write(unit))
    if model.audited:
        audit.written(unit, "delete", record)
    session.delete(record)
    session.flush()
    if model.cascades_widely:
        check_constraints(session)
    return last


def stored(model: type[Record], principal: Principal, session: Session, identifier: UUID) -> Representation:
    """Read the row back as the caller sees it, on the connection of the transaction."""
    statement = statements.stored(model, principal.reader)
    (row,) = statement.rows(driver_connection(session), {"wanted_id": identifier} | principal.binds)
    return statement.view.representation(row)
