"""The jobs that wait, done in the process of the tests."""

from __future__ import annotations

from flask import Flask

from app.jobs import registry


def work(app: Flask) -> None:
    """Do the jobs that wait."""
    registry.work(app, concurrency=1, until_empty=True)
