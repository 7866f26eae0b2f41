"""How much expensive work of callers runs at a time, so that nobody's questions keep others waiting."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import NamedTuple

from flask import Flask, current_app

from app.engine.declare.principal import Credential, Principal
from app.runtime.shared_concurrency_limit import SharedConcurrencyLimit
from config import Settings

NAME = "queries"
# Of one user, where there are processors for that.
OF_ONE_USER = 2
# Of everybody, for each processor: more would only wait for each other.
FOR_EACH_PROCESSOR = 2


def init_app(app: Flask) -> None:
    """Bound the expensive work of the callers of ``app``."""
    settings: Settings = app.config["SETTINGS"]
    usual = default_slots(settings)
    total = settings.queries_at_once or usual.total
    app.extensions["query_slots"] = SharedConcurrencyLimit(
        app.extensions["limit_counter"], NAME, settings.queries_per_user or usual.each, total, settings.query_seconds,
    )  # fmt: skip
    # Networks cost nothing: many of them together leave slots to callers with a credential.
    app.extensions["anonymous_query_slots"] = SharedConcurrencyLimit(
        app.extensions["limit_counter"], "anonymous queries", settings.queries_per_user or usual.each,
        max(1, total // 2),
    )  # fmt: skip
    app.extensions["export_slots"] = SharedConcurrencyLimit(
        app.extensions["limit_counter"], "exports", settings.exports_per_user or usual.each, settings.exports_at_once,
        wait=0.0, retry_after=10,
    )  # fmt: skip


class SlotCount(NamedTuple):
    """How many slots one user has, and how many there are."""

    each: int
    total: int


def default_slots(settings: Settings) -> SlotCount:
    """The slots by default. Statements that keep two processors busy leave none to those who serve, so where there are
    just two, and the embedded server is on them, one user has one."""
    available = processors()
    shared = available if not settings.database_url else sys.maxsize
    return SlotCount(max(1, min(OF_ONE_USER, shared - 1)), FOR_EACH_PROCESSOR * available)


def query_slot(principal: Principal) -> AbstractContextManager[None]:
    """A slot for a query of the caller, or for a write of many, while it lasts. It is taken before a transaction
    begins, so that nobody holds locks who waits. Raises RateLimited and Unavailable."""
    if principal.credential is Credential.SYSTEM:
        return nullcontext()
    return _anonymous_slot(_caller(principal)) if principal.is_nobody else _slot(_caller(principal))


def _slot(caller: str) -> AbstractContextManager[None]:
    slots: SharedConcurrencyLimit = current_app.extensions["query_slots"]
    return slots.of(caller)


@contextmanager
def _anonymous_slot(caller: str) -> Iterator[None]:
    """A slot among those for callers without a credential, and one among those of all."""
    slots: SharedConcurrencyLimit = current_app.extensions["anonymous_query_slots"]
    with slots.taken(caller), _slot(caller):
        yield


def export_slot(principal: Principal) -> AbstractContextManager[None]:
    """A slot for an export, which has a connection of its own. Raises RateLimited and Unavailable."""
    if principal.credential is Credential.SYSTEM:
        return nullcontext()
    slots: SharedConcurrencyLimit = current_app.extensions["export_slots"]
    return slots.taken(_caller(principal))


def _caller(principal: Principal) -> str:
    # Whoever follows a link takes no slot from the user who made it.
    return str(principal.credential_id if principal.is_nobody else principal.user_id or principal.credential_id)


def processors() -> int:
    """How many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
