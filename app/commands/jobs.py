"""flask jobs: the worker of background jobs, and what waits for it."""

from __future__ import annotations

from typing import Any

import click
from flask import current_app
from procrastinate.exceptions import ProcrastinateException
from procrastinate.jobs import Job
from procrastinate.utils import utcnow

from app.commands.groups import Group, as_json, show
from app.jobs import registry, worker

group = Group("jobs", help="Do and govern background jobs.")
COLUMNS = ("id", "task", "status", "attempts", "scheduledAt", "arguments")
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
        if not queue.job_manager.cancel_job_by_id(identifier):
            raise click.ClickException(f"Job {identifier} does not wait")
    click.echo(f"Job {identifier} is cancelled")


def to_dict(job: Job) -> dict[str, Any]:
    return {
        "id": job.id,
        "task": job.task_name,
        "status": job.status,
        "attempts": job.attempts,
        "scheduledAt": job.scheduled_at,
        "arguments": job.task_kwargs,
    }
