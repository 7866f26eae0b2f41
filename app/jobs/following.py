"""What users see of the jobs that they wait for, and how they cancel them."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from sqlalchemy import ColumnElement, func, select, text

from app.engine.read.database import after_unit
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.foundation.errors import Conflict, require_found
from app.jobs.models import PlatformJob
from app.jobs.registry import JOBS

STATUSES = tuple(PlatformJob.transitions["status"])
# What it does already stops by itself, the next time that it says how far it has come.
CANCEL = text("SELECT procrastinate_cancel_job_v1(:number, false, true)")


def list_jobs(unit: Unit, status: str | None, take: int, skip: int) -> tuple[list[PlatformJob], int]:
    """A page of the principal's jobs, the newest first, and how many there are: all, or those in one ``status``."""
    own = [_own(unit), *([PlatformJob.status == status] if status else [])]
    count = unit.session.scalar(select(func.count()).select_from(PlatformJob).where(*own)) or 0
    newest = select(PlatformJob).where(*own).order_by(PlatformJob.created_at.desc(), PlatformJob.id.desc())
    return list(unit.session.scalars(newest.limit(take).offset(skip))), count


def get(unit: Unit, identifier: UUID) -> PlatformJob:
    """A job of the principal; raises NotFound."""
    return require_found(unit.session.scalar(select(PlatformJob).where(_own(unit), PlatformJob.id == identifier)))


def cancel(unit: Unit, identifier: UUID) -> PlatformJob:
    """Take a job that waits out of the queue, so that its record does not look as if it were worked on, or ask one that
    runs to stop. Raises NotFound, and Conflict for one that has ended."""
    own = select(PlatformJob).where(_own(unit), PlatformJob.id == identifier)
    job = require_found(unit.session.scalar(own.with_for_update()))
    if job.ended_at is not None:
        raise Conflict("The job has ended")
    job.status, job.ended_at = "cancelled", now()
    waited = unit.session.scalar(CANCEL, {"number": job.queued_id})
    known = JOBS.get(job.task)
    if waited is not None and known is not None and known.give_up is not None:
        after_unit(partial(known.give_up, job.record_id))
    return job


def _own(unit: Unit) -> ColumnElement[bool]:
    return PlatformJob.user_id == unit.principal.user_id
