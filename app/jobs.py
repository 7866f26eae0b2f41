"""Work that outlives a request: tasks of Procrastinate, whose queue is in the database, and their worker."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any
from uuid import UUID

import procrastinate
from flask import Flask
from procrastinate import BaseConnector, JobContext
from procrastinate.jobs import Job
from psycopg.conninfo import make_conninfo
from sqlalchemy import update

from app import (
    connections,
    deliverables,
    documents,
    indexing,
    queue,
    reports,
    retention,
    searching,
    sign_in,
    uploads,
    worker,
)
from app.answering import turns
from app.database import retried, transaction
from app.errors import Unavailable
from app.models.ai_agent import AiAgentDeliverable
from app.models.ai_rag import AiRagDocument, AiRagQuery
from app.models.analytics import AnalyticsReport
from app.teams import inbox, meetings, messages, processing, subscriptions
from app.usage import sums


def sum_key_use() -> None:
    """Sum the key use of the hours that have ended."""
    sums.roll_up()


def expire_key_use() -> None:
    """Delete single rows of key use after their time."""
    sums.expire()


def forget_expired() -> None:
    """Delete sessions and proofs in progress whose time is over."""
    sign_in.forget_expired()


def expire_analytics() -> None:
    """Delete analytics events and activities after their time."""
    retention.expire_analytics()


def sweep_uploads() -> None:
    """Remove stored bytes that no upload has."""
    uploads.sweep()


def close_abandoned_streams() -> None:
    """End chat streams whose process has died."""
    turns.close_abandoned()


def queue_due_reports() -> None:
    """Compute reports again whose schedule says so."""
    reports.queue_due()


def expire_inbound_events() -> None:
    """Delete what was received and is done."""
    inbox.expire()


def remind_of_meetings() -> None:
    """Tell people of meetings that are about to start."""
    meetings.remind()


def renew_graph_subscriptions() -> None:
    """Renew subscriptions at Microsoft Graph at half of their life."""
    subscriptions.renew_due()


# What happens by the clock, in the notation of cron, in UTC; a sixth field is for seconds.
PERIODIC: tuple[tuple[str, Callable[[], None]], ...] = (
    ("5 * * * *", sum_key_use),
    ("25 3 * * *", expire_key_use),
    ("45 * * * *", forget_expired),
    ("30 3 * * *", expire_analytics),
    ("50 3 * * *", sweep_uploads),
    ("* * * * * */20", close_abandoned_streams),
    ("15 * * * *", queue_due_reports),
    ("* * * * *", remind_of_meetings),
    ("35 3 * * *", expire_inbound_events),
    ("*/10 * * * *", renew_graph_subscriptions),
)


Asked = Callable[..., None]
GiveUp = Callable[[UUID], None]
GIVEN_UP = "The service failed"


def _failing(model: Any, *unfinished: str) -> GiveUp:
    """Say of a row that its job has failed for good, unless somebody has ended it meanwhile."""

    @retried
    def fail(row_id: UUID) -> None:
        left = update(model).where(model.id == row_id, model.status.in_(unfinished))
        with transaction() as session:
            session.execute(left.values(status="failed", error_message=GIVEN_UP))

    return fail


# What rows ask for, by the name under which they do, and what is done when that fails for good.
ASKED: dict[str, tuple[Asked, GiveUp | None]] = {
    queue.READ: (documents.read, None),
    queue.ENTER: (documents.enter, None),
    queue.INDEX: (indexing.index_document, _failing(AiRagDocument, "pending")),
    queue.SEARCH: (searching.run_query, _failing(AiRagQuery, "running")),
    queue.REPORT: (reports.compute, _failing(AnalyticsReport, *reports.UNFINISHED)),
    queue.WORK: (deliverables.work_on, _failing(AiAgentDeliverable, "running")),
    queue.INBOX: (processing.process, None),
    queue.DELIVER: (messages.deliver, messages.give_up),
    queue.POST: (messages.post_again, None),
    queue.SUBSCRIPTION: (subscriptions.keep, None),
}
TRIES = 5
# A part may be away for a while: tried again after 10 s, 100 s, a quarter of an hour and 2.8 hours.
WAITS = (10, 100, 1000, 10_000)


class Backoff(procrastinate.BaseRetryStrategy):
    """Tries a job again when a part was away. Jobs of its user that were asked for later need not wait for it."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> procrastinate.RetryDecision | None:
        if not _is_worth_a_retry(exception, job):
            return None
        # Within a lock, a job waits for those of higher priority, whenever they are due.
        behind = -(queue.MAX_WAITING + job.attempts)
        priority = behind if (job.lock or "").startswith(queue.OF_USER) else None
        return procrastinate.RetryDecision(retry_in={"seconds": WAITS[job.attempts]}, priority=priority)


def _is_worth_a_retry(error: BaseException, job: Job) -> bool:
    return isinstance(error, Unavailable) and job.attempts + 1 < TRIES


def opened(app: Flask, connector: BaseConnector | None = None) -> procrastinate.App:
    """The queue in the database of ``app``, with every task, not yet opened; over ``connector``, or over one for
    commands."""
    options = connections.options(app.config["SETTINGS"])
    conninfo = make_conninfo(options.pop("conninfo"), **options)
    made = procrastinate.App(connector=connector or procrastinate.SyncPsycopgConnector(conninfo=conninfo))
    for cron, work in PERIODIC:
        name = work.__name__
        task = made.task(name=name, queueing_lock=name, pass_context=True)(_by_the_clock(work))
        made.periodic(cron=cron)(task)
    made.periodic(cron="* * * * *")(made.task(name="resume_stalled", queueing_lock="resume_stalled")(_resume(made)))
    for name, (work_on, give_up) in ASKED.items():
        places = queue.QUEUES.get(name, queue.DEFAULT_QUEUE)
        made.task(name=name, pass_context=True, retry=Backoff(), queue=places)(_when_asked(work_on, give_up))
    return made


def work(app: Flask, *, concurrency: int, until_empty: bool = False) -> None:
    """Do jobs until a signal asks for the end, or until there are none."""
    queue_ = opened(app, worker.connector(app.config["SETTINGS"]))
    worker.work(app, queue_, concurrency=concurrency, until_empty=until_empty)


def _resume(queue_: procrastinate.App) -> Callable[[int], Coroutine[Any, Any, None]]:
    """Do jobs again whose worker was killed in the middle of them: its heartbeat has ceased."""

    async def resume_stalled(timestamp: int) -> None:
        for job in await queue_.job_manager.get_stalled_jobs():
            await queue_.job_manager.retry_job(job)

    return resume_stalled


def _application(context: JobContext) -> Flask:
    """The application that the worker serves."""
    application: Flask = context.additional_context["application"]
    return application


def _check_tries(job: Job) -> None:
    """Refuse a job that was begun too often without coming to an end: it may be what kills its workers."""
    if job.attempts >= TRIES:
        raise RuntimeError(f"The job was begun {job.attempts} times")


def _by_the_clock(work: Callable[[], None]) -> Callable[[JobContext, int], None]:
    """Run ``work`` in the context of the application that the worker serves."""

    @wraps(work)
    def run(context: JobContext, timestamp: int) -> None:
        with _application(context).app_context():
            _check_tries(context.job)
            work()

    return run


def _when_asked(work_on: Asked, give_up: GiveUp | None) -> Callable[..., None]:
    """Run ``work_on`` about one row in the context of the application that the worker serves; ``give_up`` when it fails
    for good, so that the row does not look as if it were still worked on."""

    @wraps(work_on)
    def run(context: JobContext, row_id: str, **more: Any) -> None:
        with _application(context).app_context():
            try:
                _check_tries(context.job)
                work_on(UUID(row_id), **more)
            except Exception as error:
                if give_up is not None and not _is_worth_a_retry(error, context.job):
                    give_up(UUID(row_id))
                raise

    return run
