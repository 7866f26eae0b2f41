"""Memberships that count: where an organization asks for a second factor, those of members without one do not."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, exists, or_, select
from sqlalchemy.orm import Session

from app.auth.models.identity import AuthPasskey, AuthTwoFactor
from app.auth.models.organizations import AuthMember, AuthOrganization


def counts() -> ColumnElement[bool]:
    """The condition under which a row of members counts."""
    asked = exists().where(AuthOrganization.id == AuthMember.organization_id, AuthOrganization.require_two_factor)
    return or_(~asked, _has_factor(AuthMember.user_id))


def has_factor(session: Session, user_id: UUID | None) -> bool:
    """Whether a user has a second factor, or a passkey."""
    return bool(user_id and session.scalar(select(_has_factor(user_id))))


def waiting(session: Session, user_id: UUID) -> list[UUID]:
    """The organizations in which a user counts for nothing until a second factor is set up."""
    own = select(AuthMember.organization_id).where(AuthMember.user_id == user_id, ~counts())
    return list(session.scalars(own.order_by(AuthMember.organization_id)))


def _has_factor(user_id: Any) -> ColumnElement[bool]:
    by_code = exists().where(AuthTwoFactor.user_id == user_id, AuthTwoFactor.verified)
    return or_(by_code, exists().where(AuthPasskey.user_id == user_id))
