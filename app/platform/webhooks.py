"""Tables of outgoing webhooks; none is reachable as a resource."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    ENCRYPTED,
    NOW,
    boolean,
    enum,
    integer,
    json,
    long_text,
    reference,
    string,
    strings,
    timestamp,
)
from app.engine.declare.indexes import index, unique
from app.engine.declare.kinds import INTEGER_MAX
from app.engine.declare.record import Base


class IntegrationWebhookEndpoint(Base):
    """A subscriber address for outgoing webhooks; it hears of the rows that its user may see."""

    __tablename__ = "integration_webhook_endpoint"

    user_id: Mapped[UUID] = reference("auth_user", "cascade")
    url: Mapped[str] = string(min=1, max=2048, format="url", note="https only, no private addresses")
    description: Mapped[str | None] = string(max=500)
    event_types: Mapped[list[str]] = strings(note="e.g. crm.deal.updated, or crm.*")
    secret: Mapped[str] = long_text(ENCRYPTED, min=24, max=512, note="signing key")
    enabled: Mapped[bool] = boolean(default=True)
    failure_count: Mapped[int] = integer(min=0, max=INTEGER_MAX, default=0, note="switched off after 50 in a row")
    disabled_at: Mapped[datetime | None] = timestamp()


class IntegrationWebhookDelivery(Base):
    """One event for one endpoint; inserted in the transaction of the change."""

    __tablename__ = "integration_webhook_delivery"
    keys = (
        unique("endpoint_id", "event_id"),
        index("status", "next_attempt_at"),
    )
    transitions = {
        "status": {
            "pending": ["delivering"],
            "delivering": ["delivered", "failed"],
            "failed": ["delivering", "abandoned"],
            "delivered": [],
            "abandoned": [],
        }
    }

    endpoint_id: Mapped[UUID] = reference("integration_webhook_endpoint", "cascade")
    event_id: Mapped[str] = string(min=36, max=36, note="same over all endpoints and retries")
    event_type: Mapped[str] = string(min=1, max=100)
    payload: Mapped[dict[str, Any]] = json(shape="object", max_bytes=262_144)
    status: Mapped[str] = enum("pending", "delivering", "delivered", "failed", "abandoned", default="pending")
    attempts: Mapped[int] = integer(min=0, max=100, default=0)
    next_attempt_at: Mapped[datetime] = timestamp(default=NOW)
    response_status: Mapped[int | None] = integer(min=100, max=599)
    response_excerpt: Mapped[str | None] = string(max=1000)
    delivered_at: Mapped[datetime | None] = timestamp()
