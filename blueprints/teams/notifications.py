"""The notification routes: the live stream, tickets for it, and the caller's preferences."""

from __future__ import annotations

import re
from typing import Any

from flask import Response, current_app, request

from app.auth.credentials import tickets
from app.auth.credentials.access import WithGrants
from app.auth.credentials.authentication import caller
from app.auth.credentials.login import login_required
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.policy import SessionOnly
from app.engine.write.hooks import require
from app.live.broadcaster import Broadcaster
from app.notification import preferences
from app.notification.live import NotificationStream
from app.notification.routing import default_of
from blueprints.http.base import EVENTS, NO_BUFFERING, Blueprint, answer
from blueprints.http.declarations import Answer, Body, Operation, serve
from blueprints.http.examples import STAMPS
from schemas.content.notifications import Preferences, StreamTicket, preferences_body, preferences_update

SEQUENCE = re.compile(r"[0-9]{1,16}")
PREFERENCES = {
    "userId": EXAMPLE_ID, "enabled": True, "channels": default_of("channels"), "types": default_of("types"),
    "quietHours": default_of("quiet_hours"), "meetingLeadMinutes": default_of("meeting_lead_minutes"),
    "mutedChannelIds": [], **STAMPS,
}  # fmt: skip
LAST_EVENT: list[dict[str, Any]] = [
    {
        "name": "lastEventId",
        "in": "query",
        "description": "The last event that the client has, where it cannot send Last-Event-ID.",
        "schema": {"type": "string"},
    },
    {
        "name": "token",
        "in": "query",
        "description": "A stream ticket, for browsers, which can send no header with an EventSource.",
        "schema": {"type": "string"},
    },
]

signed_in = login_required(with_tabs=True, with_grants=WithGrants.PEOPLE)

TICKET = {"token": "gAAAAAB...", "expiresAt": "2027-01-01T09:01:00.000Z"}


def build() -> Blueprint:
    blp = Blueprint(
        "notifications", __name__, url_prefix="/api/integrations/teams/notifications",
        description="Notifications as they happen.",
    )  # fmt: skip
    _route_stream(blp)
    _route_preferences(blp)
    return blp


def _route_stream(blp: Blueprint) -> None:
    @serve(blp, "GET", "/stream", Operation(
        "streamNotifications", "Follow your notifications",
        access=login_required(with_tickets=True, with_tabs=True, with_grants=WithGrants.PEOPLE),
        gives=Answer(content_type=EVENTS), query=LAST_EVENT,
        description=(
            "Server-sent events: `ready`, then one unnamed event for each notification, with its sequence as the "
            "id. A client that comes back with Last-Event-ID misses nothing; `reset` says that too much was "
            "missed."
        ),
    ))  # fmt: skip
    def stream() -> Response:
        broadcaster: Broadcaster[NotificationStream] = current_app.extensions["live_notifications"]
        response = Response(broadcaster.open(NotificationStream(caller(), _last())), content_type=EVENTS)
        response.headers.update(NO_BUFFERING)
        return response

    @serve(blp, "POST", "/stream/ticket", Operation(
        "createStreamTicket", "Get a ticket that opens the stream once",
        access=login_required(SessionOnly.ALL, with_tabs=True, with_grants=WithGrants.PEOPLE),
        gives=Answer(StreamTicket, example=TICKET, status=201),
    ))  # fmt: skip
    def ticket() -> Response:
        issued = tickets.issue(caller())
        response = answer({"token": issued.token, "expiresAt": issued.expires_at}, 201)
        response.headers["Cache-Control"] = "no-store"
        return response


def _route_preferences(blp: Blueprint) -> None:
    @serve(blp, "GET", "/preferences", Operation(
        "readNotificationPreferences", "Read how you are notified", access=signed_in,
        gives=Answer(Preferences, example=PREFERENCES),
    ))  # fmt: skip
    def read() -> Response:
        return answer(preferences_body(preferences.own(caller())))

    @serve(blp, "PUT", "/preferences", Operation(
        "updateNotificationPreferences", "Change how you are notified", access=signed_in,
        takes=Body(preferences_update(), example={"types": {"MESSAGE": False}}),
        gives=Answer(Preferences, example=PREFERENCES), fails=(409,),
        description="What is sent is laid over what is there; missing keys keep their value.",
    ))  # fmt: skip
    def update(given: dict[str, Any]) -> Response:
        return answer(preferences_body(preferences.change(caller(), given)))


def _last() -> int | None:
    """The last event that the client has; raises Invalid for one that is none."""
    sent = request.headers.get("Last-Event-ID") or request.args.get("lastEventId")
    if not sent:
        return None
    require(bool(SEQUENCE.fullmatch(sent)), "lastEventId", "Is not the id of an event.")
    return int(sent)
