"""Bodies of the notification routes."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from app.notification.models import NotificationPreference
from schemas.derive import update_schema
from schemas.fields import Identifier, Moment, WireSchema

SHOWN = (
    "userId", "enabled", "channels", "types", "quietHours", "meetingLeadMinutes", "mutedChannelIds", "createdAt",
    "updatedAt",
)  # fmt: skip


class Preferences(WireSchema):
    """How somebody wants to be notified."""

    user_id = Identifier(required=True, data_key="userId", metadata={"format": "uuid"})
    enabled = fields.Boolean(required=True)
    channels = fields.Dict(required=True)
    types = fields.Dict(required=True)
    quiet_hours = fields.Dict(required=True, data_key="quietHours")
    meeting_lead_minutes = fields.Integer(required=True, data_key="meetingLeadMinutes")
    muted_channel_ids = fields.List(fields.String(), required=True, data_key="mutedChannelIds")
    created_at = Moment(required=True, data_key="createdAt")
    updated_at = Moment(required=True, data_key="updatedAt")


class StreamTicket(WireSchema):
    """What opens a stream once."""

    token = fields.String(required=True)
    expires_at = Moment(required=True, data_key="expiresAt")


def preferences_update() -> Any:
    """The body of a change: the fields of the model, all optional."""
    return update_schema(NotificationPreference)


def preferences_body(record: dict[str, Any]) -> dict[str, Any]:
    """The record of a preference as the preferences routes show it."""
    return {name: record[name] for name in SHOWN}
