"""With whom a record is shared, set beside it; and what is shared with the caller."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Response, request

from app.auth.credentials.access import WithGrants, credentials_required
from app.auth.credentials.authentication import caller
from app.auth.models.sharing import AuthShare
from app.auth.sharing import shared_with_me, shares
from app.auth.sharing.shares import Share
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.record import Record
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import require_found
from blueprints.http.base import Blueprint, answer, parse_id
from blueprints.http.declarations import Answer, Body, Operation, serve, window_parameters
from blueprints.http.replies import Reply, respond
from schemas.people.shares import SharedRecords, ShareList
from schemas.query.queries import window

# Others see the whole record by a share, so keys that see a part of it make none.
people = credentials_required(with_grants=WithGrants.PEOPLE)
anybody = credentials_required(with_grants=WithGrants.EVERYBODY)
PATH = "/<string:domain>/<string:segment>/<string:id>/_sharing"
MOST = 100
UNTIL = "2027-01-08T09:00:00.000Z"
EXAMPLE = {
    "data": [
        {"with": {"teamId": EXAMPLE_ID}, "may": "write", "until": None},
        {"with": {"email": "ada@example.com"}, "may": "read", "until": UNTIL},
    ]
}
SHARED = {
    "model": "crm/deal", "id": EXAMPLE_ID, "may": "read", "until": UNTIL, "sharedAt": "2027-01-01T09:00:00.000Z",
    "sharedBy": {"id": EXAMPLE_ID, "name": "Ada Lovelace", "image": None},
}  # fmt: skip


def build() -> Blueprint:
    """The blueprint of shares."""
    blp = Blueprint("shares", __name__, url_prefix="/api/v1", description="Records that are shared with others.")

    @serve(blp, "GET", PATH, Operation(
        "readSharing", "Read with whom a record is shared", access=people, gives=Answer(ShareList, example=EXAMPLE),
        fails=(403,),
    ))  # fmt: skip
    def read_sharing(domain: str, segment: str, id: str) -> Response:
        return respond(_read, _model(domain, segment), parse_id(id))

    @serve(blp, "PUT", PATH, Operation(
        "setSharing", "Share a record with people, teams and addresses", access=people,
        takes=Body(ShareList, example=EXAMPLE), gives=Answer(ShareList, example=EXAMPLE), once=True, fails=(409,),
        description="For whoever may change the record without a share. Who is not in the list has it no longer. "
        "People and teams are the organization's; addresses need its `outsideShares`, and get a mail.",
    ))  # fmt: skip
    def set_sharing(given: dict[str, Any], domain: str, segment: str, id: str) -> Response:
        return respond(_set, _model(domain, segment), parse_id(id), given["data"])

    @serve(blp, "GET", "/_shared", Operation(
        "listShared", "List what is shared with the caller", access=anybody, query=window_parameters(MOST),
        gives=Answer(SharedRecords, example={"data": [SHARED]}),
    ))  # fmt: skip
    def list_shared() -> Response:
        return answer({"data": shared_with_me.listed(caller(), *window(request.args, MOST))})

    return blp


def _model(domain: str, segment: str) -> type[Record]:
    return require_found(shares.model_of(f"{domain}/{segment}"))


def _read(unit: Unit, model: type[Record], identifier: UUID) -> Reply:
    return Reply({"data": [_wire(each) for each in shares.of_record(unit, model, identifier)]})


def _set(unit: Unit, model: type[Record], identifier: UUID, asked: list[Share]) -> Reply:
    return Reply({"data": [_wire(each) for each in shares.share(unit, model, identifier, asked)]})


def _wire(share: AuthShare) -> dict[str, Any]:
    named = (("email", share.email), ("userId", share.user_id), ("teamId", share.team_id))
    # Whose an address is by now is for nobody to see.
    name, value = next((name, value) for name, value in named if value is not None)
    return {"with": {name: value}, "may": share.may, "until": share.until}
