"""Models of notifications and preferences."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    CALLER_USER,
    DERIVED,
    FILTERABLE,
    GENERATED,
    IMMUTABLE,
    READ_ONLY,
    SORTABLE,
    Factory,
    boolean,
    enum,
    integer,
    json,
    open_enum,
    reference,
    string,
    strings,
    timestamp,
)
from app.engine.declare.indexes import index, sorted_by
from app.engine.declare.kinds import SAFE_MAX
from app.engine.declare.policy import Policy
from app.engine.declare.record import Record
from app.engine.declare.scope import Rule
from app.engine.declare.scopes import Owner
from app.extension_points import CHANNELS, NOTIFICATION_TYPES, OWN_CHANNELS, Names

CHANNEL_NAMES = Names(OWN_CHANNELS, CHANNELS)


def channel_defaults() -> dict[str, bool]:
    """Return every channel by its name, and whether it is on for users who said nothing."""
    return OWN_CHANNELS | {name: channel.default for name, channel in CHANNELS.items()}


class NotificationNotification(Record):
    """A message from the product to one user, also sent over the event stream."""

    __tablename__ = "notification_notification"
    domain, segment = "notification", "notification"
    searchable = ("title", "body")
    policy = Policy(Owner("user_id"), create=Rule.ADMIN)
    operations_note = "server code sends them; the receiver may only change readAt"
    undoable = False
    keys = (
        index("user_id", "read_at"),
        index("user_id", "sequence"),
        sorted_by("user_id", "read_at"),
    )
    transitions = {
        "delivery_status": {
            "pending": ["delivered", "failed", "suppressed"],
            "failed": ["pending", "delivered"],
            "delivered": [],
            "suppressed": [],
        }
    }

    user_id: Mapped[UUID] = reference("auth_user", "cascade", IMMUTABLE, FILTERABLE)
    type: Mapped[str] = open_enum(NOTIFICATION_TYPES, IMMUTABLE, FILTERABLE, SORTABLE)
    title: Mapped[str] = string(IMMUTABLE, min=1, max=200)
    body: Mapped[str] = string(IMMUTABLE, max=4000)
    data: Mapped[dict[str, Any]] = json(
        IMMUTABLE, shape="object", max_bytes=16384, default={}, note="ids and a link for the client"
    )
    actor_id: Mapped[UUID | None] = reference("auth_user", "set null", IMMUTABLE, FILTERABLE)
    organization_id: Mapped[UUID | None] = reference("auth_organization", "set null", IMMUTABLE, FILTERABLE)
    sequence: Mapped[int] = integer(
        READ_ONLY,
        SORTABLE,
        min=1,
        max=SAFE_MAX,
        unique=True,
        default=GENERATED,
        server_default=text("nextval('notification_sequence')"),
        note="from one database sequence; the id line of the event stream",
    )
    read_at: Mapped[datetime | None] = timestamp(FILTERABLE, SORTABLE)
    channels: Mapped[list[str]] = strings(
        READ_ONLY, items=CHANNEL_NAMES, default=DERIVED, note="chosen from the preferences"
    )
    delivery_status: Mapped[str] = enum(
        "pending", "delivered", "failed", "suppressed", flags=(READ_ONLY, FILTERABLE), default="pending"
    )
    delivered_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)


class NotificationPreference(Record):
    """Notification settings of one user."""

    __tablename__ = "notification_preference"
    domain, segment = "notification", "preference"
    policy = Policy(Owner("user_id"))
    operations_note = (
        "one row per user, made at sign-up; the preferences route reads and writes the same row; after a "
        "delete the defaults apply"
    )

    user_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, unique=True, default=CALLER_USER)
    enabled: Mapped[bool] = boolean(FILTERABLE, default=True)
    channels: Mapped[dict[str, Any]] = json(
        shape="object",
        max_bytes=1024,
        default=Factory(channel_defaults),
        note="channel to boolean; unknown keys are refused, missing ones keep their value",
    )
    types: Mapped[dict[str, Any]] = json(
        shape="object",
        max_bytes=2048,
        default=Factory(lambda: dict.fromkeys(NOTIFICATION_TYPES, True)),
        note="likewise; MESSAGE/email says it of one channel",
    )
    quiet_hours: Mapped[dict[str, Any]] = json(
        shape="object",
        max_bytes=1024,
        default={"enabled": False, "start": "22:00", "end": "07:00", "timeZone": "UTC"},
        note="local times and an IANA zone",
    )
    meeting_lead_minutes: Mapped[int] = integer(min=0, max=120, default=5)
    muted_channel_ids: Mapped[list[str]] = strings(max_items=200, item_max=255, default=[])
