"""Saved views: how somebody wants to see the records of a model, for oneself or for the organization.

A view that is shared belongs to the organization once its maker has left it: the managers decide about it then.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ColumnElement, and_, func, or_, select, update
from sqlalchemy.orm import Mapped

from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember
from app.engine.declare.fields import boolean, json, reference, string
from app.engine.declare.indexes import index
from app.engine.declare.principal import Principal
from app.engine.declare.record import Base, Record
from app.engine.write.hooks import Write, on_delete, require
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Conflict, Forbidden, Invalid, require_found

MAX_VIEWS = 200
MAX_DEFINITION_BYTES = 16384
Values = dict[str, Any]


class PlatformSavedView(Base):
    """A view of the records of ``model``. Its definition is up to the programs that show records; the service runs
    none of it, so that whoever opens a view sees by its conditions what they may see anyway."""

    __tablename__ = "platform_saved_view"
    __table_args__ = (CheckConstraint("user_id IS NOT NULL OR organization_id IS NOT NULL", name="owner"),)
    keys = (index("user_id", "model"), index("organization_id", "model"))

    user_id: Mapped[UUID | None] = reference("auth_user", "cascade", note="who made it; none once they have left")
    organization_id: Mapped[UUID | None] = reference("auth_organization", "cascade", note="where it is shared")
    model: Mapped[str] = string(min=1, max=80, note="its qualified name")
    name: Mapped[str] = string(min=1, max=120)
    is_shared: Mapped[bool] = boolean(default=False)
    definition: Mapped[Any] = json(shape="object", max_bytes=MAX_DEFINITION_BYTES, default={})


def list_views(unit: Unit, models: Collection[str], take: int, skip: int) -> tuple[list[PlatformSavedView], int]:
    """A page of the views of ``models`` that are the principal's or shared with them, by name, and how many there
    are."""
    seen = (_visible(unit.principal), PlatformSavedView.model.in_(models))
    count = unit.session.scalar(select(func.count()).select_from(PlatformSavedView).where(*seen)) or 0
    by_name = select(PlatformSavedView).where(*seen).order_by(func.lower(PlatformSavedView.name), PlatformSavedView.id)
    return list(unit.session.scalars(by_name.limit(take).offset(skip))), count


def create(unit: Unit, model: type[Record], given: Values) -> PlatformSavedView:
    """Keep a view; raises Forbidden for nobody's key, Conflict past the most that one user keeps."""
    user_id = require_found(unit.principal.user_id, Forbidden("Views are kept for users"))
    unit.lock(f"views of {user_id}")
    own = select(func.count()).where(PlatformSavedView.user_id == user_id)
    if (unit.session.scalar(own) or 0) >= MAX_VIEWS:
        raise Conflict(f"A user keeps at most {MAX_VIEWS} views")
    made = PlatformSavedView(user_id=user_id, model=model.qualified_name())
    _set(unit, made, given)
    unit.store(made)
    return made


def change(unit: Unit, identifier: UUID, given: Values) -> PlatformSavedView:
    """Change a view; raises NotFound, and Forbidden for one of somebody else."""
    found = _find(unit, identifier)
    if not may_change(found, unit.principal):
        raise Forbidden("Only who made a view changes it")
    _set(unit, found, given)
    unit.session.flush()
    return found


def delete(unit: Unit, identifier: UUID) -> None:
    """Remove a view; managers also remove those that are shared with their organization. Raises NotFound and
    Forbidden."""
    found = _find(unit, identifier)
    if not is_own(found, unit.principal) and not unit.principal.manages(found.organization_id):
        raise Forbidden("Only who made a view, or a manager, removes it")
    unit.session.delete(found)


def is_own(view: PlatformSavedView, principal: Principal) -> bool:
    """Whether a view that the principal sees is one that they made."""
    return view.user_id is not None and view.user_id == principal.user_id


def may_change(view: PlatformSavedView, principal: Principal) -> bool:
    """Whether the principal may change a view that they see: their own, or as a manager one that was left to the
    organization."""
    return is_own(view, principal) if view.user_id else principal.manages(view.organization_id)


@on_delete(AuthMember)
def leave_shared(member: AuthMember, write: Write) -> None:
    """Leave to an organization what somebody who goes has shared there."""
    _hand_over(write.unit, member.user_id, PlatformSavedView.organization_id == member.organization_id)


@on_delete(AuthUser)
def leave_all_shared(user: AuthUser, write: Write) -> None:
    """The same for every organization of an account that goes."""
    _hand_over(write.unit, user.id)


def _hand_over(unit: Unit, user_id: UUID, *which: ColumnElement[bool]) -> None:
    shared = (PlatformSavedView.user_id == user_id, PlatformSavedView.is_shared, *which)
    unit.bookkeep(update(PlatformSavedView).where(*shared).values(user_id=None))


def _set(unit: Unit, view: PlatformSavedView, given: Values) -> None:
    was_shared = bool(view.is_shared)
    for name, value in given.items():
        setattr(view, name, value)
    if view.is_shared and not was_shared:
        view.organization_id = _sharing_organization(unit)
    elif was_shared and not view.is_shared:
        require(view.user_id is not None, "shared", "Stays shared: whoever made it has left.")
        view.organization_id = None


def _sharing_organization(unit: Unit) -> UUID:
    """The organization that the principal acts in. Their membership is held: whoever removes it at this moment comes
    after what is shared, and hands that over as well. Raises Invalid."""
    principal = unit.principal
    if principal.organization_id in principal.memberships:
        own = (AuthMember.organization_id == principal.organization_id, AuthMember.user_id == principal.user_id)
        held = unit.session.scalar(select(AuthMember).where(*own).with_for_update(read=True, key_share=True))
        if held is not None:
            return held.organization_id
    raise Invalid({"shared": ["Nothing is shared without an organization to act in."]})


def _find(unit: Unit, identifier: UUID) -> PlatformSavedView:
    wanted = select(PlatformSavedView).where(_visible(unit.principal), PlatformSavedView.id == identifier)
    return require_found(unit.session.scalar(wanted.with_for_update()))


def _visible(principal: Principal) -> ColumnElement[bool]:
    """The condition of private views of one's own, and of those that are shared where one is a member now."""
    shared = and_(PlatformSavedView.is_shared, PlatformSavedView.organization_id.in_(principal.organizations()))
    if principal.user_id is None:
        return shared
    return or_(and_(PlatformSavedView.user_id == principal.user_id, PlatformSavedView.is_shared.is_(False)), shared)
