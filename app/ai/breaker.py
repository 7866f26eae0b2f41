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
FAILURES = 5
PAUSE = timedelta(seconds=30)
# What says something about the provider. Refusals are about the question, the key or its allowance; what breaks off
# later may be the reader's doing.
ITS_OWN = ("network", "server_error")


def admits(candidate: Candidate) -> bool:
    """Whether the provider may be called: always while it is well; while it is not, by one caller in each pause."""
    if not candidate.degraded:
        return True
    due = (AiProvider.status == "degraded", AiProvider.last_checked_at < now() - PAUSE)
    claimed = update(AiProvider).where(AiProvider.id == candidate.provider_id, *due)
    return run_unit(SYSTEM, Unit.bookkeep, claimed.values(last_checked_at=now())) == 1


def succeeded(candidate: Candidate) -> None:
    """Take note of an answer; the provider is well again."""
    if candidate.kind == BUILTIN or not (candidate.degraded or candidate.failures):
        return
    well = case((AiProvider.status == "degraded", "active"), else_=AiProvider.status)
    _change(candidate, status=well, consecutive_failures=0)


def failed(candidate: Candidate, failure: ProviderFailure, waited: float) -> None:
    """Take note of a failure before the first piece, after ``waited`` seconds; too many in a row make the provider
    degraded. A silence counts when it was as long as the provider itself may be silent: a chain may be less patient."""
    silent = failure.code == "timeout" and waited >= candidate.patience
    if failure.code in ("auth", "rate_limit"):
        _change(candidate, last_error=str(failure)[:1000])
    if candidate.kind == BUILTIN or not (failure.code in ITS_OWN or silent):
        return
    count = AiProvider.consecutive_failures + 1
    worn = (AiProvider.status == "active") & (count >= FAILURES)
    status = case((worn, "degraded"), else_=AiProvider.status)
    _change(candidate, status=status, consecutive_failures=count, last_error=str(failure)[:1000])


def _change(candidate: Candidate, **values: object) -> None:
    changed = update(AiProvider).where(AiProvider.id == candidate.provider_id)
    with suppress(Failure):  # an answer does not depend on this note
        run_unit(SYSTEM, Unit.bookkeep, changed.values(last_checked_at=now(), **values))
