"""API keys: issuing, rotating and revoking them."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from flask import current_app
from sqlalchemy import select
from sqlalchemy.orm import Session

from app import secrets
from app.clock import now
from app.errors import Conflict, Invalid, NotFound
from app.models.auth.identity import AuthUser
from app.models.auth.keys import AuthApiKey
from app.models.auth.organizations import AuthMember, AuthOrganization

SCOPES = ("read", "write", "admin")
DEFAULT_LIFE = timedelta(days=90)
ANONYMOUS_LIFE = timedelta(days=30)


# What a rotation carries over.
KEPT = (
    "user_id", "organization_id", "scopes", "enabled", "anonymous", "email", "ip_allow_list", "metadata_",
    "rate_limit_enabled", "rate_limit_max", "rate_limit_time_window",
)  # fmt: skip


def issue(
    session: Session, user: AuthUser, *, scopes: list[str], name: str | None = None, life: timedelta = DEFAULT_LIFE
) -> tuple[AuthApiKey, str]:
    """Store a key of ``user``, acting in the personal organization, and return it with its secret.

    Raises Invalid for unknown scopes, for ``admin`` when the user is no admin, and for too long a life.
    """
    if not scopes or not set(scopes) <= set(SCOPES):
        raise Invalid({"scopes": [f"Takes {', '.join(SCOPES)}."]})
    if "admin" in scopes and user.role != "admin":
        raise Invalid({"scopes": ["Only admins make keys with the scope admin."]})
    if life > timedelta(days=current_app.config["SETTINGS"].key_max_days):
        raise Invalid({"expiresAt": ["Is later than keys may last here."]})
    made = AuthApiKey(user_id=user.id, organization_id=home_of(session, user.id), scopes=sorted(set(scopes)))
    return _stored(session, made, secrets.KEY, name, now() + life)


def issue_anonymous(
    session: Session, *, name: str | None = None, life: timedelta = ANONYMOUS_LIFE
) -> tuple[AuthApiKey, str]:
    """Store a key that belongs to nobody and reads public rows, and return it with its secret."""
    made = AuthApiKey(anonymous=True, scopes=["read"])
    return _stored(session, made, secrets.ANONYMOUS_KEY, name, now() + life)


def rotate(session: Session, key: AuthApiKey, *, grace: timedelta = timedelta()) -> tuple[AuthApiKey, str]:
    """Replace ``key`` by one with the same settings and no longer life; the old one lasts ``grace`` longer.

    Raises Conflict for a key that is revoked, expired or already rotated.
    """
    if not is_live(key) or key.rotated_to_id is not None:
        raise Conflict("Only a live key can be rotated")
    made = AuthApiKey(**{name: getattr(key, name) for name in KEPT})
    prefix = secrets.ANONYMOUS_KEY if key.anonymous else secrets.KEY
    fresh, secret = _stored(session, made, prefix, key.name, key.expires_at)
    key.rotated_to_id = fresh.id
    key.grace_expires_at = min(key.expires_at, now() + grace)
    return fresh, secret


def revoke(key: AuthApiKey) -> None:
    """Refuse the key from the next request on; its row stays for the record."""
    key.revoked_at = key.revoked_at or now()


def get(session: Session, identifier: UUID) -> AuthApiKey:
    """The key with this id; raises NotFound."""
    key = session.get(AuthApiKey, identifier, with_for_update=True)
    if key is None:
        raise NotFound("No key has this id")
    return key


def is_live(key: AuthApiKey) -> bool:
    ends = min(key.expires_at, key.grace_expires_at or key.expires_at)
    return key.revoked_at is None and ends > now()


def status(key: AuthApiKey) -> str:
    """revoked, expired, disabled or active."""
    if key.revoked_at is not None:
        return "revoked"
    if not is_live(key):
        return "expired"
    return "active" if key.enabled else "disabled"


def home_of(session: Session, user_id: UUID) -> UUID | None:
    """The personal organization of a user."""
    member = AuthMember.organization_id == AuthOrganization.id
    personal = select(AuthOrganization.id).join(AuthMember, member)
    owned = (AuthMember.user_id == user_id, AuthMember.role == "owner")
    return session.scalar(personal.where(AuthOrganization.is_personal, *owned))


def _stored(
    session: Session, key: AuthApiKey, prefix: str, name: str | None, expires_at: datetime
) -> tuple[AuthApiKey, str]:
    secret = secrets.make(prefix)
    key.key_hash = secrets.vault().digest(secret)
    key.start = secrets.start(secret)
    key.name = name or f"Key {secret[len(prefix) : len(prefix) + 4]}"
    key.expires_at = expires_at
    session.add(key)
    session.flush()
    return key, secret
