"""Tables of webhooks; none is reachable as a resource."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    ENCRYPTED,
    NOW,
    boolean,
    column,
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
from app.engine.declare.kind import Identifier
from app.engine.declare.kinds import INTEGER_MAX, SAFE_MAX
from app.engine.declare.record import Base

# Deliveries that have not come to an end.
OPEN = ("pending", "delivering", "failed")
IS_OPEN = "status IN ('pending', 'delivering', 'failed')"
MAX_PAYLOAD_BYTES, MAX_EXCERPT = 262_144, 1000


class IntegrationWebhookEndpoint(Base):
    """A subscriber address for outgoing webhooks; it hears of the rows that its user may see in its organization, and
    goes with the membership."""

    __tablename__ = "integration_webhook_endpoint"
    keys = (index("organization_id"),)

    user_id: Mapped[UUID] = reference("auth_user", "cascade")
    organization_id: Mapped[UUID] = reference("auth_organization", "cascade")
    url: Mapped[str] = string(min=1, max=2048, format="url", note="https only, no private addresses")
    description: Mapped[str | None] = string(max=500)
    event_types: Mapped[list[str]] = strings(max_items=100, item_max=200, note="e.g. crm.deal.update, or crm.*")
    where: Mapped[dict[str, Any] | None] = json(shape="object", max_bytes=16_384, note="conditions of one model")
    secret: Mapped[str] = long_text(ENCRYPTED, min=24, max=512, note="signing key")
    previous_secret: Mapped[str | None] = long_text(ENCRYPTED, min=24, max=512, note="signs as well for a day")
    previous_secret_until: Mapped[datetime | None] = timestamp()
    enabled: Mapped[bool] = boolean(default=True)
    failure_count: Mapped[int] = integer(min=0, max=INTEGER_MAX, default=0, note="attempts in a row")
    failing_since: Mapped[datetime | None] = timestamp(note="switched off after five days")
    paused_until: Mapped[datetime | None] = timestamp(note="what the address has asked for by Retry-After")
    disabled_at: Mapped[datetime | None] = timestamp()
    disabled_reason: Mapped[str | None] = string(max=20, note="none where its user has switched it off")
    begins_at: Mapped[int] = integer(min=0, max=SAFE_MAX, note="it hears of what is behind this position of the log")

    @classmethod
    def qualified_name(cls) -> str:
        """What the audit log calls it."""
        return "platform/webhook"


class IntegrationWebhookDelivery(Base):
    """One event for one endpoint. What it says is judged and written anew with each attempt."""

    __tablename__ = "integration_webhook_delivery"
    keys = (
        unique("endpoint_id", "event_id"),
        index("endpoint_id", "next_attempt_at", where=IS_OPEN),
        index("endpoint_id", "-created_at"),
        index("record_id", "endpoint_id", "position"),
    )
    transitions = {
        "status": {
            "pending": ["delivering"],
            "delivering": ["delivered", "failed", "abandoned"],
            "failed": ["delivering", "abandoned"],
            "delivered": ["pending"],
            "abandoned": ["pending"],
        }
    }

    endpoint_id: Mapped[UUID] = column(Identifier(), note="no foreign key: what an endpoint leaves goes by and by")
    event_id: Mapped[str] = string(min=36, max=36, note="same over all endpoints and retries")
    event_type: Mapped[str] = string(min=1, max=200)
    position: Mapped[int | None] = integer(min=0, max=SAFE_MAX, note="in the log; none for a test")
    record_id: Mapped[UUID | None] = column(Identifier())
    payload: Mapped[dict[str, Any]] = json(
        shape="object", max_bytes=MAX_PAYLOAD_BYTES, default={}, note="what was sent last"
    )
    status: Mapped[str] = enum("pending", "delivering", "delivered", "failed", "abandoned", default="pending")
    attempts: Mapped[int] = integer(min=0, max=100, default=0)
    next_attempt_at: Mapped[datetime] = timestamp(default=NOW, note="of one under way, when it counts as lost")
    response_status: Mapped[int | None] = integer(min=100, max=599)
    response_excerpt: Mapped[str | None] = string(max=MAX_EXCERPT)
    error_message: Mapped[str | None] = string(max=500)
    duration_ms: Mapped[int | None] = integer(min=0, max=INTEGER_MAX)
    delivered_at: Mapped[datetime | None] = timestamp()


class IntegrationWebhookProgress(Base):
    """How far the log was looked through, one row; and who does so until when."""

    __tablename__ = "integration_webhook_progress"

    position: Mapped[int] = integer(min=0, max=SAFE_MAX)
    holder: Mapped[UUID | None] = column(Identifier())
    held_until: Mapped[datetime | None] = timestamp()
