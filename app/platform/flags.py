"""Feature flags: those that the service itself uses, and switching them."""

from __future__ import annotations

from sqlalchemy import select

from app.engine.read.statements import autocommit_connection
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import NotFound, require_found
from app.platform.models import PlatformFeatureFlag

ANONYMOUS_KEYS = "auth-anonymous-api-key"
NAMES = {ANONYMOUS_KEYS: "Anonymous API keys"}


def is_enabled(key: str) -> bool:
    """Whether the flag called ``key`` is on now, as the database has it."""
    with autocommit_connection() as connection:
        found = connection.execute("SELECT enabled FROM platform_feature_flag WHERE key = %s", (key,)).fetchone()
    return bool(found and found[0])


def switch(unit: Unit, key: str, *, enabled: bool) -> PlatformFeatureFlag:
    """Turn the flag called ``key`` on or off; raises NotFound."""
    called = select(PlatformFeatureFlag).where(PlatformFeatureFlag.key == key).with_for_update()
    flag = require_found(unit.session.scalar(called), NotFound(f"No flag is called {key}"))
    if flag.enabled != enabled:
        flag.enabled = enabled
        audit.record_write(unit, "update", flag, {"enabled": not enabled})
    return flag
