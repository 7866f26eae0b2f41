"""What the API-key routes write, each in a unit, and what it replies: a secret is shown once and kept nowhere."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from app.auth.keys import api_keys, key_mails
from app.auth.models.identity import AuthUser
from app.auth.models.keys import AuthApiKey
from app.engine.write.preconditions import Precondition
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Forbidden, NotFound, Unauthenticated
from blueprints.http.replies import Reply


def issue_key(unit: Unit, given: dict[str, Any]) -> Reply:
    """The new key of the caller, with its secret."""
    owner = unit.session.get(AuthUser, unit.principal.user_id)
    if owner is None:
        raise Unauthenticated(invalid_token=True)
    key, secret = api_keys.issue(unit, owner, **given, organization_id=unit.principal.organization_id)
    key_mails.tell_of_new(unit, key)
    return _shown_once(_issued_body(key, secret), key)


def issue_anonymous_key(unit: Unit, given: dict[str, Any], life: timedelta) -> Reply:
    """The new key of nobody, with its secret."""
    named = {name: given.get(name) for name in ("name", "email", "access")}
    made, secret = api_keys.issue_anonymous(unit, **named, life=life)
    return _shown_once({"apiKey": secret, "id": made.id, "name": made.name, "expiresAt": made.expires_at}, made)


def rotate_key(unit: Unit, identifier: UUID, grace: timedelta) -> Reply:
    """The key in place of one of the caller, with its secret."""
    key = api_keys.locked(unit, identifier)
    if key.user_id != unit.principal.user_id:
        raise Forbidden("Only the owner of a key rotates it")
    new, secret = api_keys.rotate(unit, key, grace=grace)
    return _shown_once(_issued_body(new, secret), new)


def set_key_limit(unit: Unit, identifier: UUID, given: dict[str, Any]) -> Reply:
    """The limit that a key has now; raises NotFound."""
    api_keys.set_visible_key_limit(unit, identifier, **given)
    return Reply(given)


def revoke_key(unit: Unit, identifier: UUID, condition: Precondition) -> Reply:
    """Revoke a key; raises NotFound."""
    key = api_keys.locked(unit, identifier)
    if key.revoked_at is not None:
        raise NotFound()
    condition.check(AuthApiKey, key)
    api_keys.revoke(unit, key)
    return Reply({"id": str(identifier), "deleted": True})


def _issued_body(key: AuthApiKey, secret: str) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "key": secret,
        "expiresAt": key.expires_at,
        "scopes": key.scopes,
        "createdAt": key.created_at,
    }


def _shown_once(body: dict[str, Any], key: AuthApiKey) -> Reply:
    secrets = tuple(name for name in ("key", "apiKey") if name in body)
    return Reply(body, 201, key.row_version, secrets, {"Cache-Control": "no-store"})
