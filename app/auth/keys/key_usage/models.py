"""The table of hourly sums of key use; not reachable as a resource."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    integer,
    json,
    reference,
    timestamp,
)
from app.engine.declare.indexes import index, unique
from app.engine.declare.kinds import INTEGER_MAX, SAFE_MAX
from app.engine.declare.record import Base


class AuthApiKeyUsage(Base):
    """Hourly sums of key use, kept when the single rows are dropped."""

    __tablename__ = "auth_api_key_usage"
    keys = (
        unique("key_id", "hour"),
        index("hour"),
    )

    key_id: Mapped[UUID] = reference("auth_api_key", "cascade")
    hour: Mapped[datetime] = timestamp()
    request_count: Mapped[int] = integer(min=0, max=SAFE_MAX, default=0)
    outcomes: Mapped[dict[str, Any]] = json(shape="object", max_bytes=4096, default={}, note="outcome to count")
    latency_total_ms: Mapped[int] = integer(min=0, max=SAFE_MAX, default=0)
    latency_max_ms: Mapped[int] = integer(min=0, max=INTEGER_MAX, default=0)
    latency_histogram: Mapped[dict[str, Any]] = json(
        shape="object", max_bytes=4096, default={}, note="upper bound in ms to count, so that sums can be added up"
    )
