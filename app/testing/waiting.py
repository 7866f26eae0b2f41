"""The jobs that wait, done in the process of the tests."""

from __future__ import annotations

from uuid import UUID

from flask import Flask
from sqlalchemy import text

from app.jobs import registry
from app.testing.database import transaction


def work(app: Flask) -> None:
    """Do the jobs that wait."""
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
            row_id = UUID(arguments.pop("row_id"))
            registry.JOBS[task].work(row_id, **arguments)
    return len(jobs)
