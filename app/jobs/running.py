"""What a job can do while it runs: say how far it has come, and remember the steps that it has done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Concatenate, ParamSpec
from uuid import UUID

import orjson
from sqlalchemy import delete, select, update

from app.engine.declare.principal import SYSTEM, Principal
from app.engine.read.database import reading
from app.engine.read.statements import autocommit_connection
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.foundation.errors import Failure
from app.jobs import steps
from app.jobs.models import MAX_RESULT_BYTES, PlatformJob, PlatformJobStep

P = ParamSpec("P")

# Seconds between two reports that are written down.
REPORT_EVERY = 1.0
# How long jobs that have ended can be looked at, and steps are remembered.
RETENTION = timedelta(days=30)
REPORT = """
UPDATE platform_job SET progress = %(progress)s, message = %(message)s, updated_at = now()
WHERE id = %(id)s AND status = 'running' RETURNING id
"""


class JobCancelled(Exception):
    """Raised by ``report_progress`` where the user has cancelled the job: let it pass, once what is open is closed."""


@dataclass
class Running:
    """The job that this thread does: its number in the queue, and the row by which its user follows it."""

    queued_id: int
    followed: UUID | None = None
    reported: float = field(default=float("-inf"), init=False)


_running: ContextVar[Running | None] = ContextVar("running", default=None)


@contextmanager
def running(job: Running) -> Iterator[None]:
    """Do ``job`` within."""
    token = _running.set(job)
    try:
        yield
    finally:
        _running.reset(token)


def report_progress(done: float, message: str | None = None) -> None:
    """Tell the user who follows the job how far it has come, from 0 to 1, and what it is at. Written down once a second
    at most, and at once, also inside of a unit. Raises JobCancelled where the user has cancelled it."""
    job = _running.get()
    if job is None or job.followed is None or time.monotonic() - job.reported < REPORT_EVERY:
        return
    job.reported = time.monotonic()
    progress = done if 0 <= done <= 1 else float(done > 1)
    told = {"id": job.followed, "progress": progress, "message": message and _plain(message, 300)}
    with autocommit_connection() as connection:
        if not connection.rows(REPORT, told):
            raise JobCancelled


def step(name: str, work: Callable[[str], Any]) -> Any:
    """Do ``work`` once in the life of a job, however often that is begun again, and return what it returned, as JSON.
    For what happens elsewhere, such as a payment: between that and its being written down lies a moment in
    which the process can die, so ``work`` is given a key that stays the same, for the other side to know it again."""
    job = _current()
    with reading() as session:
        done = session.execute(_of_step(job, name)).one_or_none()
    if done is not None:
        return done.result
    result = as_json(work(vault().digest(f"step {name} of job {job.queued_id}")))
    return run_unit(SYSTEM, _kept, job, name, result)


def unit_step(
    name: str, principal: Principal, work: Callable[Concatenate[Unit, P], Any], *arguments: P.args, **options: P.kwargs
) -> Any:
    """Do ``work`` as a unit of ``principal``, once in the life of a job: what it writes is committed with the note that
    it was done, so that it is never done twice. Returns what it returned, as JSON."""
    return run_unit(principal, _do_once, _current(), name, work, arguments, options)


def begin(job: Running) -> bool:
    """Say that a job runs, for the first time or again; False where it was cancelled or has been done before."""
    begun = {"status": "running", "started_at": now(), "ended_at": None, "error_message": None}
    return job.followed is None or change(job, begun, "waiting", "running", "failed")


def succeed(job: Running, result: Any) -> None:
    """Keep what came of a job."""
    if job.followed is not None:
        ended = {"status": "succeeded", "progress": 1.0, "result": as_json(result), "ended_at": now()}
        change(job, ended, "running")


def wait_again(job: Running) -> None:
    """Say that a job is done again later."""
    if job.followed is not None:
        change(job, {"status": "waiting"}, "running")


def fail(job: Running, failure: Failure) -> None:
    """Say that a job has failed for good, and keep what the refusal says further."""
    if job.followed is not None:
        ended = {"status": "failed", "error_message": _plain(failure.text, 1000), "ended_at": now()}
        with suppress(ValueError):  # too much, or no JSON
            ended["result"] = as_json(failure.details) if failure.details else None
        change(job, ended, "waiting", "running")


def has_succeeded(job: Running) -> bool:
    """Whether a job that somebody follows has been done before."""
    with reading() as session:
        return session.scalar(select(PlatformJob.status).where(PlatformJob.id == job.followed)) == "succeeded"


def _plain(text: str, length: int) -> str:
    """A text as it can be stored."""
    return text.replace("\x00", "")[:length]


def change(job: Running, values: dict[str, Any], *statuses: str) -> bool:
    """Write ``values`` while the job that somebody follows has one of these ``statuses``."""
    own = (PlatformJob.id == job.followed, PlatformJob.status.in_(statuses))
    return run_unit(SYSTEM, Unit.bookkeep, update(PlatformJob).where(*own).values(values)) > 0


def expire(unit: Unit) -> None:
    """Remove jobs that ended a month ago, and steps of jobs that will not be done again."""
    unit.bookkeep(delete(PlatformJob).where(PlatformJob.ended_at < now() - RETENTION))
    unit.bookkeep(delete(PlatformJobStep).where(PlatformJobStep.created_at < now() - RETENTION))


def _do_once(
    unit: Unit, job: Running, name: str, work: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    # First, so that whoever is at the same step waits here.
    if not steps.note(unit, job.queued_id, name):
        return unit.session.execute(_of_step(job, name)).scalar_one()
    result = as_json(work(unit, *arguments, **options))
    unit.bookkeep(update(PlatformJobStep).where(*_is_step(job, name)).values(result=result))
    return result


def _kept(unit: Unit, job: Running, name: str, result: Any) -> Any:
    """What is kept of a step: what somebody else has who was given the job as well, and was first."""
    steps.note(unit, job.queued_id, name, result)
    return unit.session.execute(_of_step(job, name)).scalar_one()


def _of_step(job: Running, name: str) -> Any:
    return select(PlatformJobStep.result).where(*_is_step(job, name))


def _is_step(job: Running, name: str) -> tuple[Any, ...]:
    return PlatformJobStep.queued_id == job.queued_id, PlatformJobStep.name == name


def _current() -> Running:
    job = _running.get()
    if job is None:
        raise RuntimeError("Only a job has steps")
    return job


def as_json(value: Any) -> Any:
    """Return a value as it is stored; raises ValueError for what is no JSON, or too much of it."""
    try:
        encoded = orjson.dumps(value)
    except TypeError as error:
        raise ValueError(f"What a job keeps has to be JSON: {error}") from None
    if len(encoded) > MAX_RESULT_BYTES:
        raise ValueError(f"What a job keeps has at most {MAX_RESULT_BYTES} bytes")
    return orjson.loads(encoded)
