"""What users do with deliveries: look at them, have one sent again, send a test, and replay what has happened since."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import select, tuple_
from uuid_utils.compat import uuid7

from app.engine.changes import sequencer
from app.engine.changes.telling import BETWEEN, candidates
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.read import cursors
from app.engine.read.statements import Statement, autocommit_connection
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now, wire
from app.foundation.errors import Conflict, require_found
from app.jobs.queue import defer
from app.webhooks import dispatcher, endpoints, listeners
from app.webhooks.event_types import TEST
from app.webhooks.models import IntegrationWebhookDelivery as Delivery

REPLAY = "replay_webhook"
ENDED = ("delivered", "abandoned")
FIRST_SINCE = Statement("SELECT min(position) FROM platform_change_position WHERE at >= %(since)s", {})
IS_KEPT = Statement("SELECT EXISTS (SELECT FROM platform_change_position WHERE position = %(position)s)", {})
TYPES = ("timestamptz", "uuid")
# Events that one replay sends: with twice as many waiting, an endpoint is switched off.
MAX_REPLAYED = 50_000


def deliveries(
    unit: Unit, endpoint_id: UUID, status: str | None, take: int, cursor: str | None
) -> tuple[list[Delivery], str | None]:
    """Return deliveries of an own endpoint, the newest first, and the cursor of those behind them; raises NotFound,
    Forbidden and InvalidPagination."""
    endpoints.own(unit, endpoint_id)
    wanted = select(Delivery).where(Delivery.endpoint_id == endpoint_id)
    if status is not None:
        wanted = wanted.where(Delivery.status == status)
    context = _context(unit.principal, endpoint_id)
    if cursor is not None:
        created_at, identifier = cursors.read(context, cursor, TYPES)
        wanted = wanted.where(tuple_(Delivery.created_at, Delivery.id) < (created_at, identifier))
    found = list(unit.session.scalars(wanted.order_by(Delivery.created_at.desc(), Delivery.id.desc()).limit(take + 1)))
    last = found[take - 1] if len(found) > take else None
    return found[:take], None if last is None else cursors.write(context, [last.created_at, str(last.id)])


def redeliver(unit: Unit, endpoint_id: UUID, identifier: UUID) -> Delivery:
    """Have a delivery that has ended sent once more; raises NotFound, Forbidden and Conflict."""
    endpoint = endpoints.own(unit, endpoint_id)
    _require_enabled(endpoint.enabled)
    wanted = select(Delivery).where(Delivery.endpoint_id == endpoint_id, Delivery.id == identifier)
    delivery = require_found(unit.session.scalar(wanted.with_for_update()))
    if delivery.status not in ENDED:
        raise Conflict("The delivery has not ended: it is sent again by itself")
    with autocommit_connection() as connection:
        is_kept = delivery.position is None or IS_KEPT.rows(connection, {"position": delivery.position})[0][0]
    if not is_kept:
        raise Conflict("The log no longer has the change")
    delivery.status, delivery.attempts, delivery.next_attempt_at = "pending", 0, now()
    unit.session.flush()
    return delivery


def send_test(unit: Unit, endpoint_id: UUID) -> Delivery:
    """Have an event of the type ``webhook.test`` sent to an endpoint; raises NotFound, Forbidden and Conflict."""
    endpoint = endpoints.own(unit, endpoint_id)
    _require_enabled(endpoint.enabled)
    payload = {"type": TEST, "timestamp": wire(now()), "data": {"endpointId": str(endpoint_id)}}
    delivery = Delivery(
        id=uuid7(), endpoint_id=endpoint_id, event_id=str(uuid4()), event_type=TEST, payload=payload, status="pending",
        attempts=0, next_attempt_at=now(),
    )  # fmt: skip
    unit.store(delivery)
    return delivery


def replay(unit: Unit, endpoint_id: UUID, since: datetime) -> None:
    """Have all that an endpoint could have heard of since a moment sent again, as a job, in the order of the commits;
    raises NotFound, Forbidden and Conflict."""
    endpoint = endpoints.own(unit, endpoint_id)
    _require_enabled(endpoint.enabled)
    defer(unit, REPLAY, endpoint_id, user_id=endpoint.user_id, since=wire(since), until=sequencer.positions().last)


def replay_since(endpoint_id: UUID, since: str, until: int) -> None:
    """Write the deliveries of a replay, as a job."""
    with autocommit_connection() as connection:
        first = FIRST_SINCE.rows(connection, {"since": since})[0][0]
    reached, written = until if first is None else first - 1, 0
    while reached < until and written < MAX_REPLAYED:
        found = listeners.named([endpoint_id])
        if endpoint_id not in found:
            return
        endpoint = found[endpoint_id]
        endpoint.begins_at = 0
        with autocommit_connection() as connection:
            asked = {"since": reached, "until": until, "most": dispatcher.BATCH_SIZE}
            rows = candidates(connection, BETWEEN, asked)
        events, _ = dispatcher.heard([endpoint], rows)
        run_unit(SYSTEM, dispatcher.write_again, events, sequencer.positions().epoch)
        reached = rows[-1].position if len(rows) == dispatcher.BATCH_SIZE else until
        written += len(events)


def _require_enabled(enabled: bool) -> None:
    if not enabled:
        raise Conflict("The endpoint is switched off")


def _context(principal: Principal, endpoint_id: UUID) -> bytes:
    """What the cursors of deliveries are bound to."""
    return cursors.holder_context(principal, of="deliveries", endpoint=endpoint_id)
