"""Saved views: how somebody wants to see the records of a model, for oneself or for the organization."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Mapped

from app.engine.fields import boolean, json, reference, string
from app.engine.indexes import index
from app.engine.principal import Principal
from app.engine.record import Base, Record
from app.engine.unit_of_work import Unit
from app.foundation.errors import Conflict, Forbidden, Invalid, NotFound

MAX_VIEWS = 200
MAX_DEFINITION_BYTES = 16384
Values = dict[str, Any]


class PlatformSavedView(Base):
    """A view of the records of ``model``. Its definition is up to the programs that show records; the service runs
    none of it, so that whoever opens a view sees by its conditions what they may see anyway."""

    __tablename__ = "platform_saved_view"
    keys = (index("user_id", "model"), index("organization_id", "model"))

    user_id: Mapped[UUID] = reference("auth_user", "cascade")
    organization_id: Mapped[UUID | None] = reference("auth_organization", "cascade")
    model: Mapped[str] = string(min=1, max=80, note="its qualified name")
    name: Mapped[str] = string(min=1, max=120)
    is_shared: Mapped[bool] = boolean(default=False)
    definition: Mapped[Any] = json(shape="object", max_bytes=MAX_DEFINITION_BYTES, default={})


def list_views(unit: Unit, models: Collection[str]) -> list[PlatformSavedView]:
    """The views of ``models`` that the principal made or that are shared with them, by name."""
    seen = select(PlatformSavedView).where(_visible(unit.principal), PlatformSavedView.model.in_(models))
    return list(unit.session.scalars(seen.order_by(func.lower(PlatformSavedView.name), PlatformSavedView.id)))


def create(unit: Unit, model: type[Record], given: Values) -> PlatformSavedView:
    """Keep a view; raises Forbidden for nobody's key, Conflict past the most that one user keeps."""
    principal = unit.principal
    if principal.user_id is None:
        raise Forbidden("Views are kept for users")
    unit.lock(f"views of {principal.user_id}")
    own = select(func.count()).where(PlatformSavedView.user_id == principal.user_id)
    if (unit.session.scalar(own) or 0) >= MAX_VIEWS:
        raise Conflict(f"A user keeps at most {MAX_VIEWS} views")
    made = PlatformSavedView(user_id=principal.user_id, model=model.qualified_name())
    _set(principal, made, given)
    unit.store(made)
    return made


def change(unit: Unit, identifier: UUID, given: Values) -> PlatformSavedView:
    """Change a view; raises NotFound, and Forbidden for one of somebody else."""
    found = _find(unit, identifier)
    if found.user_id != unit.principal.user_id:
        raise Forbidden("Only who made a view changes it")
    _set(unit.principal, found, given)
    unit.session.flush()
    return found


def delete(unit: Unit, identifier: UUID) -> None:
    """Remove a view; managers also remove those that are shared with their organization. Raises NotFound and
    Forbidden."""
    found = _find(unit, identifier)
    if found.user_id != unit.principal.user_id and not unit.principal.manages(found.organization_id):
        raise Forbidden("Only who made a view, or a manager, removes it")
    unit.session.delete(found)


def _set(principal: Principal, view: PlatformSavedView, given: Values) -> None:
    for name, value in given.items():
        setattr(view, name, value)
    if not given.get("is_shared"):
        return
    if principal.organization_id not in principal.memberships:
        raise Invalid({"shared": ["Nothing is shared without an organization to act in."]})
    view.organization_id = principal.organization_id


def _find(unit: Unit, identifier: UUID) -> PlatformSavedView:
    wanted = select(PlatformSavedView).where(_visible(unit.principal), PlatformSavedView.id == identifier)
    found = unit.session.scalar(wanted.with_for_update())
    if found is None:
        raise NotFound()
    return found


def _visible(principal: Principal) -> ColumnElement[bool]:
    organizations = principal.organizations()
    shared = and_(PlatformSavedView.is_shared, PlatformSavedView.organization_id.in_(organizations))
    return or_(PlatformSavedView.user_id == principal.user_id, shared)
