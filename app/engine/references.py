"""Reference checks: every row that a body names must be visible to the caller, and its parent writable."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Uuid, and_, bindparam, exists, select
from sqlalchemy.orm import Session

from app.engine.encoding import View
from app.engine.kind import Reference
from app.engine.policy import Parent, Public
from app.engine.principal import Principal, Reader
from app.engine.record import Record, camel
from app.engine.statements import Viewed, compiled, within
from app.foundation.errors import Forbidden, ForeignKeyViolation

ORGANIZATION = bindparam("record_organization", type_=Uuid())


def check(
    model: type[Record], principal: Principal, session: Session, named: Mapping[str, UUID], organization_id: UUID | None
) -> None:
    """Check the references ``named`` (by attribute) in one statement.

    Raises ForeignKeyViolation for the first row that is missing or invisible, alike for both, and Forbidden for
    a parent that may be seen and not written.
    """
    if not named:
        return
    attributes = tuple(named)
    parameters = {f"ref_{name}": value for name, value in named.items()} | principal.binds
    statement = _statement(model, principal.reader, attributes, organization_id is not None)
    ((*met, parent_writable),) = statement.rows(within(session), parameters | {"record_organization": organization_id})
    for name, is_met in zip(attributes, met, strict=True):
        if not is_met:
            raise ForeignKeyViolation.on(camel(name))
    if not parent_writable:
        raise Forbidden()


@lru_cache(maxsize=1024)
def _statement(model: type[Record], reader: Reader, attributes: tuple[str, ...], within: bool) -> Viewed:
    met = [exists().where(_admissible(model, reader, name, within)).label(name) for name in attributes]
    writable = _parent_writable(model, reader, attributes)
    answers: list[ColumnElement[Any]] = [*met, writable.label("parent_writable")]
    return compiled(select(*answers), View(attributes, None, ()))


def _admissible(model: type[Record], reader: Reader, attribute: str, within: bool) -> ColumnElement[bool]:
    """A row that may be named: visible, and for a restricting reference from the record's own scope, so that
    nobody can pin a public row of somebody else."""
    target = model.target(attribute)
    wanted = target.id == bindparam(f"ref_{attribute}", type_=Uuid())
    scope = target.policy.scope
    kind = model.fields()[attribute].spec.kind
    restricts = isinstance(kind, Reference) and kind.on_delete == "restrict"
    if not restricts or isinstance(scope, Public):
        return and_(wanted, target.policy.visible(target, reader))
    own = and_(wanted, scope.own(target, reader))
    if within and "organization_id" in target.fields():
        return and_(own, target.organization_id == ORGANIZATION)  # type: ignore[attr-defined]
    return own


def _parent_writable(model: type[Record], reader: Reader, attributes: tuple[str, ...]) -> ColumnElement[bool]:
    scope = model.policy.scope
    if not isinstance(scope, Parent) or scope.column not in attributes:
        return exists(select(1))
    target = model.target(scope.column)
    wanted = target.id == bindparam(f"ref_{scope.column}", type_=Uuid())
    return exists().where(wanted, target.policy.scope.writable(target, reader, target.policy.update))
