"""Bodies of the Teams routes."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from app.teams.models import IntegrationTeamsMeeting
from schemas.envelopes import ListMeta
from schemas.fields import Identifier, Moment, Text, WireSchema

STATUSES = ("scheduled", "inProgress", "ended", "cancelled")


class ChannelMessage(WireSchema):
    """A message to a channel, with a card if there is one."""

    channel_id = Text(required=True, data_key="channelId", validate=validate.Length(1, 255))
    message = Text(required=True, validate=validate.Length(min=1), metadata={"blank": False})
    card_data = fields.Raw(data_key="cardData", metadata={"type": "object", "additionalProperties": True})


class SentMessage(WireSchema):
    """A message that Teams has taken, or that waits."""

    id = fields.String(required=True, allow_none=True)
    conversation_id = fields.String(required=True, allow_none=True, data_key="conversationId")
    channel_id = fields.String(required=True, data_key="channelId")
    status = fields.String(required=True, validate=validate.OneOf(["sent", "queued"]))
    card_version = fields.String(required=True, allow_none=True, data_key="cardVersion")
    warnings = fields.List(fields.String(), required=True)
    sent_at = Moment(required=True, allow_none=True, data_key="sentAt")


class Meeting(WireSchema):
    """A meeting that the bot knows of."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    teams_meeting_id = fields.String(required=True, data_key="teamsMeetingId")
    graph_id = fields.String(required=True, allow_none=True, data_key="graphId")
    subject = fields.String(required=True, allow_none=True)
    type = fields.String(required=True, allow_none=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    start_date_time = Moment(required=True, allow_none=True, data_key="startDateTime")
    end_date_time = Moment(required=True, allow_none=True, data_key="endDateTime")
    actual_start_date_time = Moment(required=True, allow_none=True, data_key="actualStartDateTime")
    actual_end_date_time = Moment(required=True, allow_none=True, data_key="actualEndDateTime")
    join_web_url = fields.String(required=True, allow_none=True, data_key="joinWebUrl")
    chat_id = fields.String(required=True, allow_none=True, data_key="chatId")
    tenant_id = fields.String(required=True, data_key="tenantId")
    organizer = fields.Dict(required=True, allow_none=True)
    created_at = Moment(required=True, data_key="createdAt")
    updated_at = Moment(required=True, data_key="updatedAt")


class MeetingList(WireSchema):
    """A page of meetings."""

    data = fields.List(fields.Nested(Meeting), required=True)
    meta = fields.Nested(ListMeta, required=True)


def meeting_body(meeting: IntegrationTeamsMeeting) -> dict[str, Any]:
    """A meeting as the meeting routes show it."""
    shown = {field.data_key or name: getattr(meeting, name) for name, field in Meeting().fields.items()}
    return {**shown, "organizer": meeting.organizer or None}
