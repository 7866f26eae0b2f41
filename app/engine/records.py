"""Get, create, update and delete records of any model: policy, references and hooks, and no HTTP.

Writes belong to a unit of work, which has them as methods."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import literal, select
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified
from uuid_utils.compat import uuid7

from app.engine import audit, expansions, references, statements
from app.engine.concurrency import place_for
from app.engine.database import defer_constraints
from app.engine.fields import (
    ADMIN_READS,
    CALLER_ORGANIZATION,
    CALLER_USER,
    ENCRYPTED,
    NOW,
    After,
    Default,
    Made,
)
from app.engine.hooks import Write, preparations, readings, run
from app.engine.policy import Organization, Owner, Parent
from app.engine.principal import Principal
from app.engine.query import WHOLE, Selection
from app.engine.record import Field, Record, camel
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.foundation.errors import Forbidden, ForeignKeyViolation, Invalid, NotFound
from app.runtime.connections import allow_time

if TYPE_CHECKING:
    from app.engine.unit_of_work import Unit

Values = dict[str, Any]


def get(model: type[Record], principal: Principal, identifier: UUID, selection: Selection = WHOLE) -> Values:
    """The record with this id, or what ``selection`` chooses of it, with what it expands; raises NotFound alike for
    absent and invisible ones."""
    statement = statements.item(model, principal.reader)
    with statements.autocommitted() as connection:
        rows = statement.rows(connection, {"wanted_id": identifier} | principal.binds)
    if not rows:
        raise NotFound()
    record = statement.view.record(rows[0])
    if selection.expansions:
        _expand(principal, selection, record)
    for hook in readings.get(model, ()):
        hook(record, principal)
    return record if selection.names is None else selection.of(record)


def _expand(principal: Principal, selection: Selection, record: Values) -> None:
    references = {each.relation.reference for each in selection.expansions if not each.relation.many}
    referred = {field.attribute: record.get(field.name) for field in references}
    with place_for(principal), statements.autocommitted() as connection:
        expansions.expand(connection, principal, selection, [(record, referred)])


def get_own(model: type[Record], principal: Principal, identifier: UUID) -> Values:
    """The calling credential's own record, always readable by it."""
    statement = statements.stored(model, principal.reader)
    with statements.autocommitted() as connection:
        return statement.view.record(statement.rows(connection, {"wanted_id": identifier} | principal.binds)[0])


def create(unit: Unit, model: type[Record], given: Values) -> Values:
    """Insert a record with its defaults; ``Unit.create`` is for callers."""
    principal, session = unit.principal, unit.session
    if not model.policy.may_create(principal):
        raise Forbidden()
    values = _with_defaults(model, principal, given)
    write = Write(unit, given, prepared=_prepared(unit, model, given))
    _check_organization(model, principal, values)
    _hold_root(model, session, parent_id=given.get(model.policy.scope.column))
    references.check(model, principal, session, _references(model, given), values.get("organization_id"))
    columns = {name: value for name, value in values.items() if model.fields()[name].column is not None}
    record = model(id=uuid7(), **_sealed(model, columns))
    run("create", record, write)
    session.add(record)
    session.flush()
    if model.audited:
        audit.written(unit, "create", record)
    return _stored(model, principal, session, record.id)


def update(unit: Unit, model: type[Record], identifier: UUID, given: Values) -> Values:
    """Write what differs from the stored row; ``Unit.update`` is for callers."""
    principal, session = unit.principal, unit.session
    record = _locked(model, principal, session, identifier, "update")
    changes = _changes(model, principal, session, record, given)
    _check_transitions(model, record, changes)
    referenced = _references(model, changes)
    references.check(model, principal, session, referenced, getattr(record, "organization_id", None))
    before = {name: getattr(record, name) for name in changes}
    for name, value in _sealed(model, changes).items():
        setattr(record, name, value)
        flag_modified(record, name)  # to the ORM, 1 and true are equal
    if changes:
        run("update", record, Write(unit, given, before))
    session.flush()
    if changes and model.audited:
        audit.written(unit, "update", record, before)
    return _stored(model, principal, session, identifier)


def delete(unit: Unit, model: type[Record], identifier: UUID, *, returning: bool = False) -> Values | None:
    """Remove a record, and read it before when it is wanted; ``Unit.delete`` is for callers."""
    principal, session = unit.principal, unit.session
    record = _locked(model, principal, session, identifier, "delete")
    last = _stored(model, principal, session, identifier) if returning else None
    if model.cascades_widely:
        allow_time(session)
        defer_constraints(session)
    run("delete", record, Write(unit))
    if model.audited:
        audit.written(unit, "delete", record)
    session.delete(record)
    session.flush()
    return last


def _prepared(unit: Unit, model: type[Record], given: Values) -> Any:
    """What is made for a create before the transaction begins; discarded should the unit come to nothing."""
    if model not in preparations:
        return None
    prepared = preparations[model](given)
    unit.on_rollback(prepared.discard)
    return prepared


def _with_defaults(model: type[Record], principal: Principal, given: Values) -> Values:
    """Lay what was sent over what the credential and the clock supply; check who the owner may be."""
    values: Values = {}
    foreign_owner = _foreign_owner(model, principal, given)
    for name, field in model.fields().items():
        if field.spec.default is CALLER_USER:
            values[name] = principal.user_id
        elif field.spec.default is CALLER_ORGANIZATION and not (foreign_owner and field.nullable):
            values[name] = principal.organization_id
        elif field.spec.default is NOW:
            values[name] = now()
        elif isinstance(field.spec.default, After):
            values[name] = now() + field.spec.default.delay
        elif isinstance(field.spec.default, Made):
            values[name] = field.spec.default.make()
        elif field.spec.has_default and not isinstance(field.spec.default, Default):
            values[name] = deepcopy(field.spec.default)
    for name, value in given.items():
        field = model.fields()[name]
        if not field.set_on_create.admits(principal):
            raise Invalid({field.name: ["Is set by the server."]})
        values[name] = value
    return values


def _owner(model: type[Record]) -> str:
    return model.policy.scope.column if isinstance(model.policy.scope, Owner) else ""


def _foreign_owner(model: type[Record], principal: Principal, given: Values) -> bool:
    owner = given.get(_owner(model), principal.user_id)
    if owner == principal.user_id:
        return False
    if not principal.is_admin:
        raise Forbidden("Records are made in one's own name")
    return True


def _check_organization(model: type[Record], principal: Principal, values: Values) -> None:
    """Records join an organization in which the caller may write; any other reads as missing."""
    scope = model.policy.scope
    if not isinstance(scope, Organization) or scope.column not in values:
        return
    organization_id = values[scope.column]
    if organization_id is None:
        if not model.fields()[scope.column].nullable:
            raise Invalid({camel(scope.column): ["Is required: the credential acts in no organization."]})
        return
    if not principal.is_admin and organization_id not in principal.memberships:
        raise ForeignKeyViolation.on(camel(scope.column))
    if not model.policy.may_create_in(organization_id, principal):
        raise Forbidden("The role in the organization does not admit this")


def _references(model: type[Record], values: Values) -> dict[str, UUID]:
    fields = model.fields()
    return {name: value for name, value in values.items() if value is not None and fields[name].references}


def _locked(model: type[Record], principal: Principal, session: Session, identifier: UUID, operation: str) -> Any:
    """Lock the visible row for the rest of the transaction; raises NotFound or Forbidden."""
    policy, reader = model.policy, principal.reader
    _hold_root(model, session, identifier=identifier)
    wanted = (model.id == identifier, policy.reachable(model, reader, operation))
    writable = policy.writable(model, reader, operation).label("writable")
    statement = select(model, writable).where(*wanted).with_for_update(of=model)
    row = session.execute(statement, principal.binds).one_or_none()
    if row is None:
        raise NotFound()
    if not row.writable:
        raise Forbidden()
    return row[0]


def _hold_root(
    model: type[Record], session: Session, *, identifier: UUID | None = None, parent_id: UUID | None = None
) -> None:
    """Keep the root of a parent-scoped record from going before this write is done.

    A removal locks from the root down, the hooks of a write from the record up; whoever holds the root first keeps
    the two from waiting for each other.
    """
    if not isinstance(model.policy.scope, Parent):
        return
    reached: type[Record] = model if parent_id is None else model.target(model.policy.scope.column)
    statement = select(literal(1)).select_from(reached).where(reached.id == (parent_id or identifier))
    while isinstance(reached.policy.scope, Parent):
        upper, column = reached.target(reached.policy.scope.column), getattr(reached, reached.policy.scope.column)
        statement = statement.join(upper, upper.id == column)
        reached = upper
    session.execute(statement.with_for_update(read=True, key_share=True, of=reached))


def _changes(model: type[Record], principal: Principal, session: Session, record: Record, given: Values) -> Values:
    """Keep of ``given`` what differs from the stored row; raises Invalid where it may not differ."""
    changes: Values = {}
    shown: Values | None = None
    for name, value in given.items():
        field = model.fields()[name]
        if name in ("created_at", "updated_at"):
            continue
        if ADMIN_READS in field.spec.flags and not principal.is_admin:
            raise Invalid({field.name: ["Unknown field."]})
        if field.column is None:
            shown = shown or _stored(model, principal, session, record.id)
            _check_repeats(field, value, shown.get(field.name))
        elif not field.set_on_update.admits(principal):
            _check_repeats(field, value, getattr(record, name))
        elif not field.spec.kind.same(value, getattr(record, name)) or ENCRYPTED in field.spec.flags:
            changes[name] = value
    return changes


def _check_repeats(field: Field, value: Any, stored: Any) -> None:
    if not field.spec.kind.same(value, stored):
        raise Invalid({field.name: ["Cannot be changed."]})


def _check_transitions(model: type[Record], record: Record, changes: Values) -> None:
    for name, steps in model.transitions.items():
        if name in changes:
            state, wanted = getattr(record, name), changes[name]
            if wanted not in steps.get(state, []):
                raise Invalid({camel(name): [f"Cannot go from {state} to {wanted}."]})


def _sealed(model: type[Record], values: Values) -> Values:
    """Encrypt what is kept encrypted at rest."""
    fields = model.fields()
    return {
        name: vault().encrypt(value) if ENCRYPTED in fields[name].spec.flags and value is not None else value
        for name, value in values.items()
    }


def _stored(model: type[Record], principal: Principal, session: Session, identifier: UUID) -> Values:
    """Read the row back as the caller sees it, on the connection of the transaction."""
    statement = statements.stored(model, principal.reader)
    (row,) = statement.rows(statements.within(session), {"wanted_id": identifier} | principal.binds)
    return statement.view.record(row)
