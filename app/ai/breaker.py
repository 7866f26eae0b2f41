"""The circuit breaker: after five failures in a row a provider is skipped for thirty seconds."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

from sqlalchemy import case, update

from app.ai.completion import ProviderFailure
from app.ai.models.answering import AiProvider
from app.ai.providers import BUILTIN, Candidate
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Failure

# Failures in a row after which a provider counts as degraded, and how long it is left alone before one call tries it.
FAILURE_THRESHOLD = 5
RESET_TIMEOUT = timedelta(seconds=30)
# Failures that count against the provider. Refusals are about the request, the key or its quota; after the first piece
# the client may have gone.
COUNTED_FAILURES = ("network", "server_error")


def allows_call(candidate: Candidate) -> bool:
    """Whether the provider may be called: always while it is well; while it is not, by one caller in each interval."""
    if not candidate.degraded:
        return True
    due = (AiProvider.status == "degraded", AiProvider.last_checked_at < now() - RESET_TIMEOUT)
    claimed = update(AiProvider).where(AiProvider.id == candidate.provider_id, *due)
    return run_unit(SYSTEM, Unit.bookkeep, claimed.values(last_checked_at=now())) == 1


def record_success(candidate: Candidate) -> None:
    """Take note of an answer; the provider is well again."""
    if candidate.kind == BUILTIN or not (candidate.degraded or candidate.failures):
        return
    well = case((AiProvider.status == "degraded", "active"), else_=AiProvider.status)
    _change(candidate, status=well, consecutive_failures=0)


def record_failure(candidate: Candidate, failure: ProviderFailure, waited: float) -> None:
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


def _change(candidate: Candidate, **values: object) -> None:
    changed = update(AiProvider).where(AiProvider.id == candidate.provider_id)
    with suppress(Failure):  # an answer does not depend on this note
        run_unit(SYSTEM, Unit.bookkeep, changed.values(last_checked_at=now(), **values))
