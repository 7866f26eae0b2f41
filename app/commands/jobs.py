"""flask jobs: the worker of background jobs."""

from __future__ import annotations

import click
from flask import current_app

from app import jobs
from app.commands.groups import Group

group = Group("jobs", help="Do background jobs.")


@group.command()
@click.option("--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, help="Jobs at a time.")
@click.option("--until-empty", is_flag=True, help="End when nothing waits.")
def work(concurrency: int, until_empty: bool) -> None:
    """Do jobs until told to stop; run as many of these as wanted."""
    jobs.work(current_app._get_current_object(), concurrency=concurrency, until_empty=until_empty)  # type: ignore[attr-defined]
