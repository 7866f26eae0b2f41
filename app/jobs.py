"""Work that outlives a request: tasks of Procrastinate, whose queue is in the database, and their worker."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import procrastinate
from flask import Flask
from procrastinate import JobContext

from app.database import server_url
from app.usage import sums

tasks = procrastinate.Blueprint()


def in_application(task: Callable[[], None]) -> Callable[[JobContext, int], None]:
    """Run a periodic task in the context of the application that the worker serves."""

    @wraps(task)
    def run(context: JobContext, timestamp: int) -> None:
        with context.additional_context["application"].app_context():
            task()

    return run


@tasks.periodic(cron="5 * * * *")
@tasks.task(name="sum_key_use", queueing_lock="sum_key_use", pass_context=True)
@in_application
def sum_key_use() -> None:
    """Sum the key use of the hours that have ended."""
    sums.roll_up()


@tasks.periodic(cron="25 3 * * *")
@tasks.task(name="expire_key_use", queueing_lock="expire_key_use", pass_context=True)
@in_application
def expire_key_use() -> None:
    """Delete single rows of key use after their time."""
    sums.expire()


def queue(app: Flask) -> procrastinate.App:
    """The queue in the database of ``app``, not yet opened."""
    made = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=server_url(app.config["SETTINGS"])))
    made.add_tasks_from(tasks, namespace="rowgate")
    return made


def work(app: Flask, *, concurrency: int, until_empty: bool = False) -> None:
    """Do jobs until a signal asks for the end, or until there are none."""
    context = {"application": app}
    queue(app).run_worker(wait=not until_empty, concurrency=concurrency, additional_context=context)
