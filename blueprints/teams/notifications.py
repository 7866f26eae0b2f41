"""The notification routes: the live stream, tickets for it, and the caller's preferences."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any
from uuid import UUID

from flask import Response, current_app, request

from app.auth import tickets
from app.auth.authentication import caller
from app.auth.login import login_required
from app.engine import records
from app.engine.kind import EXAMPLE_ID
from app.engine.policy import SessionOnly
from app.engine.unit_of_work import Unit, run_unit
from app.foundation.errors import Forbidden, Invalid, UniqueViolation
from app.notification.broadcaster import Broadcaster
from app.notification.models import NotificationPreference
from app.notification.routing import default_of
from blueprints.base import EVENTS, UNHELD, Blueprint, answer
from blueprints.describe import documented
from blueprints.examples import STAMPS
from schemas.notifications import Preferences, StreamTicket, preferences_body, preferences_update
from schemas.queries import refuse_unknown

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

signed_in = login_required(with_tabs=True)


def build() -> Blueprint:
    """The blueprint of the notification routes."""
    blp = Blueprint(
        "notifications", __name__, url_prefix="/api/integrations/teams/notifications",
        description="Notifications as they happen.",
    )  # fmt: skip
    _route_stream(blp)
    _route_preferences(blp)
    return blp


def _route_stream(blp: Blueprint) -> None:
    @blp.route("/stream", methods=["GET"])
    @login_required(with_tickets=True, with_tabs=True)
    @blp.doc(parameters=LAST_EVENT)
    @documented(
        blp, "streamNotifications", "Follow your notifications", 400, 401, 403, 429, 500, 503,
        description=(
            "Server-sent events: `ready`, then one unnamed event for each notification, with its sequence as the id. A "
            "client that comes back with Last-Event-ID misses nothing; `reset` says that too much was missed."
        ),
    )  # fmt: skip
    @blp.response(200, content_type=EVENTS)
    def stream() -> Response:
        refuse_unknown(request.args, known=("lastEventId", "token"))
        broadcaster: Broadcaster = current_app.extensions["broadcaster"]
        response = Response(broadcaster.open(caller(), _last()), content_type=EVENTS)
        response.headers.update(UNHELD)
        return response

    @blp.route("/stream/ticket", methods=["POST"])
    @login_required(SessionOnly.ALL, with_tabs=True)
    @documented(
        blp, "createStreamTicket", "Get a ticket that opens the stream once", 400, 401, 403, 429, 500, 503, status=201,
        answers={"token": "gAAAAAB...", "expiresAt": "2027-01-01T09:01:00.000Z"},
    )  # fmt: skip
    @blp.response(201, StreamTicket)
    def ticket() -> Response:
        refuse_unknown(request.args, known=())
        issued = tickets.issue(caller())
        response = answer({"token": issued.token, "expiresAt": issued.expires_at}, 201)
        response.headers["Cache-Control"] = "no-store"
        return response


def _route_preferences(blp: Blueprint) -> None:
    @blp.route("/preferences", methods=["GET"])
    @signed_in
    @documented(
        blp, "readNotificationPreferences", "Read how you are notified", 400, 401, 403, 429, 500, 503,
        answers=PREFERENCES,
    )  # fmt: skip
    @blp.response(200, Preferences)
    def read() -> Response:
        refuse_unknown(request.args, known=())
        return answer(preferences_body(_own()))

    @blp.route("/preferences", methods=["PUT"])
    @signed_in
    @documented(
        blp, "updateNotificationPreferences", "Change how you are notified",
        400, 401, 403, 409, 413, 415, 429, 500, 503, answers=PREFERENCES, example={"types": {"MESSAGE": False}},
        description="What is sent is laid over what is there; missing keys keep their value.",
    )  # fmt: skip
    @blp.arguments(preferences_update())
    @blp.response(200, Preferences)
    def update(given: dict[str, Any]) -> Response:
        refuse_unknown(request.args, known=())
        changed = run_unit(caller(), Unit.update, NotificationPreference, UUID(str(_own()["id"])), given)
        return answer(preferences_body(changed))


def _own() -> dict[str, Any]:
    """The caller's preferences; whoever deleted them gets the defaults again."""
    user_id = caller().user_id
    if user_id is None:
        raise Forbidden()
    found, _ = records.list_page(NotificationPreference, caller(), {"user_id": user_id}, 1, 0)
    if found:
        return found[0]
    with suppress(UniqueViolation):  # two requests at once make one
        return run_unit(caller(), Unit.create, NotificationPreference, {})
    return records.list_page(NotificationPreference, caller(), {"user_id": user_id}, 1, 0)[0][0]


def _last() -> int | None:
    """The last event that the client has; raises Invalid for one that is none."""
    sent = request.headers.get("Last-Event-ID") or request.args.get("lastEventId")
    if not sent:
        return None
    if not SEQUENCE.fullmatch(sent):
        raise Invalid({"lastEventId": ["Is not the id of an event."]})
    return int(sent)
