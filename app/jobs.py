"""Work that outlives a request: tasks of Procrastinate, whose queue is in the database, and their worker."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import procrastinate
from flask import Flask
from procrastinate import JobContext

from app import sign_in, uploads
from app.database import server_url
from app.usage import sums

# Seconds that a running job may go on after a signal asked for the end.
GRACE = 20


def sum_key_use() -> None:
    """Sum the key use of the hours that have ended."""
    sums.roll_up()


def expire_key_use() -> None:
    """Delete single rows of key use after their time."""
    sums.expire()


def forget_expired() -> None:
    """Delete sessions and proofs in progress whose time is over."""
    sign_in.forget_expired()


def sweep_uploads() -> None:
    """Remove stored bytes that no upload has."""
    uploads.sweep()


# What happens by the clock, in the notation of cron, in UTC.
PERIODIC: tuple[tuple[str, Callable[[], None]], ...] = (
    ("5 * * * *", sum_key_use),
    ("25 3 * * *", expire_key_use),
    ("45 * * * *", forget_expired),
    ("50 3 * * *", sweep_uploads),
)


def queue(app: Flask) -> procrastinate.App:
    """The queue in the database of ``app``, with every task, not yet opened."""
    made = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=server_url(app.config["SETTINGS"])))
    for cron, work in PERIODIC:
        name = work.__name__
        task = made.task(name=name, queueing_lock=name, pass_context=True)(_by_the_clock(work))
        made.periodic(cron=cron)(task)
    return made


def work(app: Flask, *, concurrency: int, until_empty: bool = False) -> None:
    """Do jobs until a signal asks for the end, or until there are none."""
    queue(app).run_worker(
        wait=not until_empty,
        concurrency=concurrency,
        additional_context={"application": app},
        shutdown_graceful_timeout=GRACE,
    )


def _by_the_clock(work: Callable[[], None]) -> Callable[[JobContext, int], None]:
    """Run ``work`` in the context of the application that the worker serves."""

    @wraps(work)
    def run(context: JobContext, timestamp: int) -> None:
        with context.additional_context["application"].app_context():
            work()

    return run
