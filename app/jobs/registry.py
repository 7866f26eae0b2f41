"""The registry: the jobs of plugins as tasks of Procrastinate."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec
from uuid import UUID

import procrastinate
from flask import Flask
from procrastinate import BaseConnector, JobContext
from procrastinate.jobs import Job as QueuedJob
from psycopg.conninfo import make_conninfo
from sqlalchemy import update

from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import Failure, RateLimited, Unavailable
from app.jobs import queue, running, worker
from app.jobs.running import JobCancelled, Running
from app.runtime import change_context, connections
from app.runtime.shared_concurrency_limit import without_concurrency_limit

GIVEN_UP = "The service failed"
P = ParamSpec("P")
GiveUp = Callable[[UUID], None]


@dataclass(frozen=True)
class Job:
    """A job about one row: ``work`` gets the id of the row, and ``give_up`` when that fails for good or is cancelled.
    What ``work`` returns is kept for the user who follows the job. Each queue has slots of its own."""

    work: Callable[..., object]
    give_up: GiveUp | None = None
    queue: str = queue.DEFAULT_QUEUE


@dataclass(frozen=True)
class Periodic:
    """Work on a schedule of cron, in UTC; a sixth field is for seconds."""

    name: str
    cron: str
    work: Callable[[], object]


@dataclass(frozen=True)
class Continuous:
    """Work that goes on in every worker of jobs, in a thread of its own, until the event that it is given is set."""

    name: str
    work: Callable[[Flask, threading.Event], None]


# Filled by the plugins: what rows ask for, by the name under which they do, what the clock does, and what goes on.
JOBS: dict[str, Job] = {}
PERIODIC: list[Periodic] = []
CONTINUOUS: list[Continuous] = []


def add(jobs: Mapping[str, Job], periodic: Sequence[Periodic], continuous: Sequence[Continuous] = ()) -> None:
    """Add the jobs of a domain."""
    CONTINUOUS.extend(continuous)
    JOBS.update(jobs)
    queue.QUEUES.update({name: job.queue for name, job in jobs.items() if job.queue != queue.DEFAULT_QUEUE})
    PERIODIC.extend(periodic)


def mark_failed(model: Any, *unfinished: str) -> GiveUp:
    """Set the status of a row to ``failed`` when its job has failed for good, unless the row has ended meanwhile."""

    def fail(row_id: UUID) -> None:
        left = update(model).where(model.id == row_id, model.status.in_(unfinished))
        run_unit(SYSTEM, Unit.bookkeep, left.values(status="failed", error_message=GIVEN_UP))

    return fail


def as_unit(work: Callable[Concatenate[Unit, P], None]) -> Callable[P, None]:
    """A job that is one unit of work of the service itself."""

    @wraps(work)
    def run(*arguments: P.args, **more: P.kwargs) -> None:
        run_unit(SYSTEM, work, *arguments, **more)

    return run


# What the queue does for itself: by the clock, and at the moments of jobs.
RESUME = "resume_stalled"
OWN_NAMES = (RESUME, queue.BEGIN_LATER)
# Jobs at a time, where nobody says otherwise.
CONCURRENCY = 4
TRIES = 5
# A part may be away for a while: tried again after 10 s, 100 s, a quarter of an hour and 2.8 hours.
WAITS = (10, 100, 1000, 10_000)


class Backoff(procrastinate.BaseRetryStrategy):
    """Tries a job again when a part was away, or a bound reached. Jobs of its user that were asked for later need not
    wait for it."""

    def get_retry_decision(self, *, exception: BaseException, job: QueuedJob) -> procrastinate.RetryDecision | None:
        if not _is_worth_a_retry(exception, job):
            return None
        # Within a lock, a job waits for those of higher priority, whenever they are due.
        behind = -(queue.MAX_WAITING + job.attempts)
        gives_way = job.queue == queue.VECTORS or (job.lock or "").startswith(queue.OF_USER)
        priority = behind if gives_way else None
        asked = getattr(exception, "headers", {}).get("Retry-After", "0")
        seconds = max(WAITS[job.attempts], int(asked))
        return procrastinate.RetryDecision(retry_in={"seconds": seconds}, priority=priority)


def _is_worth_a_retry(error: BaseException, job: QueuedJob) -> bool:
    """A part that is away comes back, and a bound that is reached is free again."""
    return isinstance(error, Unavailable | RateLimited) and job.attempts + 1 < TRIES


def procrastinate_app(app: Flask, connector: BaseConnector | None = None) -> procrastinate.App:
    """The queue in the database of ``app``, with every task, not yet opened; over ``connector``, or over one for
    commands."""
    options = connections.options(app.config["SETTINGS"])
    conninfo = make_conninfo(options.pop("conninfo"), **options)
    made = procrastinate.App(connector=connector or procrastinate.SyncPsycopgConnector(conninfo=conninfo))
    for each in PERIODIC:
        task = made.task(name=each.name, queueing_lock=each.name, pass_context=True)(_by_the_clock(each.work))
        made.periodic(cron=each.cron)(task)
    made.periodic(cron="* * * * *")(made.task(name=RESUME, queueing_lock=RESUME)(_resume(made)))
    for name, job in JOBS.items():
        made.task(name=name, pass_context=True, retry=Backoff(), queue=job.queue)(_when_asked(job))
    made.task(name=queue.BEGIN_LATER, pass_context=True, retry=Backoff())(_begin_later)
    return made


def work(app: Flask, *, concurrency: int, until_empty: bool = False) -> None:
    """Do jobs until a signal asks for the end, or until there are none."""
    queue_ = procrastinate_app(app, worker.connector(app.config["SETTINGS"]))
    going_on = {} if until_empty else {each.name: partial(each.work, app) for each in CONTINUOUS}
    worker.work(app, queue_, concurrency=concurrency, until_empty=until_empty, going_on=going_on)


def _resume(queue_: procrastinate.App) -> Callable[[int], Coroutine[Any, Any, None]]:
    """Do jobs again whose worker was killed in the middle of them: its heartbeat has ceased."""

    async def resume_stalled(timestamp: int) -> None:
        for job in await queue_.job_manager.get_stalled_jobs():
            await queue_.job_manager.retry_job(job)

    return resume_stalled


def _application(context: JobContext) -> Flask:
    """The application that the worker serves."""
    return context.additional_context["application"]


def _check_tries(job: QueuedJob) -> None:
    """Refuse a job that was begun too often without coming to an end: it may be what kills its workers."""
    if job.attempts >= TRIES:
        raise RuntimeError(f"The job was begun {job.attempts} times")


def _by_the_clock(work: Callable[[], object]) -> Callable[[JobContext, int], None]:
    """Run ``work`` in the context of the application that the worker serves."""

    @wraps(work)
    def run(context: JobContext, timestamp: int) -> None:
        with (
            _application(context).app_context(),
            change_context.of_job(),
            running.running(Running(context.job.id or 0)),
        ):
            _check_tries(context.job)
            work()

    return run


def _when_asked(job: Job) -> Callable[..., None]:
    """Do ``job`` about one row in the context of the application that the worker serves; give up when it fails for
    good, so that the row does not look as if it were still worked on."""

    @wraps(job.work)
    def run(context: JobContext, row_id: str, followed: str | None = None, **more: Any) -> None:
        seen = UUID(followed) if followed else None
        # What a followed job writes is one transaction, which has its id: that undoes it.
        with _application(context).app_context(), change_context.of_job(seen), without_concurrency_limit():
            _do(job, context, Running(context.job.id or 0, seen), UUID(row_id), more)

    return run


def _do(job: Job, context: JobContext, this: Running, row_id: UUID, more: dict[str, Any]) -> None:
    try:
        _check_tries(context.job)
        _work(job, this, row_id, more)
    except JobCancelled:
        if job.give_up is not None:
            job.give_up(row_id)
    except Exception as error:
        if _is_worth_a_retry(error, context.job):
            running.wait_again(this)
        else:
            try:
                running.fail(this, error if isinstance(error, Failure) else Failure(GIVEN_UP))
            finally:
                if job.give_up is not None:
                    job.give_up(row_id)
        raise


def _work(job: Job, this: Running, row_id: UUID, more: dict[str, Any]) -> None:
    if running.begin(this):
        with running.running(this):
            running.succeed(this, job.work(row_id, **more))
    elif not running.has_succeeded(this):
        raise JobCancelled  # before it began, or its user is gone


def _begin_later(context: JobContext, /, **kept: Any) -> None:
    """Give a job whose moment has come its turn among the others."""
    with _application(context).app_context(), change_context.of_job():
        run_unit(SYSTEM, queue.begin, context.job.id or 0, **kept)
