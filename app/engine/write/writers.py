"""Who writes, as the log of changes has it."""

from __future__ import annotations

from app.engine.declare.principal import Credential, Principal
from app.runtime import change_context

KEYS = (Credential.KEY, Credential.ANONYMOUS_KEY)


def describe_writer(principal: Principal) -> str:
    """Return what the triggers of the log read of ``principal``: a key, a user, or else the service itself."""
    if principal.credential in KEYS:
        return change_context.describe("key", principal.credential_id)
    if principal.user_id is not None:
        return change_context.describe("user", principal.user_id)
    return change_context.describe("system", None)
