"""Hooks of API keys: a key never has more scopes than its owner, and is widened only after recent authentication."""

from __future__ import annotations

from app.auth.credentials.reauthentication import require_recent_authentication
from app.auth.models.identity import AuthUser
from app.auth.models.keys import AuthApiKey
from app.engine.declare.principal import expand_scopes
from app.engine.write.hooks import Write, on_update, require
from app.foundation.errors import Forbidden


@on_update(AuthApiKey, callers_only=True)
def change_key(key: AuthApiKey, write: Write) -> None:
    if key.user_id != write.unit.principal.user_id:
        raise Forbidden("Only the owner of a key changes it; admins revoke")
    if write.changed("access"):
        require_recent_authentication(write.unit.principal)
    if not write.changed("scopes"):
        return
    key.scopes = list(dict.fromkeys(key.scopes))
    owner = write.unit.get(AuthUser, key.user_id)
    require("admin" not in key.scopes or owner.role == "admin", "scopes", "Only admins have keys with the scope admin.")
    if expand_scopes(key.scopes) - expand_scopes(write.before["scopes"]):
        require_recent_authentication(write.unit.principal)
