"""Factors by codes that are on: one counts once its first code was given."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session

from app.auth.models.identity import AuthTwoFactor


def is_on(user_id: Any) -> ColumnElement[bool]:
    """The condition that a factor is one of the user, and is on."""
    return and_(AuthTwoFactor.user_id == user_id, AuthTwoFactor.verified)


def of(session: Session, user_id: UUID | None, *, lock: bool = False) -> AuthTwoFactor | None:
    """The factor of a user that is on; ``lock`` keeps others from taking codes for it until the end."""
    own = select(AuthTwoFactor).where(is_on(user_id))
    return session.scalar(own.with_for_update() if lock else own)
