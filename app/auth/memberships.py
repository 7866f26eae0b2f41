"""Memberships that count: where an organization asks for a second factor, those of members without one do not."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, case, exists, func, or_, select
from sqlalchemy.orm import Session

from app.auth.models.identity import AuthPasskey, AuthTwoFactor
from app.auth.models.organizations import AuthMember, AuthOrganization
from app.engine.database import reading

# In front of a role that only counts with a second factor.
ASKED = "?"


def of(user_id: Any) -> Any:
    """The memberships of a user as one JSON object, organization to role, as ``counting`` reads it."""
    role = case((AuthOrganization.require_two_factor, ASKED + AuthMember.role), else_=AuthMember.role)
    roles = select(func.jsonb_object_agg(AuthMember.organization_id, role))
    joined = roles.join(AuthOrganization, AuthOrganization.id == AuthMember.organization_id)
    return joined.where(AuthMember.user_id == user_id).scalar_subquery().label("memberships")


def counting(user_id: UUID | None, found: dict[str, str] | None) -> tuple[dict[UUID, str], list[UUID]]:
    """The memberships that count, and the organizations where one waits for a second factor. Whether the user has one
    is looked up where it is asked for."""
    roles = {UUID(organization): role for organization, role in (found or {}).items()}
    asked = [each for each, role in roles.items() if role.startswith(ASKED)] if ASKED in "".join(roles.values()) else []
    if not asked:
        return roles, asked
    with reading() as session:
        proven = has_factor(session, user_id)
    live = {each: role.removeprefix(ASKED) for each, role in roles.items() if proven or each not in asked}
    return live, [] if proven else sorted(asked)


def counts() -> ColumnElement[bool]:
    """The condition under which a row of members counts."""
    asked = exists().where(AuthOrganization.id == AuthMember.organization_id, AuthOrganization.require_two_factor)
    return or_(~asked, factor_of(AuthMember.user_id))


def has_factor(session: Session, user_id: UUID | None) -> bool:
    """Whether a user has a second factor, or a passkey."""
    return bool(user_id and session.scalar(select(factor_of(user_id))))


def waiting(session: Session, user_id: UUID) -> list[UUID]:
    """The organizations in which a user counts for nothing until a second factor is set up."""
    own = select(AuthMember.organization_id).where(AuthMember.user_id == user_id, ~counts())
    return list(session.scalars(own.order_by(AuthMember.organization_id)))


def factor_of(user_id: Any) -> ColumnElement[bool]:
    """The condition that a user has a second factor, or a passkey."""
    by_code = exists().where(AuthTwoFactor.user_id == user_id, AuthTwoFactor.verified)
    return or_(by_code, exists().where(AuthPasskey.user_id == user_id))
