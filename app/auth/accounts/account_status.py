"""What somebody should be told of an account: that it needs a second factor somewhere, or is to be deleted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthOrganization
from app.auth.organizations import memberships
from app.engine.declare.principal import Principal
from app.engine.read.database import reading


@dataclass(frozen=True)
class AccountStatus:
    """How an account stands; it counts for nothing in organizations ``requiring_second_factor``, given by name."""

    delete_after: datetime | None
    has_factor: bool
    requiring_second_factor: list[str]


def status_of(principal: Principal) -> AccountStatus:
    """How the account of the caller stands, in one statement."""
    names = select(func.array_agg(AuthOrganization.name)).where(
        AuthOrganization.id.in_(principal.organizations_requiring_second_factor)
    )
    user_id = principal.user_id
    own = select(AuthUser.delete_after, memberships.factor_of(user_id), names.scalar_subquery())
    with reading() as session:
        found = session.execute(own.where(AuthUser.id == user_id)).one_or_none()
    delete_after, has_factor, requiring = found or (None, True, None)
    return AccountStatus(delete_after, has_factor, sorted(requiring or []))
