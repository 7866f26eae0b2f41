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
# Takes a job out of the queue where it waits; one that runs stops at its next report.
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
    if unit.session.scalar(CANCEL, {"number": job.queued_id}) is not None:
        _give_up(job)
    return job


def note_cancelled(unit: Unit, identifier: UUID) -> None:
    """Say of a job that somebody follows that it was taken out of the queue."""
    job = unit.session.get(PlatformJob, identifier, with_for_update=True)
    if job is not None and job.ended_at is None:
        job.status, job.ended_at = "cancelled", now()
        _give_up(job)


def _give_up(job: PlatformJob) -> None:
    known = JOBS.get(job.task)
    if known is not None and known.give_up is not None:
        after_unit(partial(known.give_up, job.record_id))


def _own(unit: Unit) -> ColumnElement[bool]:
    return PlatformJob.user_id == unit.principal.user_id
