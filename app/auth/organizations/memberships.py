"""Memberships that count: where an organization asks for a second factor, those of members without one do not."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, case, exists, func, or_, select
from sqlalchemy.orm import Session

from app.auth.models.identity import AuthPasskey
from app.auth.models.organizations import AuthMember, AuthOrganization
from app.auth.sign_in.two_factor import factors
from app.engine.read.database import reading

# In front of a role that only counts with a second factor.
FACTOR_REQUIRED = "?"


def of(user_id: Any) -> Any:
    """The memberships of a user as one JSON object, organization to role, as ``counting`` reads it."""
    role = case((AuthOrganization.require_two_factor, FACTOR_REQUIRED + AuthMember.role), else_=AuthMember.role)
    roles = select(func.jsonb_object_agg(AuthMember.organization_id, role))
    joined = roles.join(AuthOrganization, AuthOrganization.id == AuthMember.organization_id)
    return joined.where(AuthMember.user_id == user_id).scalar_subquery().label("memberships")


def counting(
    user_id: UUID | None, found: dict[str, str] | None, session: Session | None = None
) -> tuple[dict[UUID, str], list[UUID]]:
    """The memberships that count, and the organizations where one waits for a second factor. Whether the user has one
    is looked up where it is asked for, with ``session`` or one that is lent for it."""
    roles = {UUID(organization): role for organization, role in (found or {}).items()}
    asked = (
        [each for each, role in roles.items() if role.startswith(FACTOR_REQUIRED)]
        if FACTOR_REQUIRED in "".join(roles.values())
        else []
    )
    if not asked:
        return roles, asked
    with nullcontext(session) if session else reading() as lent:
        proven = has_factor(lent, user_id)
    live = {each: role.removeprefix(FACTOR_REQUIRED) for each, role in roles.items() if proven or each not in asked}
    return live, [] if proven else sorted(asked)


def load_effective(session: Session, user_id: UUID) -> tuple[dict[UUID, str], list[UUID]]:
    """The same for a user whose memberships no credential has brought along."""
    return counting(user_id, session.scalar(select(of(user_id))), session)


def has_factor(session: Session, user_id: UUID | None) -> bool:
    """Whether a user has a second factor, or a passkey."""
    return bool(user_id and session.scalar(select(factor_of(user_id))))


def factor_of(user_id: Any) -> ColumnElement[bool]:
    """The condition that a user has a second factor, or a passkey."""
    return or_(exists().where(factors.is_on(user_id)), exists().where(AuthPasskey.user_id == user_id))
