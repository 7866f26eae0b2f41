"""flask jobs: the worker of background jobs, and what waits for it."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import click
import procrastinate
from flask import current_app
from procrastinate.exceptions import AlreadyEnqueued, ProcrastinateException
from procrastinate.jobs import Job
from procrastinate.utils import utcnow

from app.commands.groups import Group, as_json, show
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.foundation.clock import now, wire
from app.foundation.identifiers import uuid_of
from app.jobs import following, registry, worker
from app.jobs.queue import DEFAULT_QUEUE, QUEUES

group = Group("jobs", help="Do and govern background jobs.")
COLUMNS = ("id", "task", "status", "attempts", "scheduledAt", "arguments")
LAST_RUNS = "SELECT task_name, max(defer_timestamp) AS last FROM procrastinate_periodic_defers GROUP BY task_name"
# Seconds between two looks at a job that is waited for.
POLL_EVERY = 0.5
STATUSES = ("todo", "doing", "succeeded", "failed", "cancelled", "aborted")


@group.command()
@click.option(
    "--concurrency", type=click.IntRange(1, 64), default=registry.CONCURRENCY, show_default=True, help="Jobs at a time."
)
@click.option("--until-empty", is_flag=True, help="End when nothing waits.")
def work(concurrency: int, until_empty: bool) -> None:
    """Do jobs until told to stop; run as many of these as wanted."""
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    registry.work(app, concurrency=concurrency, until_empty=until_empty)


@group.command("list")
@click.option("--status", type=click.Choice(STATUSES), help="Only jobs in this state.")
@as_json
def list_(status: str | None, as_json: bool) -> None:
    """List jobs."""
    with registry.procrastinate_app(current_app).open() as queue:
        found = [to_dict(job) for job in queue.job_manager.list_jobs(status=status)]
    show(found, as_json, COLUMNS)


@group.command()
@click.argument("identifier", type=int)
def retry(identifier: int) -> None:
    """Do a failed job again, now."""
    with registry.procrastinate_app(current_app).open() as queue:
        try:
            # First, so that no worker fetches the job with its tries used up; one more is counted with the retry.
            queue.connector.execute_query(worker.ATTEMPTS, id=identifier, attempts=-1)
            queue.job_manager.retry_job_by_id(identifier, retry_at=utcnow())
        except ProcrastinateException:
            raise click.ClickException(f"Job {identifier} cannot be done again") from None
    click.echo(f"Job {identifier} waits")


@group.command()
@click.argument("identifier", type=int)
def cancel(identifier: int) -> None:
    """Cancel a job that waits."""
    with registry.procrastinate_app(current_app).open() as queue:
        found = next(iter(queue.job_manager.list_jobs(id=identifier)), None)
        if not queue.job_manager.cancel_job_by_id(identifier):
            raise click.ClickException(f"Job {identifier} does not wait")
    given: Any = found.task_kwargs if found is not None else {}
    followed = given.get("given", given).get("followed")
    if followed is not None:
        run_unit(SYSTEM, following.note_cancelled, UUID(followed))
    click.echo(f"Job {identifier} is cancelled")


@group.command()
@click.argument("name")
@click.argument("record", required=False)
@click.option(
    "--arguments", "arguments", default="{}", metavar="JSON", help="What else the job is given, as an object."
)
@click.option("--wait", is_flag=True, help="End when the job has ended, with 1 if it has failed.")
def run(name: str, record: str | None, arguments: str, wait: bool) -> None:
    """Have a job done now: of the clock by its name, or another about the RECORD with this id."""
    given = _arguments(name, record, arguments)
    with registry.procrastinate_app(current_app).open() as queue:
        by_clock = name if name not in registry.JOBS else None
        task = queue.configure_task(name, queueing_lock=by_clock, queue=QUEUES.get(name, DEFAULT_QUEUE))
        try:
            identifier = task.defer(**given)
        except AlreadyEnqueued:
            raise click.ClickException(f"{name} waits already") from None
        click.echo(f"Job {identifier} waits")
        if wait:
            _await_end(queue, identifier)


@group.command()
@as_json
def plan(as_json: bool) -> None:
    """List the jobs of the clock, with their last and next runs in UTC."""
    with registry.procrastinate_app(current_app).open() as queue:
        asked = {row["task_name"]: row["last"] for row in queue.connector.execute_query_all(LAST_RUNS)}
        tasks = sorted(queue.periodic_registry.periodic_tasks.values(), key=lambda each: each.task.name)
    found = [
        {
            "name": each.task.name,
            "cron": each.cron,
            "lastRun": _moment(asked.get(each.task.name)),
            "nextRun": _moment(each.croniter.get_next(start_time=now().timestamp())),
        }
        for each in tasks
    ]
    show(found, as_json, ("name", "cron", "lastRun", "nextRun"))


def _arguments(name: str, record: str | None, arguments: str) -> dict[str, Any]:
    try:
        more = json.loads(arguments)
    except ValueError:
        more = None
    if not isinstance(more, dict):
        raise click.ClickException("--arguments takes a JSON object")
    if name in registry.JOBS:
        if record is None or uuid_of(record) is None:
            raise click.ClickException(f"{name} is about a record: give its id")
        return {"row_id": record, **more}
    if name not in {each.name for each in registry.PERIODIC}:
        raise click.ClickException(f"No job is called {name}: flask jobs plan and flask plugins list them")
    if record is not None or more:
        raise click.ClickException(f"{name} is a job of the clock, and is given nothing")
    return {"timestamp": int(now().timestamp())}


def _await_end(queue: procrastinate.App, identifier: int) -> None:
    """Return when a job has ended; raises ClickException if it has failed, or was cancelled."""
    while True:
        # The queue forgets jobs that have ended well.
        status = next((job.status for job in queue.job_manager.list_jobs(id=identifier)), "succeeded")
        if status not in ("todo", "doing"):
            break
        time.sleep(POLL_EVERY)
    if status != "succeeded":
        raise click.ClickException(f"Job {identifier} is {status}")
    click.echo(f"Job {identifier} is done")


def _moment(timestamp: float | None) -> str | None:
    return None if timestamp is None else wire(datetime.fromtimestamp(timestamp, UTC))


def to_dict(job: Job) -> dict[str, Any]:
    return {
        "id": job.id,
        "task": job.task_name,
        "status": job.status,
        "attempts": job.attempts,
        "scheduledAt": job.scheduled_at,
        "arguments": job.task_kwargs,
    }
