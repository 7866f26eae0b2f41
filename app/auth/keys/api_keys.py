"""API keys: issuing, rotating and revoking them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from flask import current_app
from limits import parse
from sqlalchemy import exists, select

from app.auth.models.clients import AuthConnection
from app.auth.models.identity import AuthUser
from app.auth.models.keys import AuthApiKey
from app.auth.organizations.organizations import personal_organization_of
from app.engine.declare.principal import SYSTEM
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit
from app.foundation import crypto
from app.foundation.clock import now
from app.foundation.errors import Conflict, Invalid, NotFound

SCOPES = ("read", "write", "admin")
DEFAULT_LIFE = timedelta(days=90)
ANONYMOUS_LIFE = timedelta(days=30)
MAX_GRACE = 604_800

LIMIT = ("rate_limit_enabled", "rate_limit_max", "rate_limit_time_window")
# What a rotation carries over.
COPIED_FIELDS = (
    "user_id", "organization_id", "scopes", "enabled", "anonymous", "email", "ip_allow_list", "metadata_", "access",
    *LIMIT,
)  # fmt: skip


def issue(
    unit: Unit,
    owner: AuthUser,
    *,
    scopes: Iterable[str] = ("read",),
    name: str | None = None,
    expires_at: datetime | None = None,
    organization_id: UUID | None = None,
    **settings: Any,
) -> tuple[AuthApiKey, str]:
    """Store a key of ``owner`` and return it with its secret. It acts in ``organization_id``, or in the personal
    organization; ``settings`` are further columns of the key.

    Raises Invalid for scopes that the owner does not have and for a life that is over or too long.
    """
    ends = expires_at or now() + DEFAULT_LIFE
    check(scopes, ends, is_admin=owner.role == "admin")
    home = organization_id or personal_organization_of(unit.session, owner.id)
    made = AuthApiKey(user_id=owner.id, organization_id=home, scopes=list(dict.fromkeys(scopes)), **settings)
    return _stored(unit, made, crypto.KEY, name, ends)


def issue_anonymous(
    unit: Unit,
    *,
    name: str | None = None,
    email: str | None = None,
    access: list[Any] | None = None,
    life: timedelta = ANONYMOUS_LIFE,
) -> tuple[AuthApiKey, str]:
    """Store a key that belongs to nobody and reads public rows, and return it with its secret."""
    made = AuthApiKey(anonymous=True, scopes=["read"], email=email, access=access)
    return _stored(unit, made, crypto.ANONYMOUS_KEY, name, now() + life)


def check(scopes: Iterable[str], expires_at: datetime, *, is_admin: bool) -> None:
    """Refuse scopes that do not exist or that the owner does not have now, and a life that is over or too long; raises
    Invalid."""
    if not set(scopes) or not set(scopes) <= set(SCOPES):
        raise Invalid({"scopes": [f"Takes {', '.join(SCOPES)}."]})
    if "admin" in scopes and not is_admin:
        raise Invalid({"scopes": ["Only admins make keys with the scope admin."]})
    if expires_at <= now():
        raise Invalid({"expiresAt": ["Must be in the future."]})
    if expires_at - now() > timedelta(days=current_app.config["SETTINGS"].key_max_days):
        raise Invalid({"expiresAt": ["Is later than keys may last here."]})


def rotate(unit: Unit, key: AuthApiKey, *, grace: timedelta = timedelta()) -> tuple[AuthApiKey, str]:
    """Replace ``key`` by one with the same settings and no longer life; the old one lasts ``grace`` longer.

    Raises Conflict for a key that is revoked, expired or already rotated, and for that of a connected client.
    """
    if unit.session.scalar(select(exists().where(AuthConnection.key_id == key.id))):
        raise Conflict("This key is a connected client's, and has no secret to replace")
    if not is_live(key) or key.rotated_to_id is not None:
        raise Conflict("Only a live key can be rotated")
    made = AuthApiKey(**{name: getattr(key, name) for name in COPIED_FIELDS})
    prefix = crypto.ANONYMOUS_KEY if key.anonymous else crypto.KEY
    fresh, secret = _stored(unit, made, prefix, key.name, key.expires_at)
    key.rotated_to_id = fresh.id
    key.grace_expires_at = min(key.expires_at, now() + grace)
    changes = {"replacedBy": str(fresh.id), "graceSeconds": int(grace.total_seconds())}
    audit.note(unit, "auth.api_key.rotate", key, changes=changes)
    return fresh, secret


def revoke(unit: Unit, key: AuthApiKey) -> None:
    """Refuse the key from the next request on; its row stays for the record."""
    if key.revoked_at is None:
        key.revoked_at = now()
        audit.note(unit, "auth.api_key.revoke", key)


def limit(unit: Unit, key: AuthApiKey, *, requests: int | None, seconds: int = 60) -> None:
    """Give the key a limit of its own: ``requests`` in each window of so many ``seconds``; None for no limit."""
    before = {name: getattr(key, name) for name in LIMIT}
    key.rate_limit_enabled = requests is not None
    if requests is not None:
        key.rate_limit_max, key.rate_limit_time_window = requests, seconds * 1000
    audit.record_write(unit, "update", key, before)


def set_visible_key_limit(unit: Unit, identifier: UUID, *, requests: int | None, seconds: int) -> None:
    """Give a key that the principal sees a limit of its own, as ``limit`` does; raises NotFound."""
    limit(unit, locked(unit, identifier), requests=requests, seconds=seconds)


def locked(unit: Unit, identifier: UUID) -> AuthApiKey:
    """The key with this id that the principal sees, for a change of it; raises NotFound."""
    principal = unit.principal
    visible = AuthApiKey.policy.visible(AuthApiKey, principal.reader)
    wanted = select(AuthApiKey).where(AuthApiKey.id == identifier, visible).with_for_update()
    key = unit.session.scalar(wanted, principal.binds)
    if key is None:
        raise NotFound("No key has this id" if principal is SYSTEM else None)
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


def _stored(unit: Unit, key: AuthApiKey, prefix: str, name: str | None, expires_at: datetime) -> tuple[AuthApiKey, str]:
    secret = crypto.make(prefix)
    key.key_hash = crypto.vault().digest(secret)
    key.start = crypto.start(secret)
    key.name = name or f"Key {secret[len(prefix) : len(prefix) + 4]}"
    key.expires_at = expires_at
    if key.rate_limit_max is None:
        usual = parse(current_app.config["SETTINGS"].key_limit)
        key.rate_limit_max, key.rate_limit_time_window = usual.amount, usual.get_expiry() * 1000
    unit.store(key)
    audit.record_write(unit, "create", key)
    return key, secret
