"""Hourly sums of key usage: computed every hour, kept after the single rows are deleted at ninety days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from app.engine.declare.principal import SYSTEM
from app.engine.read.statements import autocommit_connection, driver_connection
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now

RETENTION = timedelta(days=90)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
# Rows may be written a little after their hour has ended; sums of these hours are made again.
REPEATED = 2 * HOUR
DELETE_BATCH_SIZE = 10_000
# Upper bounds of the latency classes, in milliseconds; the last class is open.
BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000]

SUMS = """
WITH raw AS (
    SELECT key_id, date_trunc('hour', time, 'UTC') AS hour, outcome, latency_ms,
        coalesce((SELECT min(bound)::text FROM unnest(%(bounds)s::int[]) AS bound WHERE latency_ms <= bound), 'more')
            AS latency
    FROM auth_api_key_analytics
    WHERE time >= %(since)s AND time < %(until)s AND {condition}
), total AS (
    SELECT key_id, hour, count(*) AS requests, sum(latency_ms) AS latency_total, max(latency_ms) AS latency_max
    FROM raw GROUP BY key_id, hour
), by_outcome AS (
    SELECT key_id, hour, jsonb_object_agg(outcome, counted) AS outcomes FROM (
        SELECT key_id, hour, outcome, count(*) AS counted FROM raw GROUP BY key_id, hour, outcome
    ) AS each GROUP BY key_id, hour
), by_latency AS (
    SELECT key_id, hour, jsonb_object_agg(latency, counted) AS histogram FROM (
        SELECT key_id, hour, latency, count(*) AS counted FROM raw GROUP BY key_id, hour, latency
    ) AS each GROUP BY key_id, hour
)
"""
SUMMED = "FROM total JOIN by_outcome USING (key_id, hour) JOIN by_latency USING (key_id, hour)"
ROLL_UP = (
    SUMS.format(condition="key_id IS NOT NULL")
    + """
INSERT INTO auth_api_key_usage AS kept (id, created_at, updated_at, key_id, hour, request_count, outcomes,
    latency_total_ms, latency_max_ms, latency_histogram)
SELECT gen_random_uuid(), now(), now(), key_id, hour, requests, outcomes, latency_total, latency_max, histogram
"""
    + SUMMED
    + """
ON CONFLICT (key_id, hour) DO UPDATE SET updated_at = now(), request_count = excluded.request_count,
    outcomes = excluded.outcomes, latency_total_ms = excluded.latency_total_ms,
    latency_max_ms = excluded.latency_max_ms, latency_histogram = excluded.latency_histogram
WHERE excluded.request_count > kept.request_count
"""
)
# Hours that have not been summed yet are read from the single rows.
NOT_SUMMED = """key_id = %(key)s AND time >= coalesce(
    (SELECT max(hour) + interval '1 hour' FROM auth_api_key_usage WHERE key_id = %(key)s), '-infinity')"""
SERIES = "".join(
    (
        SUMS.format(condition=NOT_SUMMED),
        """
SELECT hour, request_count, outcomes, latency_total_ms, latency_max_ms, latency_histogram
FROM auth_api_key_usage WHERE key_id = %(key)s AND hour >= %(since)s AND hour < %(until)s
UNION ALL
SELECT hour, requests, outcomes, latency_total, latency_max, histogram
""",
        SUMMED,
    )
)
EXPIRE = """
DELETE FROM auth_api_key_analytics WHERE id = ANY (ARRAY (
    SELECT id FROM auth_api_key_analytics WHERE time < %(before)s ORDER BY time LIMIT %(most)s))
"""


def roll_up(unit: Unit) -> None:
    """Sum the hours that have ended; summing an hour again changes nothing."""
    until, connection = _hour(now()), driver_connection(unit.session)
    (last,) = connection.execute("SELECT max(hour) FROM auth_api_key_usage").fetchone() or (None,)
    since = last - REPEATED if last else until - RETENTION
    connection.execute(ROLL_UP, {"since": since, "until": until, "bounds": BOUNDS})


def expire() -> None:
    """Delete the single rows after ninety days, a part at a time. Their hours have been summed before."""
    run_unit(SYSTEM, roll_up)
    while run_unit(SYSTEM, _delete_part) == DELETE_BATCH_SIZE:
        pass


def _delete_part(unit: Unit) -> int:
    return (
        driver_connection(unit.session)
        .execute(EXPIRE, {"before": _hour(now()) - RETENTION, "most": DELETE_BATCH_SIZE})
        .rowcount
    )


@dataclass
class Point:
    """The use of a key in one hour or day."""

    requests: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    latency_total: int = 0
    latency_max: int = 0
    histogram: Counter[str] = field(default_factory=Counter)

    def add(self, requests: int, outcomes: dict[str, int], total: int, most: int, histogram: dict[str, int]) -> None:
        self.requests += requests
        self.outcomes.update(outcomes)
        self.latency_total += int(total)
        self.latency_max = max(self.latency_max, most)
        self.histogram.update(histogram)

    def latency(self, share: float) -> int | None:
        """The bound below which ``share`` of the latencies lie, in milliseconds."""
        left = share * self.requests
        for bound in BOUNDS:
            left -= self.histogram[str(bound)]
            if left <= 0 < self.requests:
                return min(bound, self.latency_max)
        return self.latency_max if self.requests else None

    def to_dict(self, time: datetime) -> dict[str, Any]:
        average = round(self.latency_total / self.requests, 1) if self.requests else None
        most = self.latency_max if self.requests else None
        latency = {"average": average, "p50": self.latency(0.5), "p95": self.latency(0.95), "max": most}
        return {"time": time, "requests": self.requests, "outcomes": dict(self.outcomes), "latencyMs": latency}


def series(key_id: UUID, since: datetime, until: datetime, step: timedelta) -> list[dict[str, Any]]:
    """The use of a key from ``since`` until before ``until``, both at the start of a ``step``: one point for each of
    these hours or days."""
    points = {time: Point() for time in _times(since, until, step)}
    binds = {"key": key_id, "since": since, "until": until, "bounds": BOUNDS}
    with autocommit_connection() as connection:
        for hour, *sums in connection.execute(SERIES, binds):
            points[floor(hour, step)].add(*sums)
    return [point.to_dict(time) for time, point in points.items()]


def _times(since: datetime, until: datetime, step: timedelta) -> Iterator[datetime]:
    while since < until:
        yield since
        since += step


def floor(moment: datetime, step: timedelta) -> datetime:
    """The start of the hour or day, in UTC, that ``moment`` lies in."""
    hour = _hour(moment)
    return hour.replace(hour=0) if step == DAY else hour


def _hour(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)
