"""The table of messages; not reachable as a resource."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import ENCRYPTED, NOW, enum, integer, long_text, string, strings, timestamp
from app.engine.declare.indexes import index, unique
from app.engine.declare.record import Base


class PlatformMail(Base):
    """A message to one address, written with what causes it."""

    __tablename__ = "platform_mail"
    keys = (
        unique("kind", "cause", "to"),
        index("status", "next_attempt_at"),
        index("to", "kind", "-created_at"),
    )
    transitions = {
        "status": {"pending": ["sent", "failed"], "shown": [], "sent": [], "failed": []},
    }

    kind: Mapped[str] = string(min=1, max=64)
    to: Mapped[str] = string(min=3, max=254)
    locale: Mapped[str] = string(min=2, max=35)
    cause: Mapped[str] = string(min=1, max=100, note="id of the row or proof that asked for it")
    subject: Mapped[str] = string(min=1, max=300)
    text: Mapped[str | None] = long_text(ENCRYPTED, max=20_000, note="holds live links; erased when sent or given up")
    html: Mapped[str | None] = long_text(ENCRYPTED, max=60_000)
    unsubscribe_url: Mapped[str | None] = long_text(ENCRYPTED, max=2048)
    subscription: Mapped[str | None] = string(max=64, note="what its receiver may have left")
    attachments: Mapped[list[str]] = strings(
        max_items=10, item_max=36, default=[], server_default="{}", note="ids of uploads"
    )
    status: Mapped[str] = enum(
        "pending", "sent", "failed", "shown", default="pending", note="shown: development without a mail server"
    )
    attempts: Mapped[int] = integer(min=0, max=1000, default=0)
    next_attempt_at: Mapped[datetime] = timestamp(default=NOW, note="while one is under way, when it counts as lost")
    message_id: Mapped[str] = string(min=3, max=300)
    sent_at: Mapped[datetime | None] = timestamp()
    error_message: Mapped[str | None] = string(max=1000)


class PlatformMailOptOut(Base):
    """An address that wants no more mail of a subscription."""

    __tablename__ = "platform_mail_opt_out"
    keys = (unique("address", "subscription"),)

    address: Mapped[str] = string(min=3, max=254)
    subscription: Mapped[str] = string(min=1, max=64)
