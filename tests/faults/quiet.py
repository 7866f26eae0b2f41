"""Waiting until nothing is under way: no transaction is open, no job waits, no answer is being given."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from tests.faults.service import Service

# Seconds until no transaction is open, until no job waits, and until the job of a worker that was killed is done again.
CLOSED_WITHIN, DRY_WITHIN, RESUMED_WITHIN = 40.0, 60.0, 130.0
# Seconds until an answer whose process has died is closed.
ANSWERED_WITHIN = 75.0
LOOK_EVERY = 0.2

OPEN_TRANSACTIONS = """
SELECT DISTINCT state, left(query, 100) FROM pg_stat_activity
WHERE application_name = 'rowgate' AND backend_type = 'client backend' AND xact_start IS NOT NULL
"""
OPEN_ANSWERS = "SELECT id::text, status, updated_at::text FROM ai_stream WHERE status IN ('pending', 'streaming')"
# Jobs that rows have asked for; what happens by the clock always waits.
WAITING = """
SELECT id, task_name, status, attempts, lock, scheduled_at::text FROM procrastinate_jobs
WHERE args ? 'row_id' AND status IN ('todo', 'doing') ORDER BY id
"""
# Jobs of a worker that gives no sign of life are done again after a while.
STALLED = """
SELECT j.id FROM procrastinate_jobs j LEFT JOIN procrastinate_workers w ON w.id = j.worker_id
WHERE j.args ? 'row_id' AND j.status = 'doing'
AND (w.id IS NULL OR w.last_heartbeat < now() - interval '15 seconds')
"""
# What waits for minutes or hours, because a part was away when it was tried, need not do so here.
BRING_FORWARD = """
UPDATE procrastinate_jobs SET scheduled_at = now()
WHERE args ? 'row_id' AND status = 'todo' AND scheduled_at > now()
"""


def within(seconds: float, condition: Callable[[], bool], *, every: float = LOOK_EVERY) -> bool:
    """Wait until ``condition`` holds; tells whether it did in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True


def disquiet(service: Service) -> Iterable[str]:
    """Wait for transactions and jobs to end; tells of those that do not."""
    if not within(CLOSED_WITHIN, lambda: not service.sql(OPEN_TRANSACTIONS)):
        yield f"transactions stay open: {service.sql(OPEN_TRANSACTIONS)[:3]}"
    begun, limit = time.monotonic(), DRY_WITHIN
    while waiting := service.sql(WAITING):
        service.sql(BRING_FORWARD)
        if service.sql(STALLED):
            limit = RESUMED_WITHIN
        if time.monotonic() - begun > limit:
            yield f"{len(waiting)} jobs are not done after {limit:.0f} s: {waiting[:3]}"
            service.jobs.kill()  # so that the next rounds are judged by what happens in them
            return
        time.sleep(LOOK_EVERY)


def unanswered(service: Service) -> Iterable[str]:
    """Wait for answers to end; tells of those that do not."""
    if not within(ANSWERED_WITHIN, lambda: not service.sql(OPEN_ANSWERS)):
        yield f"answers are not closed after {ANSWERED_WITHIN:.0f} s: {service.sql(OPEN_ANSWERS)[:3]}"
