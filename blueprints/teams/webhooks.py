"""The webhook route: it takes activities of the bot, notifications of Graph, and Graph's handshake."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from flask import Response, request

from app.auth.credentials.access import open_to_all
from app.auth.credentials.authentication import consume_for_address
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import run_unit
from app.foundation.errors import Invalid
from app.teams import activities, graph, inbox, invokes, processing
from app.teams.senders import check_bot
from blueprints.http.base import Blueprint, answer, json_body
from blueprints.http.declarations import ANY_QUERY, Body, Operation, serve

log = logging.getLogger(__name__)

MAX_TOKEN_LENGTH = 2048
# Bytes above which a body counts against the limit of its address, and the most notifications that one batch may hold:
# anybody may send, and who it is shows only when the body is read.
USUAL_SIZE, MAX_ITEMS = 65_536, 1000
ANY_OBJECT = {"type": "object", "additionalProperties": True}
ACTIVITY = {"type": "message", "id": "1", "channelId": "msteams", "text": "Hello"}


def build() -> Blueprint:
    blp = Blueprint("webhooks", __name__, url_prefix="/api/integrations/teams", description="What Teams sends.")

    @serve(blp, "POST", "/webhooks", Operation(
        "receiveTeamsWebhook", "Receive what Microsoft Teams and Graph send",
        access=open_to_all("proves its senders by their tokens", limited=False),
        takes=Body(example=ACTIVITY, any_of=(ANY_OBJECT,)), query=ANY_QUERY, fails=(401,),
        description=(
            "Activities of the Bot Framework, change notifications of Microsoft Graph, and Graph's handshake. 200"
            " when the work is done, 202 when it goes on."
        ),
    ))  # fmt: skip
    @blp.alt_response(202, description="Kept; the work goes on")
    @blp.alt_response(501, description="An invoke that the bot has no answer to")
    def receive() -> Response:
        if request.content_length is None or request.content_length > USUAL_SIZE:
            consume_for_address()
        if "validationToken" in request.args:
            return _handshake(request.args["validationToken"])
        body = json_body()
        if not isinstance(body, Mapping):
            raise Invalid("The body must be a JSON object")
        if isinstance(body.get("value"), list) and "type" not in body:
            return _notified(body)
        if isinstance(body.get("type"), str):
            return _activity(body)
        raise Invalid({"type": ["Is no activity and no notification."]})

    return blp


def _handshake(token: str) -> Response:
    if not 0 < len(token) <= MAX_TOKEN_LENGTH:
        raise Invalid({"validationToken": [f"Must have 1 to {MAX_TOKEN_LENGTH} characters."]})
    return Response(token, content_type="text/plain; charset=utf-8")


def _notified(body: Mapping[str, Any]) -> Response:
    """Keep a batch of Graph. The answer is the same whether its items were believed or not."""
    items = body["value"]
    if len(items) > MAX_ITEMS:
        log.warning("%d Graph notifications of one batch were dropped", len(items) - MAX_ITEMS)
    tokens = body.get("validationTokens")
    with reading() as session:
        believed = graph.arrivals(session, items[:MAX_ITEMS], tokens if isinstance(tokens, list) else [])
    run_unit(SYSTEM, inbox.receive, believed)
    return answer({"accepted": len(items)}, 202)


def _activity(activity: Mapping[str, Any]) -> Response:
    check_bot(activity, request.headers.get("Authorization", ""))
    arrival = activities.arrival(activity)
    stored = run_unit(SYSTEM, inbox.receive, [arrival])
    if activity["type"] == "invoke":
        response = invokes.answer(activity, None if stored else inbox.arrived_at(arrival.key))
        return Response(status=501) if response is None else answer(response)
    return Response(status=200 if all(processing.process_in_time(each) for each in stored) else 202)
