"""Sessions: opening one for a user."""

from __future__ import annotations

from sqlalchemy.orm import Session

from app import secrets
from app.api_keys import home_of
from app.models.auth.identity import AuthSession, AuthUser


def open_session(session: Session, user: AuthUser) -> tuple[AuthSession, str]:
    """Store a session of ``user``, active in the personal organization, and return it with its bearer token."""
    token = secrets.make(secrets.SESSION)
    opened = AuthSession(
        user_id=user.id,
        token_hash=secrets.vault().digest(token),
        sign_in_method="password",
        active_organization_id=home_of(session, user.id),
    )
    session.add(opened)
    session.flush()
    return opened, token
