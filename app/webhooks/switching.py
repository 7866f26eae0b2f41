"""Switching endpoints off, where they cannot go on: their users are told by mail."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from sqlalchemy import func, select, update

from app.auth.accounts.mails import send_account_mail
from app.auth.models.identity import AuthUser
from app.engine.declare.principal import SYSTEM
from app.engine.read.statements import driver_connection
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.webhooks.models import OPEN, IntegrationWebhookDelivery, IntegrationWebhookEndpoint

# It has answered 410; nothing has arrived for so long; more waits than is kept.
GONE, FAILING, OVERFLOW = "gone", "failing", "overflow"
FAILING_FOR = timedelta(days=5)
MAX_WAITING = 100_000
PAGE = "/console/webhooks"
# How long deliveries are kept, and how many are removed at a time.
RETENTION, PORTION = timedelta(days=30), 10_000
EXPIRE = """
DELETE FROM integration_webhook_delivery WHERE id IN (
    SELECT id FROM integration_webhook_delivery WHERE id < %(oldest)s ORDER BY id LIMIT %(portion)s)
"""
# The endpoints that have deliveries, from one to the next by the index.
LEFT = """
WITH RECURSIVE known (id) AS (
    (SELECT endpoint_id FROM integration_webhook_delivery ORDER BY endpoint_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.endpoint_id FROM integration_webhook_delivery AS d WHERE d.endpoint_id > known.id
        ORDER BY d.endpoint_id LIMIT 1) FROM known WHERE known.id IS NOT NULL
)
DELETE FROM integration_webhook_delivery WHERE id IN (
    SELECT d.id FROM known JOIN integration_webhook_delivery AS d ON d.endpoint_id = known.id
    WHERE NOT EXISTS (SELECT FROM integration_webhook_endpoint AS e WHERE e.id = known.id) LIMIT %(portion)s)
"""


def switch_off(unit: Unit, identifier: UUID, reason: str) -> None:
    """Switch an endpoint off, unless it is, and tell its user."""
    wanted = select(IntegrationWebhookEndpoint).where(
        IntegrationWebhookEndpoint.id == identifier, IntegrationWebhookEndpoint.enabled
    )
    endpoint = unit.session.scalar(wanted.with_for_update())
    if endpoint is None:
        return
    endpoint.enabled, endpoint.disabled_at, endpoint.disabled_reason = False, now(), reason
    user = unit.session.get(AuthUser, endpoint.user_id)
    if user is not None:
        send_account_mail(unit, user, "webhook-disabled", PAGE, address=endpoint.url, reason=reason)


def switch_off_overflowing(unit: Unit) -> None:
    """Switch off endpoints for which too much waits, so that what is kept for one stays within bounds."""
    delivery = IntegrationWebhookDelivery
    waiting = select(delivery.endpoint_id).where(delivery.status.in_(OPEN)).group_by(delivery.endpoint_id)
    for identifier in list(unit.session.scalars(waiting.having(func.count() > MAX_WAITING))):
        switch_off(unit, identifier, OVERFLOW)
        left = update(delivery).where(delivery.endpoint_id == identifier, delivery.status.in_(OPEN))
        unit.bookkeep(left.values(status="abandoned", error_message="Too much waited"))


def expire() -> None:
    """Remove deliveries after a month, and what endpoints have left that are gone; some at a time."""
    oldest = UUID(int=int((now() - RETENTION).timestamp() * 1000) << 80)  # of ids that were made then (RFC 9562)
    for statement in (EXPIRE, LEFT):
        while run_unit(SYSTEM, _removed, statement, oldest) == PORTION:
            pass


def _removed(unit: Unit, statement: str, oldest: UUID) -> int:
    return driver_connection(unit.session).execute(statement, {"oldest": oldest, "portion": PORTION}).rowcount
