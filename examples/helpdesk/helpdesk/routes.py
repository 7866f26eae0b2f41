"""A route by hand: give a ticket to somebody, open it and tell them, in one transaction."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Response

from helpdesk.models import HelpdeskTicket
from rowgate import Unit, notify
from rowgate.http import Answer, Blueprint, Body, Operation, Reply, credentials_required, parse_id, respond, serve
from rowgate.schemas import Identifier, WireSchema, read_schema


class Assignment(WireSchema):
    """To whom a ticket goes."""

    assignee_id = Identifier(required=True, data_key="assigneeId", metadata={"format": "uuid"})


def build() -> Blueprint:
    """The blueprint that the plugin names."""
    blp = Blueprint("helpdesk-tickets", __name__, url_prefix="/api/v1/helpdesk", description="Work on tickets.")
    assign = Operation(
        "assignHelpdeskTicket", "Give a ticket to somebody and tell them", credentials_required(),
        takes=Body(Assignment), gives=Answer(read_schema(HelpdeskTicket)), once=True,
    )  # fmt: skip

    @serve(blp, "POST", "/ticket/<string:id>/_assign", assign)
    def handler(given: dict[str, Any], id: str) -> Response:
        return respond(_assign, parse_id(id), given["assignee_id"])

    return blp


def _assign(unit: Unit, identifier: UUID, assignee_id: UUID) -> Reply:
    # The policy is asked and the hooks run, as by PATCH.
    record = unit.update(HelpdeskTicket, identifier, {"assignee_id": assignee_id})
    if record["state"] in ("new", "waiting"):
        record = unit.update(HelpdeskTicket, identifier, {"state": "open"})
    if assignee_id != unit.principal.user_id:
        data = {"ticketId": str(identifier)}
        notify(unit, assignee_id, "HELPDESK_TICKET_ASSIGNED", record["subject"], data=data)
    return Reply.of(record)
