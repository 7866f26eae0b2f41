"""The circuit breaker: after five failures in a row a provider is skipped for thirty seconds, by chats and by
knowledge bases."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import NamedTuple, Protocol
from uuid import UUID

from sqlalchemy import case, select, update

from app.ai.completion import ProviderFailure
from app.ai.models.answering import AiProvider
from app.ai.providers import BUILTIN
from app.ai_rag import embedders
from app.ai_rag.embedders import NoAnswer
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Failure, Unavailable

# Failures in a row after which a provider counts as degraded, and how long it is left alone before one call tries it.
FAILURE_THRESHOLD = 5
RESET_TIMEOUT = timedelta(seconds=30)
LEFT_ALONE = "The provider keeps failing, and is left alone for now"
# Failures that count against the provider. Refusals are about the request, the key or its quota; after the first piece
# the client may have gone.
COUNTED_FAILURES = ("network", "server_error")


class Called(Protocol):
    """A provider as it was when somebody chose it; ``patience`` is how long it may be silent, in seconds."""

    @property
    def provider_id(self) -> UUID: ...
    @property
    def kind(self) -> str: ...
    @property
    def patience(self) -> float: ...
    @property
    def degraded(self) -> bool: ...
    @property
    def failures(self) -> int: ...


class _Provider(NamedTuple):
    provider_id: UUID
    kind: str
    patience: float
    degraded: bool
    failures: int


@embedders.guards_providers
@contextmanager
def embedding(provider_id: UUID, seconds: float) -> Iterator[None]:
    """Have a provider make vectors within some seconds, and take note of how that went: a server that answers is well,
    whatever it answers to one model. Whoever waits for less time than the provider may take does not try one that is
    left alone. Raises Unavailable where that is so."""
    row = AiProvider
    wanted = select(row.id, row.kind, row.timeout_ms, row.status == "degraded", row.consecutive_failures)
    with reading() as session:
        found = session.execute(wanted.where(row.id == provider_id)).one_or_none()
    if found is None:
        yield
        return
    identifier, kind, timeout, degraded, failures = found
    provider, began = _Provider(identifier, kind, timeout / 1000, degraded, failures), time.monotonic()
    is_hasty = seconds < provider.patience and provider.degraded
    if is_hasty or not allows_call(provider):
        raise Unavailable(LEFT_ALONE, int(RESET_TIMEOUT.total_seconds()))
    try:
        yield
    except NoAnswer as failure:
        if failure.reason != "server_error":
            record_failure(provider, ProviderFailure(failure.reason, failure.text), time.monotonic() - began)
        raise
    record_success(provider)


def allows_call(candidate: Called) -> bool:
    """Whether the provider may be called: always while it is well; while it is not, by one caller in each interval."""
    if not candidate.degraded:
        return True
    due = (AiProvider.status == "degraded", AiProvider.last_checked_at < now() - RESET_TIMEOUT)
    claimed = update(AiProvider).where(AiProvider.id == candidate.provider_id, *due)
    return run_unit(SYSTEM, Unit.bookkeep, claimed.values(last_checked_at=now())) == 1


def record_success(candidate: Called) -> None:
    """Take note of an answer; the provider is well again."""
    if candidate.kind == BUILTIN or not (candidate.degraded or candidate.failures):
        return
    well = case((AiProvider.status == "degraded", "active"), else_=AiProvider.status)
    _change(candidate, status=well, consecutive_failures=0)


def record_failure(candidate: Called, failure: ProviderFailure, waited: float) -> None:
    """Take note of a failure before the first piece, after ``waited`` seconds; too many in a row make the provider
    degraded. A timeout counts if the provider's own has passed: a chain may set a shorter one."""
    silent = failure.code == "timeout" and waited >= candidate.patience
    if failure.code in ("auth", "rate_limit"):
        _change(candidate, last_error=str(failure)[:1000])
    if candidate.kind == BUILTIN or not (failure.code in COUNTED_FAILURES or silent):
        return
    count = AiProvider.consecutive_failures + 1
    worn = (AiProvider.status == "active") & (count >= FAILURE_THRESHOLD)
    status = case((worn, "degraded"), else_=AiProvider.status)
    _change(candidate, status=status, consecutive_failures=count, last_error=str(failure)[:1000])


def _change(candidate: Called, **values: object) -> None:
    changed = update(AiProvider).where(AiProvider.id == candidate.provider_id)
    with suppress(Failure):  # an answer does not depend on this note
        run_unit(SYSTEM, Unit.bookkeep, changed.values(last_checked_at=now(), **values))
