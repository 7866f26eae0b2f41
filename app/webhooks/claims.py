"""Claims: which deliveries a process may try. Each lasts a minute: whoever is killed leaves one that runs out, so that
an event is delivered at least once.

Deliveries about one record go out in its order, one at a time. Endpoints have their turns: one that has much to hear,
or does not answer, is in nobody's way.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from app.engine.read.statements import driver_connection
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.webhooks.models import IS_OPEN

# Under way at once for an endpoint, for one that does not answer, and how many that are due are looked at for that.
UNDER_WAY, FAILING, LOOKED_AT = 10, 1, 200
LEASE = timedelta(minutes=1)
# How long what could not be prepared waits.
PAUSE = timedelta(seconds=5)
# The first that are due, of each endpoint that is on.
DUE = f"""
integration_webhook_endpoint AS e CROSS JOIN LATERAL (
    SELECT d.id, d.next_attempt_at, d.position, d.record_id FROM integration_webhook_delivery AS d
    WHERE d.endpoint_id = e.id AND d.{IS_OPEN} AND d.next_attempt_at <= %(now)s
    ORDER BY d.next_attempt_at, d.position LIMIT %(looked_at)s
) AS due
"""  # noqa: S608
IS_ON = "e.enabled AND (e.paused_until IS NULL OR e.paused_until <= %(now)s)"
# Those behind another one of their record wait as long as that, so that they are not in the way of other records.
STEP_BACK = f"""
UPDATE integration_webhook_delivery AS d SET next_attempt_at = blocked.until FROM (
    SELECT due.id, b.until FROM {DUE} CROSS JOIN LATERAL (
        SELECT max(b.next_attempt_at) AS until FROM integration_webhook_delivery AS b
        WHERE b.record_id = due.record_id AND b.endpoint_id = e.id AND b.position < due.position
            AND b.{IS_OPEN}
    ) AS b WHERE {IS_ON} AND b.until > due.next_attempt_at
) AS blocked WHERE d.id = blocked.id
"""  # noqa: S608
# From each endpoint one, before any gets another; those that do not answer have some of the slots, and no more.
CLAIM = f"""
WITH busy AS (
    SELECT endpoint_id, count(*) AS number FROM integration_webhook_delivery
    WHERE status = 'delivering' AND next_attempt_at > %(now)s GROUP BY endpoint_id
), free AS (
    SELECT due.*, e.failure_count > 0 AS fails, coalesce(busy.number, 0)
        + row_number() OVER (PARTITION BY e.id ORDER BY due.next_attempt_at, due.position) AS place
    FROM {DUE} LEFT JOIN busy ON busy.endpoint_id = e.id
    WHERE {IS_ON} AND NOT EXISTS (
        SELECT FROM integration_webhook_delivery AS b WHERE b.record_id = due.record_id AND b.endpoint_id = e.id
            AND b.position < due.position AND b.{IS_OPEN})
), allowed AS (
    SELECT *, row_number() OVER (PARTITION BY fails ORDER BY place, next_attempt_at) AS turn FROM free
    WHERE place <= CASE WHEN fails THEN %(failing)s ELSE %(under_way)s END
), chosen AS (
    SELECT id FROM allowed
    WHERE NOT fails OR turn <= %(for_failing)s - (
        SELECT coalesce(sum(number), 0) FROM busy JOIN integration_webhook_endpoint AS e ON e.id = busy.endpoint_id
        WHERE e.failure_count > 0)
    ORDER BY place, next_attempt_at LIMIT %(free)s
)
UPDATE integration_webhook_delivery AS d
SET status = 'delivering', attempts = least(attempts + 1, 100), next_attempt_at = %(until)s, updated_at = %(now)s
FROM chosen WHERE d.id = chosen.id AND d.{IS_OPEN} AND d.next_attempt_at <= %(now)s
RETURNING d.id, d.endpoint_id, d.event_id, d.event_type, d.position, d.record_id, d.attempts, d.payload
"""  # noqa: S608
# What could not be prepared was not tried.
HAND_BACK = """
UPDATE integration_webhook_delivery SET status = 'pending', attempts = attempts - 1, next_attempt_at = %(next)s
WHERE id = ANY (%(ids)s) AND status = 'delivering'
"""


class Claimed(NamedTuple):
    """A delivery that this process may try."""

    id: UUID
    endpoint_id: UUID
    event_id: str
    type: str
    position: int | None
    record_id: UUID | None
    attempt: int
    payload: dict[str, Any]


def claim_due(unit: Unit, free: int, for_failing: int) -> list[Claimed]:
    """Claim at most so many that are due, ``for_failing`` at most of endpoints that do not answer."""
    unit.lock("webhook deliveries")  # so that no two count what is under way at once
    asked = {
        "now": now(), "until": now() + LEASE, "free": free, "looked_at": LOOKED_AT, "failing": FAILING,
        "under_way": UNDER_WAY, "for_failing": for_failing,
    }  # fmt: skip
    connection = driver_connection(unit.session)
    while True:
        moved = connection.execute(STEP_BACK, asked).rowcount
        rows = connection.execute(CLAIM, asked).fetchall()
        if rows or not moved:
            return [Claimed(*row) for row in rows]


def hand_back(unit: Unit, identifiers: Sequence[UUID]) -> None:
    """Let claimed deliveries wait again, as they were not tried."""
    asked = {"ids": identifiers, "next": now() + PAUSE}
    driver_connection(unit.session).execute(HAND_BACK, asked)
