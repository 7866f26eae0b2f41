"""What somebody should be told of an account: that it waits for a second factor somewhere, or is to be deleted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select

from app.auth import memberships
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember, AuthOrganization
from app.engine.database import reading


@dataclass(frozen=True)
class Standing:
    """How an account stands; ``waiting`` names the organizations in which it counts for nothing without a factor."""

    delete_after: datetime | None
    has_factor: bool
    waiting: list[str]


def of(user_id: UUID) -> Standing:
    """How the account of a user stands, in one statement."""
    asking = select(func.array_agg(AuthOrganization.name)).select_from(AuthMember)
    asking = asking.join(AuthOrganization, AuthOrganization.id == AuthMember.organization_id)
    names = asking.where(AuthMember.user_id == user_id, AuthOrganization.require_two_factor).scalar_subquery()
    own = select(AuthUser.delete_after, memberships.factor_of(user_id), names).where(AuthUser.id == user_id)
    with reading() as session:
        found = session.execute(own).one_or_none()
    delete_after, has_factor, waiting = found or (None, True, None)
    return Standing(delete_after, has_factor, [] if has_factor else sorted(waiting or []))
