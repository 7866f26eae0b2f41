"""What tests wait for: the jobs of the queue, done in the process of the tests, and what comes true."""

from __future__ import annotations

import time
from collections.abc import Callable
from unittest.mock import patch
from uuid import UUID

from flask import Flask
from sqlalchemy import text

from app.jobs import registry
from app.testing.database import transaction


def work(app: Flask) -> None:
    """Do the jobs that wait; what the clock asks for is left out, so that a test does the same at every minute."""
    with patch.object(registry, "PERIODIC", []):
        registry.work(app, concurrency=1, until_empty=True)


def perform(app: Flask, *tasks: str) -> int:
    """Do the jobs of some tasks that wait, here and now; returns how many there were."""
    taken = text(
        "DELETE FROM procrastinate_jobs WHERE task_name = ANY(:tasks) AND status = 'todo' RETURNING task_name, args"
    )
    with app.app_context():
        with transaction() as session:
            jobs = [tuple(row) for row in session.execute(taken, {"tasks": list(tasks)})]
        for task, arguments in jobs:
            registry.JOBS[task].work(UUID(arguments.pop("row_id")), **arguments)
    return len(jobs)


def await_true(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait until ``condition`` holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not come true in time"
        time.sleep(0.05)
