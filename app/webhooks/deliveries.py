"""Deliveries: each attempt is claimed, written anew with the rights of that moment, sent outside of any transaction,
and concluded."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from app.engine.changes.telling import AT_POSITIONS, Candidate, Change, candidates, judge, tell
from app.engine.declare.principal import SYSTEM
from app.engine.read.encoding import dumps
from app.engine.read.statements import Statement, autocommit_connection, driver_connection
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now, wire
from app.foundation.crypto import vault
from app.foundation.errors import Unavailable
from app.foundation.outbound import is_local_in_development
from app.webhooks import listeners, switching
from app.webhooks.claims import LEASE, Claimed, claim_due, hand_back
from app.webhooks.event_types import event_type
from app.webhooks.listeners import Endpoint
from app.webhooks.models import MAX_PAYLOAD_BYTES
from app.webhooks.sending import TIMEOUT, Message, Outcome

log = logging.getLogger(__name__)

# Seconds to wait after each attempt that failed, give or take a tenth; after the last one a delivery is given up.
WAITS = (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
JITTER = 0.1
# Seconds: what takes longer to be written than that may be somebody else's before it has arrived.
PREPARED_WITHIN = LEASE.total_seconds() - TIMEOUT - 5
CHANGED = Statement(f"{AT_POSITIONS} WHERE p.position = ANY (%(positions)s) ORDER BY p.position", {})
# Of an attempt that is still the one that was claimed.
CONCLUDE = """
UPDATE integration_webhook_delivery SET status = %(status)s, next_attempt_at = %(next)s, response_status = %(answered)s,
    response_excerpt = %(excerpt)s, error_message = %(error)s, duration_ms = %(duration)s, event_type = %(type)s,
    payload = %(payload)s, delivered_at = %(delivered)s,
    updated_at = %(now)s
WHERE id = %(id)s AND status = 'delivering' AND attempts = %(attempt)s
"""
GIVE_UP = """
UPDATE integration_webhook_delivery SET status = 'abandoned', error_message = %(error)s, updated_at = %(now)s
WHERE id = ANY (%(ids)s) AND status = 'delivering'
"""
DROP = "DELETE FROM integration_webhook_delivery WHERE id = ANY (%(ids)s) AND status = 'delivering'"
# Those of the same record wait as long as one that failed; the next of them goes on when it has come to an end.
OF_RECORD = """
record_id = %(record)s AND endpoint_id = %(endpoint)s AND position > %(position)s AND status = 'pending'
"""
POSTPONE = f"""
UPDATE integration_webhook_delivery SET next_attempt_at = %(next)s WHERE {OF_RECORD} AND next_attempt_at < %(next)s
"""  # noqa: S608
WAKE = f"""
UPDATE integration_webhook_delivery SET next_attempt_at = %(next)s WHERE next_attempt_at > %(next)s
    AND id = (SELECT id FROM integration_webhook_delivery WHERE {OF_RECORD} ORDER BY position LIMIT 1)
"""  # noqa: S608
ARRIVED = """
UPDATE integration_webhook_endpoint SET failure_count = 0, failing_since = NULL, paused_until = NULL
WHERE id = ANY (%(ids)s) AND (failure_count > 0 OR paused_until IS NOT NULL)
"""
FAILED = """
UPDATE integration_webhook_endpoint SET failure_count = least(failure_count + 1, 1000000000),
    failing_since = coalesce(failing_since, %(now)s), paused_until = coalesce(%(paused)s, paused_until)
WHERE id = %(id)s RETURNING failing_since
"""
NOT_KEPT, NOT_SEEN = "The log no longer has the change", "Its user may no longer hear of it"
NOT_OPENED, NOT_JUDGED = "Its secret was sealed with another SECRET_KEY", "What it hears cannot be told"


def claim(free: int, for_failing: int) -> list[Message]:
    """Claim at most so many deliveries that are due, with these ``for_failing`` endpoints at most in all, and return
    what is to be sent. What there is nothing to tell of by now comes to an end."""
    messages: list[Message] = []
    while not messages and (claimed := run_unit(SYSTEM, claim_due, free, for_failing)):
        began = time.monotonic()
        try:
            messages = _prepared(claimed)
        except BaseException:
            run_unit(SYSTEM, hand_back, [each.id for each in claimed])
            raise
        if time.monotonic() - began > PREPARED_WITHIN:
            return []  # others may claim them by the time that they would arrive
    return messages


def conclude(outcomes: Sequence[Outcome]) -> None:
    """Write down what attempts came to."""
    if outcomes:
        run_unit(SYSTEM, _conclude, outcomes)


def _prepared(claimed: Sequence[Claimed]) -> list[Message]:
    """What is to be sent of deliveries that were claimed; the others come to an end."""
    endpoints = listeners.named({each.endpoint_id for each in claimed})
    changes = _candidates([each.position for each in claimed if each.position is not None])
    told = {identifier: _told(endpoint, claimed, changes) for identifier, endpoint in endpoints.items()}
    messages, faults, unheard, given_up = [], [], [], []
    for each in claimed:
        endpoint = endpoints.get(each.endpoint_id)
        if endpoint is None:
            given_up.append((each.id, NOT_SEEN))
            continue
        secrets, heard = _secrets(endpoint), told[endpoint.id]
        message = _message(each, endpoint, secrets or (), each.type, dumps(each.payload))
        if secrets is None or (heard is None and each.position is not None):
            faults.append(Outcome(message, 0, error=NOT_OPENED if secrets is None else endpoint.fault or NOT_JUDGED))
        elif each.position is None:
            messages.append(message)
        elif each.position not in changes:
            given_up.append((each.id, NOT_KEPT))
        elif heard is not None:
            change = heard.get(each.position)
            if change is None or not endpoint.hears(_type_of(change)):
                unheard.append(each.id)
            else:
                messages.append(replace(message, type=_type_of(change), body=_body(change, changes[each.position])))
    if unheard or given_up:
        run_unit(SYSTEM, _end_untold, unheard, given_up)
    conclude(faults)
    return messages


def _candidates(positions: Sequence[int]) -> dict[int | None, Candidate]:
    if not positions:
        return {}
    with autocommit_connection() as connection:
        return {each.position: each for each in candidates(connection, CHANGED, {"positions": list(positions)})}


def _told(
    endpoint: Endpoint, claimed: Sequence[Claimed], changes: Mapping[int | None, Candidate]
) -> dict[int, Change] | None:
    """What the endpoint is told of its changes now, by their positions; None where that cannot be judged."""
    own = [changes[each.position] for each in claimed if each.endpoint_id == endpoint.id and each.position in changes]
    pairs = [(0, each) for each in own if each.model in endpoint.models]
    if endpoint.fault is not None:
        return None
    if not pairs:
        return {}
    followed, principals = endpoint.followed, [endpoint.principal]
    try:
        with autocommit_connection("queries") as connection:
            (heard,) = tell(connection, followed, principals, judge(connection, followed, principals, pairs))
    except Unavailable:
        raise
    except Exception:
        log.exception("What the endpoint %s hears cannot be told now", endpoint.id)
        return None
    return {change.position: change for change in heard.changes}


def _type_of(change: Change) -> str:
    return event_type(change.document["model"], change.document["operation"])


def _body(change: Change, row: Candidate) -> bytes:
    """The event of a change; of a record that makes it too large, the change alone is told."""
    event = {"type": _type_of(change), "timestamp": wire(row.at), "data": change.document}
    body = dumps(event)
    if len(body) > MAX_PAYLOAD_BYTES:
        body = dumps(event | {"data": {**change.document, "record": None}})
    return body


def _secrets(endpoint: Endpoint) -> list[str] | None:
    """The secrets that sign, the latest first; None where they were sealed with another SECRET_KEY."""
    until = endpoint.previous_secret_until
    sealed = [endpoint.secret]
    if endpoint.previous_secret is not None and until is not None and until > now():
        sealed.append(endpoint.previous_secret)
    try:
        return [vault().decrypt(each) for each in sealed]
    except ValueError:
        return None


def _message(claimed: Claimed, endpoint: Endpoint, secrets: Sequence[str], type: str, body: bytes) -> Message:
    return Message(
        claimed.id, endpoint.id, claimed.record_id, claimed.position, claimed.attempt, endpoint.url,
        is_local_in_development(endpoint.url), claimed.event_id, type, body, secrets,
    )  # fmt: skip


def _end_untold(unit: Unit, unheard: Sequence[UUID], given_up: Sequence[tuple[UUID, str]]) -> None:
    connection = driver_connection(unit.session)
    connection.execute(DROP, {"ids": list(unheard)})
    for error in {error for _, error in given_up}:
        ids = [identifier for identifier, each in given_up if each == error]
        connection.execute(GIVE_UP, {"ids": ids, "error": error, "now": now()})


def _conclude(unit: Unit, outcomes: Sequence[Outcome]) -> None:
    connection = driver_connection(unit.session)
    arrived = {outcome.message.endpoint_id for outcome in outcomes if outcome.arrived}
    # In one order, so that two who do so do not wait for each other.
    for outcome in sorted(outcomes, key=lambda each: (each.message.endpoint_id, each.message.delivery_id)):
        message, due = outcome.message, now()
        status = "delivered"
        if not outcome.arrived:
            is_last = message.attempt > len(WAITS)
            status = "abandoned" if is_last else "failed"
            due = due if is_last else due + _wait(message.attempt, outcome.retry_after)
        concluded = {
            "id": message.delivery_id, "attempt": message.attempt, "status": status, "next": due, "now": now(),
            "delivered": now() if outcome.arrived else None,
            "answered": outcome.status if outcome.status is None or 100 <= outcome.status <= 599 else None,
            "excerpt": outcome.excerpt, "error": outcome.error, "duration": outcome.duration_ms, "type": message.type,
            "payload": message.body.decode(),
        }  # fmt: skip
        if not connection.execute(CONCLUDE, concluded).rowcount:
            continue  # somebody else tries it again
        behind = {
            "record": message.record_id, "endpoint": message.endpoint_id, "position": message.position, "next": due,
        }  # fmt: skip
        if message.record_id is not None:
            connection.execute(POSTPONE if status == "failed" else WAKE, behind)
        if not outcome.arrived:
            _note_failure(unit, outcome)
    if arrived:
        connection.execute(ARRIVED, {"ids": sorted(arrived)})


def _note_failure(unit: Unit, outcome: Outcome) -> None:
    """Switch an endpoint off that is gone, or has answered nothing well for days."""
    endpoint_id = outcome.message.endpoint_id
    paused = None if outcome.retry_after is None else now() + timedelta(seconds=outcome.retry_after)
    asked = {"id": endpoint_id, "now": now(), "paused": paused}
    rows: list[tuple[datetime]] = driver_connection(unit.session).execute(FAILED, asked).fetchall()
    if outcome.status == 410:
        switching.switch_off(unit, endpoint_id, switching.GONE)
    elif rows and now() - rows[0][0] >= switching.FAILING_FOR:
        switching.switch_off(unit, endpoint_id, switching.FAILING)


def _wait(attempt: int, retry_after: float | None) -> timedelta:
    seconds = WAITS[attempt - 1] * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - no secret
    return timedelta(seconds=max(seconds, retry_after or 0))
