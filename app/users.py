"""Accounts of people, as the command line makes and governs them."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from app import organizations, passwords
from app.addresses import normalized
from app.errors import NotFound, UniqueViolation
from app.models.auth.identity import AuthAccount, AuthUser

LOCAL_ISSUER = "local"


def register(session: Session, *, email: str, password: str, name: str | None = None, admin: bool = False) -> AuthUser:
    """Make a user with a verified address, a password and a personal organization.

    Raises UniqueViolation for a known address and Invalid for a password that is not accepted.
    """
    passwords.check(password)
    address = normalized(email)
    if session.scalar(select(AuthUser.id).where(AuthUser.email == address)):
        raise UniqueViolation.on(["email"])
    role = "admin" if admin else "user"
    user = AuthUser(email=address, name=name or address.partition("@")[0], email_verified=True, role=role)
    organizations.welcome(session, user)
    account = AuthAccount(user_id=user.id, provider_id="credential", issuer=LOCAL_ISSUER, account_id=str(user.id))
    account.password = passwords.hashed(password)
    session.add(account)
    session.flush()
    return user


def by_email(session: Session, email: str) -> AuthUser:
    """The user with this address; raises NotFound."""
    user = session.scalar(select(AuthUser).where(AuthUser.email == normalized(email)))
    if user is None:
        raise NotFound(f"No user has the address {email}")
    return user


def promote(user: AuthUser) -> None:
    """Make the user a platform admin, as of the next request."""
    user.role = "admin"


def ban(user: AuthUser, reason: str | None = None) -> None:
    """Refuse every credential of the user, as of the next request."""
    user.banned, user.ban_reason = True, reason
