"""Transactions that are too large for a request: a job takes them back, with the rights of whoever asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from uuid import UUID

from sqlalchemy import select

from app.auth.accounts.standing import principal_with, standing_of
from app.auth.credentials.presence import ACCOUNT_GONE
from app.engine.changes import undoing
from app.engine.declare.principal import Credential
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Conflict, Forbidden, RateLimited, require_found
from app.jobs.models import PlatformJob
from app.jobs.queue import RETRY_AFTER, defer
from app.jobs.running import report_progress, unit_step

UNDO = "undo"
# Fields that keep their values, as far as the result of a job tells them.
MAX_KEPT = 100


@undoing.before_undo
def require_ended(unit: Unit, transaction: UUID) -> None:
    """Refuse to undo what a job still writes."""
    found = unit.session.get(PlatformJob, transaction)
    if found is not None and found.ended_at is None:
        raise Conflict("The job is still running.")


def ask(unit: Unit, transaction: UUID) -> PlatformJob:
    """Have a job take ``transaction`` back, one at a time for each user, as it reads the whole of it before it knows
    whether the user may. Raises Conflict to keys, which may do less than users, and RateLimited."""
    principal = unit.principal
    if principal.credential is not Credential.SESSION or principal.is_client or principal.user_id is None:
        raise Conflict(f"More than {undoing.MAX_AT_ONCE} changes belong to it: undo them with a session")
    unit.lock(f"undo of {principal.user_id}")
    own = (PlatformJob.user_id == principal.user_id, PlatformJob.task == UNDO, PlatformJob.ended_at.is_(None))
    if unit.session.scalar(select(PlatformJob.id).where(*own).limit(1)) is not None:
        raise RateLimited("Another undo of yours is under way", headers=RETRY_AFTER)
    job = defer(
        unit, UNDO, transaction, user_id=principal.user_id, followed=True, on_behalf=True,
        asked_by=str(principal.user_id), standing=standing_of(principal),
    )  # fmt: skip
    return require_found(unit.session.get(PlatformJob, job))


def run(transaction: UUID, asked_by: str, standing: Mapping[str, Any]) -> Any:
    """Take ``transaction`` back, as the job, and return what was done."""
    with reading() as session:
        principal = principal_with(session, UUID(asked_by), standing)
    return unit_step(UNDO, require_found(principal, Forbidden(ACCOUNT_GONE)), _undo, transaction)


def _undo(unit: Unit, transaction: UUID) -> dict[str, Any]:
    done = undoing.undo(unit, transaction, undoing.MAX_UNDONE, advance=report_progress)
    return {**asdict(done), "kept": done.kept[:MAX_KEPT]}
