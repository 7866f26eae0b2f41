"""The table of remembered answers; not reachable as a resource."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Mapped

from app.engine.fields import (
    After,
    enum,
    integer,
    json,
    string,
    timestamp,
)
from app.engine.indexes import index, unique
from app.engine.record import Base


class PlatformIdempotencyKey(Base):
    """Remembered answer to a create request sent with an idempotency key."""

    __tablename__ = "platform_idempotency_key"
    keys = (
        unique("principal", "key"),
        index("expires_at"),
    )
    transitions = {"status": {"running": ["completed"], "completed": []}}

    principal: Mapped[str] = string(min=1, max=80, note="user, key or address the request came from")
    key: Mapped[str] = string(min=1, max=255)
    method: Mapped[str] = string(min=3, max=10)
    path: Mapped[str] = string(min=1, max=2048)
    request_hash: Mapped[str] = string(min=64, max=64, note="same key with another body is refused")
    status: Mapped[str] = enum("running", "completed", default="running")
    response_status: Mapped[int | None] = integer(min=100, max=599)
    response_body: Mapped[Any | None] = json(max_bytes=1_048_576, note="once-only secrets left out")
    expires_at: Mapped[datetime] = timestamp(default=After(timedelta(days=1)))
