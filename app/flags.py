"""Feature flags: the ones the service itself knows, and switching them."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.models.platform import PlatformFeatureFlag

ANONYMOUS_KEYS = "auth-anonymous-api-key"
NAMES = {ANONYMOUS_KEYS: "Anonymous API keys"}


def switch(session: Session, key: str, *, enabled: bool) -> PlatformFeatureFlag:
    """Turn the flag called ``key`` on or off; raises NotFound."""
    flag = session.scalar(select(PlatformFeatureFlag).where(PlatformFeatureFlag.key == key).with_for_update())
    if flag is None:
        raise NotFound(f"No flag is called {key}")
    flag.enabled = enabled
    return flag
