"""What a write stores of what was sent: defaults, owners and organizations, changes and transitions of states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache
from typing import Any
from uuid import UUID

from uuid_utils.compat import uuid7

from app.engine.declare.fields import (
    ADMIN_READS,
    ASKED_FOR,
    CALLER_ORGANIZATION,
    CALLER_USER,
    ENCRYPTED,
    NOW,
    Default,
    Factory,
    FromNow,
)
from app.engine.declare.principal import Principal
from app.engine.declare.record import Field, Record, camel
from app.engine.write import clients
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.foundation.errors import UNKNOWN, Forbidden, ForeignKeyViolation, Invalid

Values = dict[str, Any]
# No value of a field is the same.
NOTHING = object()


def with_defaults(model: type[Record], principal: Principal, given: Values) -> Values:
    """Lay what was sent over what the credential and the clock supply; check who the owner may be."""
    values: Values = {}
    foreign_owner = _foreign_owner(model, principal, given)
    for name, field in _supplied(model):
        default = field.spec.default
        if default is CALLER_USER:
            values[name] = principal.user_id
        elif default is CALLER_ORGANIZATION:
            if not (foreign_owner and field.nullable):
                values[name] = principal.organization_id
        elif default is NOW:
            values[name] = now()
        elif isinstance(default, FromNow):
            values[name] = now() + default.delay
        elif isinstance(default, Factory):
            values[name] = default.make()
        else:
            values[name] = deepcopy(default)
    clients.refuse(model, principal, given)
    fields = model.fields()
    for name, value in given.items():
        field = fields[name]
        if principal.narrowing is not None and not principal.reader.shows(model, field.name, "create"):
            raise Invalid({field.name: [UNKNOWN]})
        if not field.set_on_create.admits(principal):
            raise Invalid({field.name: ["Is set by the server."]})
        values[name] = value
    return values


def new_row(model: type[Record], principal: Principal, given: Values) -> Values:
    """The columns of a new record, as they are stored; raises Invalid, Forbidden and ForeignKeyViolation."""
    values = with_defaults(model, principal, given)
    check_organization(model, principal, values)
    fields = model.fields()
    columns = {name: value for name, value in values.items() if fields[name].column is not None}
    return {**encrypt_columns(model, columns), "id": uuid7()}


def check_organization(model: type[Record], principal: Principal, values: Values) -> None:
    """Records join an organization in which the caller may write; any other reads as missing."""
    name = model.policy.scope.organization_column
    if name not in values:
        return
    organization_id = values[name]
    if organization_id is None:
        if not model.fields()[name].nullable:
            raise Invalid({camel(name): ["Is required: the credential acts in no organization."]})
        return
    if not principal.is_admin and organization_id not in principal.memberships:
        raise ForeignKeyViolation.on(camel(name))
    if not model.policy.may_create_in(organization_id, principal):
        raise Forbidden("The role in the organization does not admit this")


def references_in(model: type[Record], values: Mapping[str, Any]) -> dict[str, UUID]:
    fields = model.fields()
    return {
        name: value
        for name, value in values.items()
        if value is not None and fields[name].references and not fields[name].spec.kind.is_judged_apart
    }


def changes_of(
    model: type[Record], principal: Principal, record: Record, given: Values, read: Callable[[UUID], Values]
) -> Values:
    """Keep of ``given`` what differs from the stored row, of which ``read`` gives what the caller sees; raises Invalid
    where it may not differ."""
    changes: Values = {}
    shown: Values | None = None
    for name, value in given.items():
        field = model.fields()[name]
        if name in ("created_at", "updated_at"):
            continue
        if ADMIN_READS in field.spec.flags and not principal.is_admin:
            raise Invalid({field.name: [UNKNOWN]})
        if principal.narrowing is not None and not _is_granted(model, principal, field):
            raise Invalid({field.name: [UNKNOWN]})
        if field.column is None:
            shown = shown or read(record.id)
            _check_repeats(field, value, shown.get(field.name))
        elif ENCRYPTED in field.spec.flags:
            # Whoever does not see the value on this row learns nothing by a guess.
            shown = shown or read(record.id)
            is_repeated = field.name in shown and _is_sealed(field, value, getattr(record, name))
            if not is_repeated and not field.set_on_update.admits(principal):
                raise Invalid({field.name: ["Cannot be changed."]})
            if not is_repeated:
                changes[name] = value
        elif not field.set_on_update.admits(principal):
            # Whoever does not see the stored value learns it by no repetition.
            _check_repeats(field, value, getattr(record, name) if reads(model, principal, name) else NOTHING)
        elif not field.spec.kind.same(value, getattr(record, name)):
            changes[name] = value
    clients.refuse(model, principal, changes)
    return changes


def _is_sealed(field: Field, value: Any, kept: str | None) -> bool:
    """Whether a row has ``value`` encrypted. Of a secret that nobody reads that is told to nobody."""
    return field.spec.readable and value == (None if kept is None else vault().decrypt(kept))


def check_transitions(model: type[Record], principal: Principal, record: Record, changes: Values) -> None:
    for name, steps in model.transitions.items():
        if name in changes:
            state, wanted = getattr(record, name), changes[name]
            if wanted not in steps.get(state, []):
                is_read = reads(model, principal, name)
                told = f"Cannot go from {state} to {wanted}." if is_read else f"Cannot go to {wanted}."
                raise Invalid({camel(name): [told]})


def encrypt_columns(model: type[Record], values: Values) -> Values:
    """Encrypt what is kept encrypted at rest."""
    fields = model.fields()
    return {
        name: vault().encrypt(value) if ENCRYPTED in fields[name].spec.flags and value is not None else value
        for name, value in values.items()
    }


@cache
def columns(model: type[Record]) -> tuple[str, ...]:
    """The attributes of ``model`` that are stored."""
    return tuple(name for name, field in model.fields().items() if field.column is not None)


def stored_of(record: Record) -> Values:
    """Return the stored values of ``record`` by attribute, but for those that nobody has set: they are left to the
    database."""
    known = vars(record)
    return {name: known[name] for name in columns(type(record)) if name in known}


@cache
def _supplied(model: type[Record]) -> tuple[tuple[str, Field], ...]:
    """The fields of ``model`` that have a value before anything is sent."""
    known = (CALLER_USER, CALLER_ORGANIZATION, NOW)
    defaults = ((name, field, field.spec.default) for name, field in model.fields().items() if field.spec.has_default)
    return tuple(
        (name, field)
        for name, field, each in defaults
        if not isinstance(each, ASKED_FOR) and (not isinstance(each, Default) or each in known)
    )


def reads(model: type[Record], principal: Principal, attribute: str) -> bool:
    """Whether grants let the caller read a field on some row."""
    if principal.narrowing is None:
        return True
    return attribute == "id" or principal.reader.shows(model, model.fields()[attribute].name, "read")


def _is_granted(model: type[Record], principal: Principal, field: Field) -> bool:
    """Whether grants leave the caller a field to change, or it names the record."""
    return field.name == "id" or principal.reader.shows(model, field.name, "update")


def _foreign_owner(model: type[Record], principal: Principal, given: Values) -> bool:
    owner = given.get(model.policy.scope.owner_column, principal.user_id)
    if owner == principal.user_id:
        return False
    if not principal.is_admin:
        raise Forbidden("Records are made in one's own name")
    return True


def _check_repeats(field: Field, value: Any, stored: Any) -> None:
    if stored is NOTHING or not field.spec.kind.same(value, stored):
        raise Invalid({field.name: ["Cannot be changed."]})
