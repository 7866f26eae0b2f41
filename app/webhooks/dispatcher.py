"""The dispatcher: reads the log by its positions, and writes a delivery for each endpoint that hears of a change.

One process does so at a time. The deliveries of some positions and the place behind them are one transaction, so that
whoever is killed leaves nothing out and nothing twice.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from uuid import UUID, uuid4, uuid5

from uuid_utils.compat import uuid7

from app.engine.changes import sequencer
from app.engine.changes.audience import Audience, portions
from app.engine.changes.telling import BETWEEN, Candidate, candidates, judge
from app.engine.declare.principal import SYSTEM
from app.engine.read.statements import Statement, autocommit_connection, driver_connection
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Failure, Unavailable
from app.webhooks import listeners
from app.webhooks.event_types import event_type
from app.webhooks.listeners import Endpoint

log = logging.getLogger(__name__)

# Changes that are looked at at once, pairs of a change and an endpoint that one statement judges, and those of one
# transaction: fewer changes are looked at where many hear of each.
BATCH_SIZE, PAIRS, MOST = 500, 5000, 20_000
HOLDER = uuid4()
PLACE = Statement("SELECT position FROM integration_webhook_progress", {})
HOLD = """
UPDATE integration_webhook_progress SET holder = %(me)s, held_until = now() + interval '10 seconds'
WHERE holder IS NULL OR holder = %(me)s OR held_until < now() RETURNING position
"""
MOVE = "UPDATE integration_webhook_progress SET position = %(reached)s WHERE position = %(since)s"
WRITE = """
INSERT INTO integration_webhook_delivery (id, created_at, updated_at, endpoint_id, event_id, event_type, position,
    record_id, payload, status, attempts, next_attempt_at)
SELECT w.id, %(now)s, %(now)s, w.endpoint_id, w.event_id, w.event_type, w.position, w.record_id, '{}', 'pending', 0,
    greatest(%(now)s, (SELECT max(b.next_attempt_at) FROM integration_webhook_delivery AS b
        WHERE b.record_id = w.record_id AND b.endpoint_id = w.endpoint_id AND b.status = 'failed'))
FROM unnest(%(ids)s::uuid[], %(endpoints)s::uuid[], %(events)s::text[], %(types)s::text[], %(positions)s::bigint[],
    %(records)s::uuid[]) AS w (id, endpoint_id, event_id, event_type, position, record_id)
JOIN integration_webhook_endpoint AS e ON e.id = w.endpoint_id AND e.enabled
ON CONFLICT (endpoint_id, event_id) DO
"""
ONCE = f"{WRITE} NOTHING"
# What has arrived, or was given up, is sent again.
AGAIN = f"""
{WRITE} UPDATE SET status = 'pending', attempts = 0, next_attempt_at = EXCLUDED.next_attempt_at, updated_at = %(now)s
WHERE integration_webhook_delivery.status IN ('delivered', 'abandoned')
"""


class Heard(NamedTuple):
    """An event that an endpoint is to be told of."""

    endpoint: Endpoint
    change: Candidate
    type: str


def dispatch() -> bool:
    """Write the deliveries of what is new, and return whether there is more by now."""
    with suppress(Failure):  # whose turn it is gives the positions
        sequencer.number_changes()
    known = sequencer.positions()
    with autocommit_connection() as connection:
        ((since,),) = PLACE.rows(connection, {})
    if since >= known.last:
        return False
    held = run_unit(SYSTEM, _hold)
    if held is None or held >= known.last:
        return False
    endpoints = listeners.enabled()
    # Nobody hears of what was before the first of them began.
    since = max(held, min((endpoint.begins_at for endpoint in endpoints), default=known.last))
    with autocommit_connection() as connection:
        asked = {"since": since, "until": known.last, "most": BATCH_SIZE}
        rows = candidates(connection, BETWEEN, asked) if endpoints else []
    events, read = heard(endpoints, rows)
    reached = rows[read - 1].position if read < len(rows) or len(rows) == BATCH_SIZE else known.last
    run_unit(SYSTEM, _write_up_to, held, reached, events, known.epoch)
    return reached < known.last


def heard(endpoints: Collection[Endpoint], rows: Sequence[Candidate]) -> tuple[list[Heard], int]:
    """Return what is to be told of changes, by the rights of now, in the order of the commits; and of how many that
    is."""
    audience: Audience[Endpoint] = Audience()
    for endpoint in endpoints:
        audience.add(endpoint)
    hearing: dict[Endpoint, list[Candidate]] = defaultdict(list)
    read = pairs = 0
    for row in rows:
        concerned = [endpoint for endpoint in audience.of(row) if endpoint.begins_at < row.position]
        pairs += len(concerned)
        if read and pairs > MOST:
            break
        read += 1
        for endpoint in concerned:
            hearing[endpoint].append(row)
    found = [event for some in portions(hearing, PAIRS) for event in _judged(some, hearing)]
    return sorted(found, key=lambda each: each.change.position), read


def write_again(unit: Unit, events: Sequence[Heard], epoch: UUID) -> None:
    """Write deliveries of events, also of those that were delivered before."""
    _write(unit, AGAIN, events, epoch)


def _judged(some: Sequence[Endpoint], hearing: dict[Endpoint, list[Candidate]]) -> Iterable[Heard]:
    if some[0].fault is not None:
        return _unjudged(some, hearing)
    followed, principals = some[0].followed, [endpoint.principal for endpoint in some]
    pairs = [(number, row) for number, endpoint in enumerate(some) for row in hearing[endpoint]]
    try:
        with autocommit_connection("queries") as connection:
            judged = judge(connection, followed, principals, pairs)
    except Unavailable:
        raise
    except Exception:
        if len(some) > 1:  # one of them alone may be the cause
            return [each for endpoint in some for each in _judged([endpoint], hearing)]
        log.exception("What the endpoint %s hears of is judged with each attempt alone", some[0].id)
        return _unjudged(some, hearing)
    found = []
    for each in judged:
        verb = each.verb(has_conditions=followed.has_conditions(principals[0]))
        if verb is not None:
            type, endpoint = event_type(each.candidate.model, verb), some[each.listener]
            if endpoint.hears(type):
                found.append(Heard(endpoint, each.candidate, type))
    return found


def _unjudged(some: Sequence[Endpoint], hearing: dict[Endpoint, list[Candidate]]) -> list[Heard]:
    """Events of all changes: each attempt is judged anyway, and what nobody may hear of goes with it."""
    return [
        Heard(endpoint, row, event_type(row.model, row.operation)) for endpoint in some for row in hearing[endpoint]
    ]


def _hold(unit: Unit) -> int | None:
    rows = driver_connection(unit.session).execute(HOLD, {"me": HOLDER}).fetchall()
    return rows[0][0] if rows else None


def _write_up_to(unit: Unit, since: int, reached: int, events: Sequence[Heard], epoch: UUID) -> None:
    moved = driver_connection(unit.session).execute(MOVE, {"since": since, "reached": reached}).rowcount
    if moved:  # nobody else was here meanwhile
        _write(unit, ONCE, events, epoch)


def _write(unit: Unit, statement: str, events: Sequence[Heard], epoch: UUID) -> None:
    if not events:
        return
    driver_connection(unit.session).execute(statement, {"now": now()} | _columns(events, epoch))


def _columns(events: Sequence[Heard], epoch: UUID) -> dict[str, Any]:
    return {
        "ids": [uuid7() for _ in events],
        "endpoints": [each.endpoint.id for each in events],
        # The same for all endpoints, however often it is written.
        "events": [str(uuid5(epoch, str(each.change.position))) for each in events],
        "types": [each.type for each in events],
        "positions": [each.change.position for each in events],
        "records": [each.change.record_id for each in events],
    }
