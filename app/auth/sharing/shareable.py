"""Records that a caller may share, and what belongs to them."""

from __future__ import annotations

from functools import cache
from uuid import UUID

from sqlalchemy import select

from app.engine.declare import relations
from app.engine.declare.record import Record
from app.engine.declare.relations import Relation
from app.engine.declare.scopes import Parent
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Forbidden, require_found

Model = type[Record]


def require_shareable(unit: Unit, model: Model, identifier: UUID) -> Record:
    """A record that the caller may change, and not because it is shared with them. Raises NotFound and Forbidden."""
    principal, policy = unit.principal, model.policy
    own = principal.without_shares()
    may = policy.writable(model, own.reader, "update")
    wanted = select(model, may).where(model.id == identifier, policy.visible(model, principal.reader))
    record, is_writable = require_found(unit.session.execute(wanted, principal.binds).one_or_none())
    if not is_writable:
        raise Forbidden()
    found: Record = record
    return found


def organization_of(record: Record) -> UUID | None:
    """The organization that a record belongs to, if it belongs to one."""
    column = type(record).policy.scope.organization_column
    found: UUID | None = getattr(record, column) if column else None
    return found


def organization_above(unit: Unit, record: Record) -> UUID | None:
    """The organization that a record belongs to, by itself or by what it follows."""
    row: Record | None = record
    while row is not None:
        scope = type(row).policy.scope
        if scope.organization_column or scope.owner_column or not scope.parent_column:
            return organization_of(row)
        row = unit.session.get(type(row).target(scope.parent_column), getattr(row, scope.parent_column))
    return None


@cache
def children(model: Model) -> tuple[Relation, ...]:
    """The relations to what belongs to records of ``model``, and is read where these are."""
    return tuple(each for each in relations.of(model).values() if each.many and _follows(each))


@cache
def belonging(model: Model) -> frozenset[Model]:
    """The models of what belongs to records of ``model``, at any depth, with ``model`` itself."""
    below = (each.target for each in relations.of(model).values() if each.many and _is_child(each))
    return frozenset({model}).union(*map(belonging, below))


def _follows(relation: Relation) -> bool:
    scope = relation.target.policy.scope
    return _is_child(relation) and isinstance(scope, Parent) and scope.inherits_public


def _is_child(relation: Relation) -> bool:
    return relation.target.policy.scope.parent_column == relation.reference.attribute
