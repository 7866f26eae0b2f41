"""How much expensive work of callers runs at a time, so that nobody's questions keep others waiting."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext

from flask import Flask, current_app

from app.engine.principal import Credential, Principal
from app.runtime.shared_places import SharedPlaces
from config import Settings

NAME = "queries"
# Of everybody, for each processor: more would only wait for each other.
FOR_EACH_PROCESSOR = 2


def init_app(app: Flask) -> None:
    """Bound the expensive work of the callers of ``app``."""
    settings: Settings = app.config["SETTINGS"]
    total = settings.queries_at_once or FOR_EACH_PROCESSOR * processors()
    app.extensions["query_places"] = SharedPlaces(
        app.extensions["limit_counter"], NAME, settings.queries_per_user, total, settings.query_seconds
    )


def place_for(principal: Principal) -> AbstractContextManager[None]:
    """A place for a query of the caller, or for a write of many, while it lasts. It is taken before a transaction
    begins, so that nobody holds locks who waits. Raises RateLimited and Unavailable."""
    if principal.credential is Credential.SYSTEM:
        return nullcontext()
    places: SharedPlaces = current_app.extensions["query_places"]
    return places.of(str(principal.user_id or principal.credential_id))


def processors() -> int:
    """How many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
