"""The message route: a message, with a card if there is one, to a channel that the bot is in."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Response, request

from app.auth.credentials.authentication import caller
from app.auth.credentials.login import login_required
from app.engine.write.hooks import require
from app.engine.write.leases import Lease
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.foundation.errors import Forbidden, require_found
from app.teams import messages
from app.teams.cards import Card, prepared
from blueprints.http.base import Blueprint
from blueprints.http.declarations import Answer, Body, Operation, serve
from blueprints.http.replies import Reply, idempotent_request, run_with_lease
from schemas.content.teams import ChannelMessage, SentMessage

EXAMPLE = {"channelId": "19:c1@thread.tacv2", "message": "The plan is ready", "cardData": {"Height": "40 m"}}
SENT = {
    "id": "1767225600123", "conversationId": "19:c1@thread.tacv2;messageid=1767225600123",
    "channelId": "19:c1@thread.tacv2", "status": "sent", "cardVersion": "1.2", "warnings": [],
    "sentAt": "2027-01-01T09:00:00.000Z",
}  # fmt: skip


CARD_VERSION = [
    {"name": "cardVersion", "in": "query", "description": "keep leaves the version of the card as it is.",
     "schema": {"type": "string", "enum": ["keep"]}},
]  # fmt: skip


def build() -> Blueprint:
    blp = Blueprint("messages", __name__, url_prefix="/api/integrations/teams", description="What is sent to Teams.")

    @serve(blp, "POST", "/messages", Operation(
        "sendTeamsMessage", "Send a message to a channel of Teams", access=login_required(with_tabs=True),
        takes=Body(ChannelMessage, example=EXAMPLE), gives=Answer(SentMessage, example=SENT, status=201),
        query=CARD_VERSION, fails=(404, 502), once=True,
        description=(
            "To a channel that the bot is in, of a tenant in which you have an identity. The card is prepared for"
            " version 1.2; `?cardVersion=keep` leaves its version. 202 says that Teams wants it slower: the "
            "message is sent by a job."
        ),
    ))  # fmt: skip
    @blp.alt_response(202, schema=SentMessage, description="Waits: Teams wants it slower")
    def send(given: dict[str, Any]) -> Response:
        keep = request.args.get("cardVersion")
        require(keep in (None, "keep"), "cardVersion", "Takes keep.")
        require_found(caller().user_id, Forbidden)
        message = given["message"]
        card = prepared(given["card_data"], message, keep_version=bool(keep)) if "card_data" in given else None
        place = messages.channel(caller(), given["channel_id"])
        return run_with_lease(idempotent_request(), partial(_sent, place, message, card))

    return blp


def _sent(place: messages.Place, message: str, card: Card | None, lease: Lease | None) -> Reply:
    """Send the message, unless a request with the same key has left it to a job by now."""
    is_left_to_a_job = lease is not None and lease.progress is not None
    sent = None if is_left_to_a_job else messages.post(caller(), place, message, card, partial(_note_job, lease))
    body = {
        "id": sent.id if sent else None, "conversationId": sent.conversation_id if sent else None,
        "channelId": place.channel_id, "status": "sent" if sent else "queued",
        "cardVersion": card.content["version"] if card else None, "warnings": card.warnings if card else (),
        "sentAt": now() if sent else None,
    }  # fmt: skip
    return Reply(body, 201 if sent else 202)


def _note_job(lease: Lease | None, unit: Unit) -> None:
    if lease is not None:
        lease.renew(unit, {"status": "queued"})
