"""Tables of the integration with Teams; none is reachable as a resource."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    ENCRYPTED,
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
from app.engine.declare.record import Base


class IntegrationTeamsConversation(Base):
    """Where the bot can reach a person or channel on its own initiative; written on every verified activity."""

    __tablename__ = "integration_teams_conversation"
    keys = (
        unique("tenant_id", "conversation_id"),
        index("teams_channel_id"),
    )

    tenant_id: Mapped[str] = string(min=1, max=64)
    conversation_id: Mapped[str] = string(min=1, max=255, note="without the part that names one thread")
    conversation_type: Mapped[str] = enum("personal", "groupChat", "channel")
    service_url: Mapped[str] = string(
        min=1, max=2048, format="url", note="only from verified activities or the known hosts"
    )
    bot_id: Mapped[str] = string(min=1, max=255)
    teams_user_id: Mapped[str | None] = string(min=1, max=255)
    aad_object_id: Mapped[str | None] = string(min=1, max=64, note="of the person in a personal conversation")
    user_id: Mapped[UUID | None] = reference("auth_user", "cascade")
    team_id: Mapped[str | None] = string(min=1, max=255)
    teams_channel_id: Mapped[str | None] = string(min=1, max=255, note="the channelId of the messages route")
    locale: Mapped[str | None] = string(min=2, max=35)
    reference: Mapped[dict[str, Any]] = json(shape="object", max_bytes=16384, note="full conversation reference")
    removed_at: Mapped[datetime | None] = timestamp(note="bot removed, or sending refused for good")
    last_activity_at: Mapped[datetime | None] = timestamp()


class IntegrationTeamsMeeting(Base):
    """A meeting the bot knows of; served by the meetings route."""

    __tablename__ = "integration_teams_meeting"
    keys = (
        unique("tenant_id", "teams_meeting_id"),
        index("start_date_time"),
    )
    transitions = {
        "status": {"scheduled": ["inProgress", "cancelled"], "inProgress": ["ended"], "ended": [], "cancelled": []}
    }

    tenant_id: Mapped[str] = string(min=1, max=64)
    teams_meeting_id: Mapped[str] = string(min=1, max=512)
    graph_id: Mapped[str | None] = string(min=1, max=512)
    subject: Mapped[str | None] = string(max=300)
    type: Mapped[str | None] = string(min=1, max=64)
    status: Mapped[str] = enum("scheduled", "inProgress", "ended", "cancelled", default="scheduled")
    start_date_time: Mapped[datetime | None] = timestamp()
    end_date_time: Mapped[datetime | None] = timestamp()
    actual_start_date_time: Mapped[datetime | None] = timestamp()
    actual_end_date_time: Mapped[datetime | None] = timestamp()
    join_web_url: Mapped[str | None] = string(max=2048, format="url")
    chat_id: Mapped[str | None] = string(min=1, max=255, note="conversation of the meeting")
    organizer: Mapped[dict[str, Any]] = json(shape="object", max_bytes=4096, default={}, note="id, displayName, email")
    organizer_id: Mapped[UUID | None] = reference("auth_user", "set null", note="the organizer, when known here")
    participant_ids: Mapped[list[str]] = strings(default=[], note="users who see it and get MEETING_STARTING")
    reminder_sent_at: Mapped[datetime | None] = timestamp()


class IntegrationGraphSubscription(Base):
    """A change-notification subscription at Microsoft Graph, renewed at half of its life."""

    __tablename__ = "integration_graph_subscription"
    keys = (index("expires_at"),)
    transitions = {
        "status": {
            "active": ["reauthorizing", "removed"],
            "reauthorizing": ["active", "removed"],
            "removed": ["active"],
        }
    }

    subscription_id: Mapped[str] = string(min=1, max=64, unique=True)
    tenant_id: Mapped[str] = string(min=1, max=64)
    resource: Mapped[str] = string(min=1, max=1024)
    change_type: Mapped[str] = string(min=1, max=64)
    client_state: Mapped[str] = long_text(ENCRYPTED, min=1, max=512, note="compared in constant time")
    encryption_certificate_id: Mapped[str | None] = string(min=1, max=128)
    expires_at: Mapped[datetime] = timestamp()
    last_event_at: Mapped[datetime | None] = timestamp()
    status: Mapped[str] = enum("active", "reauthorizing", "removed", default="active")


class IntegrationInboundEvent(Base):
    """A received webhook, stored before it is worked on so that repeats are harmless."""

    __tablename__ = "integration_inbound_event"
    keys = (index("status", "created_at"),)
    transitions = {
        "status": {
            "received": ["processing", "ignored"],
            "processing": ["processed", "failed"],
            "failed": ["processing"],
            "processed": [],
            "ignored": [],
        }
    }

    source: Mapped[str] = enum("bot", "graph")
    dedupe_key: Mapped[str] = string(min=1, max=600, unique=True, note="kept for 24 hours at least")
    kind: Mapped[str] = enum("bot_message", "channel_event", "meeting_notification", "other")
    payload: Mapped[dict[str, Any]] = json(shape="object", max_bytes=262_144)
    status: Mapped[str] = enum("received", "processing", "processed", "failed", "ignored", default="received")
    attempts: Mapped[int] = integer(min=0, max=100, default=0)
    processed_at: Mapped[datetime | None] = timestamp()
    error_message: Mapped[str | None] = string(max=1000)
