"""Links that show one record to whoever has them: made, listed and ended beside the record, and followed without a
credential."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from flask import Response

from app.auth.credentials import nobody
from app.auth.credentials.access import WithGrants, credentials_required, open_to_all
from app.auth.credentials.cookies import own_origin
from app.auth.models.sharing import AuthLink
from app.auth.sharing import links
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.record import Record
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import require_found
from blueprints.http.base import Blueprint, answer, parse_id
from blueprints.http.declarations import Answer, Body, Operation, serve
from blueprints.http.replies import Reply, respond
from schemas.envelopes import Deleted
from schemas.people.links import LinkCreate, LinkedRecord, LinkList, NewLink

# A link shows what its maker may read, not what a key may: keys with grants would widen themselves by making one.
people = credentials_required(with_grants=WithGrants.PEOPLE)
PATH = "/<string:domain>/<string:segment>/<string:id>/_link"
UNTIL = "2027-01-08T09:00:00.000Z"
EXAMPLE = {
    "id": EXAMPLE_ID, "until": UNTIL, "uses": 3, "lastUsedAt": "2027-01-02T09:00:00.000Z", "createdById": EXAMPLE_ID,
    "createdAt": "2027-01-01T09:00:00.000Z",
}  # fmt: skip
SHOWN_ONCE = "3QmP0dXkV7cWb1rTnYeZ4uLhJ8sGfA2oC6iE9vRxKqB"
NEW = EXAMPLE | {
    "uses": 0,
    "lastUsedAt": None,
    "token": SHOWN_ONCE,
    "url": f"https://api.example.com/api/v1/_shared/{SHOWN_ONCE}",
}
SHOWN = {"model": "crm/deal", "until": UNTIL, "record": {"id": EXAMPLE_ID, "name": "Crane"}}
# Search engines keep nothing, and no address goes on to other sites.
UNLISTED = {"X-Robots-Tag": "noindex, nofollow", "Referrer-Policy": "no-referrer"}


def build() -> Blueprint:
    """The blueprint of links."""
    blp = Blueprint("links", __name__, url_prefix="/api/v1", description="Links that show one record.")

    @serve(blp, "GET", PATH, Operation(
        "listLinks", "List the links of a record", access=people, fails=(403,),
        gives=Answer(LinkList, example={"data": [EXAMPLE]}),
    ))  # fmt: skip
    def list_links(domain: str, segment: str, id: str) -> Response:
        return respond(_listed, _model(domain, segment), parse_id(id))

    @serve(blp, "POST", PATH, Operation(
        "createLink", "Make a link that shows a record", access=people,
        takes=Body(LinkCreate, example={"until": UNTIL}),
        gives=Answer(NewLink, example=NEW, status=201), fails=(403, 409), once=True,
        description="For whoever may change the record, of models whose policy takes links. The secret is shown once.",
    ))  # fmt: skip
    def create_link(given: dict[str, Any], domain: str, segment: str, id: str) -> Response:
        return respond(_made, _model(domain, segment), parse_id(id), given.get("until"))

    @serve(blp, "DELETE", f"{PATH}/<string:link>", Operation(
        "deleteLink", "End a link of a record", access=people, gives=Answer(Deleted), fails=(403,), once=True,
    ))  # fmt: skip
    def delete_link(domain: str, segment: str, id: str, link: str) -> Response:
        return respond(_ended, _model(domain, segment), parse_id(id), parse_id(link))

    @serve(blp, "GET", "/_shared/<string:token>", Operation(
        "readShared", "Read what a link shows", access=open_to_all("the link is the credential"),
        gives=Answer(LinkedRecord, example=SHOWN),
        description="The record as its maker may read it now, with what belongs to it.",
    ))  # fmt: skip
    def read_shared(token: str) -> Response:
        shown = links.show(token, nobody.counted_network())
        body = {"model": shown.model.qualified_name(), "until": shown.until, "record": shown.record}
        response = answer(body)
        response.headers.update(UNLISTED)
        return response

    return blp


def _model(domain: str, segment: str) -> type[Record]:
    return require_found(links.model_of(f"{domain}/{segment}"))


def _listed(unit: Unit, model: type[Record], identifier: UUID) -> Reply:
    return Reply({"data": [_wire(each) for each in links.of_record(unit, model, identifier)]})


def _made(unit: Unit, model: type[Record], identifier: UUID, until: datetime | None) -> Reply:
    link, secret = links.make(unit, model, identifier, until)
    shown = {"token": secret, "url": f"{own_origin()}/api/v1/_shared/{secret}"}
    return Reply(_wire(link) | shown, 201, secrets=tuple(shown))


def _ended(unit: Unit, model: type[Record], identifier: UUID, link_id: UUID) -> Reply:
    links.revoke(unit, model, identifier, link_id)
    return Reply({"id": str(link_id), "deleted": True})


def _wire(link: AuthLink) -> dict[str, Any]:
    return {
        "id": link.id, "until": link.expires_at, "uses": link.uses, "lastUsedAt": link.last_used_at,
        "createdById": link.created_by_id, "createdAt": link.created_at,
    }  # fmt: skip
