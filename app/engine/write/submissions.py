"""Rows that anybody makes without a credential, such as requests through a contact form. Each names a public row, the
form it was sent by; the organization of that row has it, and reads it as its policy says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Uuid, bindparam, select
from sqlalchemy.orm import aliased

from app.engine.declare.kind import Reference
from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import Credential, Principal
from app.engine.declare.record import Field, Record, Setter
from app.engine.declare.scope import is_nothing
from app.engine.read.encoding import Projection
from app.engine.read.grants import Grant, GrantList, Narrowing
from app.engine.read.statements import RecordStatement, autocommit_connection, compiled
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import UNKNOWN, ForeignKeyViolation, Invalid
from config import SettingError

Model = type[Record]


@cache
def form_field(model: Model) -> Field:
    """The reference that names the form: the only one that has to be sent and leads to rows of an organization, some of
    which are public. Raises SettingError where there is none, or a choice."""
    found = [
        field
        for field in model.fields().values()
        if field.references and not field.nullable and field.set_on_create is Setter.CALLER and _is_form(model, field)
    ]
    if len(found) != 1 or model.policy.session_only is not SessionOnly.NEVER:
        raise SettingError(
            f"{model.qualified_name()} is made without a credential, and names no public row to belong to"
        )
    kind = found[0].spec.kind
    if isinstance(kind, Reference) and kind.on_delete == "restrict":
        raise SettingError(f"{model.qualified_name()}.{found[0].name} would let anybody keep a public row from going")
    return found[0]


def _is_form(model: Model, field: Field) -> bool:
    scope = model.target(field.attribute).policy.scope
    public = scope.public_rows(model.target(field.attribute))
    return not is_nothing(public) and bool(scope.organization_column or scope.parent_column)


@cache
def grant(model: Model) -> Grant:
    """What anybody may send: the form, and fields that refer to nothing."""
    form = form_field(model)
    names = frozenset(
        field.name
        for field in model.fields().values()
        if field is form or (field.set_on_create is Setter.CALLER and not field.references and not field.spec.write)
    )
    return Grant((model,), frozenset({"create"}), names)


def submit(model: Model, given: Mapping[str, Any], organization_id: UUID) -> UUID:
    """Make a row of ``organization_id``; raises what ``Unit.create`` does."""
    made: UUID = run_unit(_submitter(model, organization_id), Unit.create, model, dict(given))["id"]
    return made


def find_form(model: Model, given: Mapping[str, Any]) -> tuple[UUID, UUID]:
    """The form that a new row names, and the organization of it; raises ForeignKeyViolation for one that is not there
    or not public, alike, and Invalid."""
    form = form_field(model)
    if unknown := [name for name in given if model.fields()[name].name not in (grant(model).fields or ())]:
        raise Invalid({model.fields()[name].name: [UNKNOWN] for name in unknown})
    with autocommit_connection() as connection:
        rows = _public_form(model).rows(connection, {"wanted_id": given[form.attribute]})
    if not rows:
        raise ForeignKeyViolation.on(form.name)
    return rows[0][0], rows[0][1]


def _submitter(model: Model, organization_id: UUID) -> Principal:
    """The organization, which takes the row in, and may do nothing besides."""
    form = model.target(form_field(model).attribute)
    grants = (grant(model), Grant((form,), frozenset({"read"})))
    return Principal(
        Credential.NOBODY, UUID(int=0), frozenset({"write"}), organization_id=organization_id,
        memberships={organization_id: "owner"}, narrowing=Narrowing([GrantList(grants)], model.qualified_name()),
    )  # fmt: skip


@cache
def _public_form(model: Model) -> RecordStatement:
    form = model.target(form_field(model).attribute)
    wanted = form.id == bindparam("wanted_id", type_=Uuid())
    statement = select(form.id, _organization(form)).where(wanted, form.policy.scope.public_rows(form))
    return compiled(statement, Projection(("id", "organization_id"), (), ()))


def _organization(row: Any) -> Any:
    """The organization of a row, by its column or that of what it follows."""
    scope = row.policy.scope
    if scope.organization_column:
        return getattr(row, scope.organization_column)
    above = aliased(row.target(scope.parent_column))
    return select(_organization(above)).where(above.id == getattr(row, scope.parent_column)).scalar_subquery()
