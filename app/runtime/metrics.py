"""Prometheus metrics of all worker processes.

Each process writes its numbers into files of the folder ``PROMETHEUS_MULTIPROC_DIR``, which gunicorn's configuration
makes; whichever worker is asked adds them up.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from flask import Flask, Response, g, request
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy import event, text
from sqlalchemy.exc import SQLAlchemyError

from app.extensions import READS, db
from app.runtime import connections

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

REQUESTS = Counter("rowgate_requests", "Requests answered.", ["method", "route", "status"])
LATENCY = Histogram(
    "rowgate_request_seconds", "Time from a request to the start of its answer.", ["method", "route"], buckets=BOUNDS
)
REFUSALS = Counter("rowgate_limit_refusals", "Requests refused by a limit.", ["limit"])
STREAMS = Gauge("rowgate_open_streams", "Open streams of events.", multiprocess_mode="livesum")
CONNECTIONS = Gauge(
    "rowgate_database_connections_in_use", "Connections taken from a pool.", ["pool"], multiprocess_mode="livesum"
)
JOBS = text("""
SELECT task_name, status::text, count(*),
    coalesce(extract(epoch FROM max(now() - due) FILTER (WHERE status = 'todo')), 0)
FROM (
    SELECT j.task_name, j.status, coalesce(j.scheduled_at, e.at) AS due FROM procrastinate_jobs j
    LEFT JOIN procrastinate_events e ON e.job_id = j.id AND e.type = 'deferred'
    WHERE j.status IN ('todo', 'doing', 'failed')
) AS job GROUP BY task_name, status
""")


class JobQueue(Collector):
    """The jobs in the database, from the rows that ``jobs`` gives."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self._rows = rows

    def collect(self) -> Iterator[GaugeMetricFamily]:
        jobs = GaugeMetricFamily("rowgate_jobs", "Jobs that wait, run, or have failed.", labels=["task", "status"])
        oldest = GaugeMetricFamily("rowgate_job_wait_seconds", "How long the oldest due job waits.", labels=["task"])
        for task, status, number, waits in self._rows:
            jobs.add_metric([task, status], number)
            if status == "todo":
                oldest.add_metric([task], max(float(waits), 0.0))
        yield jobs
        yield oldest


class ChangeLog(Collector):
    """The log of changes: its last position, and how long the oldest change waits for one."""

    def __init__(self, position: int, lag: float) -> None:
        self._position, self._lag = position, lag

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield GaugeMetricFamily("rowgate_changes_position", "Position of the last change.", self._position)
        yield GaugeMetricFamily("rowgate_changes_lag_seconds", "How long the oldest change waits.", self._lag)


def init_app(app: Flask) -> None:
    """Measure the requests of ``app`` and its pools."""
    app.after_request(_observe)
    with app.app_context():
        for pool, engine in (("reads", db.engines[READS]), ("writes", db.engine)):
            gauge, taken = CONNECTIONS.labels(pool), connections.in_use(app)[pool]
            for change in connections.CHANGES:
                event.listen(engine, change, lambda *_, gauge=gauge, taken=taken: gauge.set(len(taken)))
            for purpose in ("reads", "queries") if pool == "reads" else ("writes",):
                connections.kept(purpose).noted = lambda gauge=gauge, taken=taken: gauge.set(len(taken))  # type: ignore[misc]


def count_as(status: str) -> None:
    """Count the running request under another status than that of its answer, which would read as a failure."""
    g.counted_as = status


def jobs() -> Sequence[Any]:
    """The jobs in the database by task and status; none where the database is away."""
    try:
        with db.engines[READS].connect() as connection:
            return connection.execute(JOBS).all()
    except SQLAlchemyError:
        return ()


def prometheus_text(jobs: Sequence[Any], changes: ChangeLog | None = None) -> bytes:
    """Everything measured, in the text format of Prometheus."""
    registry = CollectorRegistry()
    registry.register(JobQueue(jobs))
    if changes is not None:
        registry.register(changes)
    try:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    except ValueError:  # one process, without a folder
        return generate_latest(REGISTRY) + generate_latest(registry)
    return generate_latest(registry)


def _observe(response: Response) -> Response:
    asked = request._get_current_object()  # type: ignore[attr-defined]
    route = asked.url_rule.rule if asked.url_rule is not None else "unmatched"
    method = asked.method if asked.method in METHODS else "other"
    counted, timed = _series(method, route, g.get("counted_as") or str(response.status_code))
    counted.inc()
    timed.observe(time.perf_counter() - g.began)
    return response


@cache
def _series(method: str, route: str, status: str) -> tuple[Any, Any]:
    return REQUESTS.labels(method, route, status), LATENCY.labels(method, route)
