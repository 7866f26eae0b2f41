"""How many queries of one caller run at a time in a worker, so that nobody's questions keep others waiting."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from flask import current_app

from app.engine.principal import Principal
from app.foundation.errors import RateLimited
from app.runtime.places import Places

# A query waits this long for one of the same caller to end, in seconds.
WAIT = 2.0


def place_for(principal: Principal) -> AbstractContextManager[None]:
    """A place for one query of the caller while it lasts; raises RateLimited."""
    return _places(current_app.config["SETTINGS"].queries_per_user).of(
        str(principal.user_id or principal.credential_id)
    )


@cache
def _places(each: int) -> Places:
    return Places(
        each, WAIT, lambda: RateLimited("Too many queries of yours at this moment", headers={"Retry-After": "1"})
    )
