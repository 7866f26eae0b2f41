"""Switching endpoints off, where they cannot go on: their users are told by mail."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from sqlalchemy import func, select

from app.auth.accounts.mails import send_account_mail
from app.auth.models.identity import AuthUser
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.webhooks.models import OPEN, IntegrationWebhookDelivery, IntegrationWebhookEndpoint

# It has answered 410; nothing has arrived for so long; more waits than is kept; its events cannot be told by now.
GONE, FAILING, OVERFLOW, UNJUDGED = "gone", "failing", "overflow", "unjudged"
FAILING_FOR = timedelta(days=5)
MAX_WAITING = 100_000
PAGE = "/console/webhooks"
# How long deliveries are kept, and how many are removed at a time.
RETENTION, PORTION = timedelta(days=30), 10_000


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


def expire(unit: Unit) -> None:
    """Remove deliveries after a month."""
    delivery = IntegrationWebhookDelivery
    old = select(delivery.id).where(delivery.created_at < now() - RETENTION).limit(PORTION)
    unit.bookkeep(delivery.__table__.delete().where(delivery.id.in_(old)))  # type: ignore[attr-defined]
