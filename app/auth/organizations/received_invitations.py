"""Invitations as their addressee sees them: with the names of organization and inviter, which no record of a
stranger's organization would show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthInvitation, AuthOrganization
from app.engine.declare.principal import Principal
from app.engine.read.database import reading
from app.foundation.clock import now

MAX_SHOWN = 100


@dataclass(frozen=True)
class Received:
    """An invitation that waits for an answer."""

    id: UUID
    organization: str
    inviter: str | None
    role: str
    expires_at: datetime


def waiting(principal: Principal) -> list[Received]:
    """The invitations to the address of ``principal`` that can be accepted now; none while it is not verified."""
    if principal.verified_email is None:
        return []
    columns = (AuthInvitation.id, AuthOrganization.name, AuthUser.name, AuthInvitation.role, AuthInvitation.expires_at)
    statement = (
        select(*columns)
        .join(AuthOrganization, AuthOrganization.id == AuthInvitation.organization_id)
        .outerjoin(AuthUser, AuthUser.id == AuthInvitation.inviter_id)
        .where(AuthInvitation.email == principal.verified_email)
        .where(AuthInvitation.status == "pending", AuthInvitation.expires_at > now())
        .order_by(AuthInvitation.expires_at)
        .limit(MAX_SHOWN)
    )
    with reading() as session:
        return [Received(*row) for row in session.execute(statement)]
