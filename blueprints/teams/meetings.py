"""The meeting routes: meetings that the bot knows of and the caller belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from flask import Response, request
from marshmallow import ValidationError

from app.auth.credentials.authentication import caller
from app.auth.credentials.login import login_required
from app.engine.declare.kind import EXAMPLE_ID
from app.foundation.errors import InvalidFilter, NotFound
from app.foundation.settings import settings
from app.teams import meetings
from app.teams.errors import MeetingNotFound
from blueprints.http.base import Blueprint, answer, paged, parse_id
from blueprints.http.declarations import Answer, Operation, serve, window_parameters
from schemas.content.teams import STATUSES, Meeting, MeetingList, meeting_body
from schemas.fields import Moment
from schemas.query.queries import window

FILTERS: list[dict[str, Any]] = [
    {"name": "from", "in": "query", "schema": {"type": "string", "format": "date-time"},
     "description": "Only meetings that start at this time or later."},
    {"name": "to", "in": "query", "schema": {"type": "string", "format": "date-time"},
     "description": "Only meetings that start before this time."},
    {"name": "status", "in": "query", "schema": {"type": "string", "enum": list(STATUSES)},
     "description": "Only meetings in this state."},
]  # fmt: skip
MEETING = {
    "id": EXAMPLE_ID, "teamsMeetingId": "MCMxOTptZWV0aW5nX3g=", "graphId": None, "subject": "Weekly",
    "type": "Scheduled", "status": "inProgress", "startDateTime": "2027-01-01T09:00:00.000Z",
    "endDateTime": "2027-01-01T09:30:00.000Z", "actualStartDateTime": "2027-01-01T09:00:01.123Z",
    "actualEndDateTime": None, "joinWebUrl": "https://teams.microsoft.com/l/meetup-join/x", "chatId": None,
    "tenantId": "7c1f0000-0000-4000-8000-000000000001", "organizer": None, "createdAt": "2027-01-01T08:00:00.000Z",
    "updatedAt": "2027-01-01T09:00:01.200Z",
}  # fmt: skip

signed_in = login_required(with_tabs=True)


def build() -> Blueprint:
    blp = Blueprint("meetings", __name__, url_prefix="/api/teams/meetings", description="Meetings in Teams.")

    @serve(blp, "GET", "", Operation(
        "listMeetings", "List your meetings, newest first", access=signed_in, gives=Answer(MeetingList),
        query=window_parameters() + FILTERS,
    ))  # fmt: skip
    def list_meetings() -> Response:
        take, skip = window(request.args, settings.max_take)
        status = request.args.get("status")
        if status is not None and status not in STATUSES:
            raise InvalidFilter("Invalid filter status")
        since, until = (_moment(request.args, name) for name in ("from", "to"))
        found, count = meetings.find(caller(), take, skip, since=since, until=until, status=status)
        return answer(paged([meeting_body(meeting) for meeting in found], count, take, skip))

    @serve(blp, "GET", "/<string:id>", Operation(
        "readMeeting", "Read a meeting", access=signed_in, gives=Answer(Meeting, example=MEETING),
    ))  # fmt: skip
    def read(id: str) -> Response:
        try:
            identifier = parse_id(id)
        except NotFound:
            raise MeetingNotFound() from None
        return answer(meeting_body(meetings.read(caller(), identifier)))

    return blp


def _moment(arguments: Mapping[str, str], name: str) -> datetime | None:
    if name not in arguments:
        return None
    try:
        return Moment().deserialize(arguments[name])
    except ValidationError:
        raise InvalidFilter(f"Invalid filter {name}") from None
