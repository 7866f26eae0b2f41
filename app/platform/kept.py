"""What people keep for themselves or share with their organization: saved views and dashboards.

What is shared belongs to the organization once its maker has left it: the managers decide about it then. Definitions
are up to the programs that show them; the service runs none of it, so that whoever opens one sees what they may see
anyway.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar, TypeVar
from uuid import UUID

from sqlalchemy import CheckConstraint, ColumnElement, and_, func, or_, select, update
from sqlalchemy.orm import Mapped

from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember
from app.engine.declare.fields import boolean, json, reference, string
from app.engine.declare.indexes import index
from app.engine.declare.principal import Principal
from app.engine.declare.record import Base
from app.engine.write.hooks import Write, on_delete, require
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Conflict, Forbidden, Invalid, require_found

VIEW_BYTES, DASHBOARD_BYTES = 16_384, 65_536
OWNED = "user_id IS NOT NULL OR organization_id IS NOT NULL"
Values = dict[str, Any]


class Kept(Base):
    """What has a name and a definition, and is somebody's."""

    __abstract__ = True

    most: ClassVar[int] = 200

    user_id: Mapped[UUID | None] = reference("auth_user", "cascade", note="who made it; none once they have left")
    organization_id: Mapped[UUID | None] = reference("auth_organization", "cascade", note="where it is shared")
    name: Mapped[str] = string(min=1, max=120)
    is_shared: Mapped[bool] = boolean(default=False)


K = TypeVar("K", bound=Kept)


class PlatformSavedView(Kept):
    """How somebody wants to see the records of ``model``."""

    __tablename__ = "platform_saved_view"
    __table_args__ = (CheckConstraint(OWNED, name="owner"),)
    keys = (index("user_id", "model"), index("organization_id", "model"))

    model: Mapped[str] = string(min=1, max=80, note="its qualified name")
    definition: Mapped[Any] = json(shape="object", max_bytes=VIEW_BYTES, default={})


class PlatformDashboard(Kept):
    """Figures, charts, views and texts on one page."""

    __tablename__ = "platform_dashboard"
    __table_args__ = (CheckConstraint(OWNED, name="owner"),)
    keys = (index("user_id"), index("organization_id"))

    definition: Mapped[Any] = json(shape="object", max_bytes=DASHBOARD_BYTES, default={})


def list_views(unit: Unit, models: Collection[str], take: int, skip: int) -> tuple[list[PlatformSavedView], int]:
    """A page of the views of ``models`` that are the principal's or shared with them, by name, and how many there
    are."""
    return _list(unit, PlatformSavedView, take, skip, PlatformSavedView.model.in_(models))


def list_dashboards(unit: Unit, take: int, skip: int) -> tuple[list[PlatformDashboard], int]:
    """Likewise of dashboards."""
    return _list(unit, PlatformDashboard, take, skip)


def create(unit: Unit, made: K, given: Values) -> K:
    """Keep what was ``made``; raises Forbidden for nobody's key, Conflict past the most that one user keeps."""
    kind = type(made)
    made.user_id = user_id = require_found(unit.principal.user_id, Forbidden("Only users keep something"))
    unit.lock(f"{kind.__tablename__} of {user_id}")
    own = select(func.count()).where(kind.user_id == user_id)
    if (unit.session.scalar(own) or 0) >= kind.most:
        raise Conflict(f"A user keeps at most {kind.most} of these")
    _set(unit, made, given)
    unit.store(made)
    return made


def change(unit: Unit, kind: type[K], identifier: UUID, given: Values) -> K:
    """Change one; raises NotFound, and Forbidden for one of somebody else."""
    found = find(unit, kind, identifier, lock=True)
    if not may_change(found, unit.principal):
        raise Forbidden("Only who made it changes it")
    _set(unit, found, given)
    unit.session.flush()
    return found


def delete(unit: Unit, kind: type[K], identifier: UUID) -> None:
    """Remove one; managers also remove those that are shared with their organization. Raises NotFound and
    Forbidden."""
    found = find(unit, kind, identifier, lock=True)
    if not is_own(found, unit.principal) and not unit.principal.manages(found.organization_id):
        raise Forbidden("Only who made it, or a manager, removes it")
    unit.session.delete(found)


def is_own(kept: Kept, principal: Principal) -> bool:
    """Whether what the principal sees is what they made."""
    return kept.user_id is not None and kept.user_id == principal.user_id


def may_change(kept: Kept, principal: Principal) -> bool:
    """Whether the principal may change what they see: their own, or as a manager what was left to the organization."""
    return is_own(kept, principal) if kept.user_id else principal.manages(kept.organization_id)


def find(unit: Unit, kind: type[K], identifier: UUID, *, lock: bool = False) -> K:
    """One that the principal sees; raises NotFound."""
    wanted = select(kind).where(_visible(kind, unit.principal), kind.id == identifier)
    return require_found(unit.session.scalar(wanted.with_for_update() if lock else wanted))


@on_delete(AuthMember)
def leave_shared(member: AuthMember, write: Write) -> None:
    """Leave to an organization what somebody who goes has shared there."""
    for kind in (PlatformSavedView, PlatformDashboard):
        _hand_over(write.unit, kind, member.user_id, kind.organization_id == member.organization_id)


@on_delete(AuthUser)
def leave_all_shared(user: AuthUser, write: Write) -> None:
    """The same for every organization of an account that goes."""
    for kind in (PlatformSavedView, PlatformDashboard):
        _hand_over(write.unit, kind, user.id)


def _list(unit: Unit, kind: type[K], take: int, skip: int, *which: ColumnElement[bool]) -> tuple[list[K], int]:
    seen = (_visible(kind, unit.principal), *which)
    count = unit.session.scalar(select(func.count()).select_from(kind).where(*seen)) or 0
    by_name = select(kind).where(*seen).order_by(func.lower(kind.name), kind.id)
    return list(unit.session.scalars(by_name.limit(take).offset(skip))), count


def _hand_over(unit: Unit, kind: type[Kept], user_id: UUID, *which: ColumnElement[bool]) -> None:
    unit.bookkeep(update(kind).where(kind.user_id == user_id, kind.is_shared, *which).values(user_id=None))


def _set(unit: Unit, kept: Kept, given: Values) -> None:
    was_shared = bool(kept.is_shared)
    for name, value in given.items():
        setattr(kept, name, value)
    if kept.is_shared and not was_shared:
        kept.organization_id = _sharing_organization(unit)
    elif was_shared and not kept.is_shared:
        require(kept.user_id is not None, "shared", "Stays shared: whoever made it has left.")
        kept.organization_id = None


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


def _visible(kind: type[Kept], principal: Principal) -> ColumnElement[bool]:
    """The condition of what is private and one's own, and of what is shared where one is a member now."""
    shared = and_(kind.is_shared, kind.organization_id.in_(principal.organizations()))
    if principal.user_id is None:
        return shared
    return or_(and_(kind.user_id == principal.user_id, kind.is_shared.is_(False)), shared)
