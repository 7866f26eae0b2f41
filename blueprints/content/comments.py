"""Comments beside a record."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Response, request

from app.auth.credentials.access import WithGrants, credentials_required
from app.auth.credentials.authentication import caller
from app.engine.declare.catalogue import find_model
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.record import Record
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import NotFound
from app.platform import comments
from blueprints.http.base import Blueprint, answer, paged, parse_id
from blueprints.http.declarations import Answer, Body, Operation, serve, window_parameters
from blueprints.http.replies import Reply, respond
from schemas.content.comments import Comment, CommentCreate, CommentList, CommentUpdate, comment_of
from schemas.envelopes import Deleted
from schemas.query.queries import window

# A comment may say anything of a record, so who sees a part of it reads none.
people = credentials_required(with_grants=WithGrants.PEOPLE)
PATH = "/<string:domain>/<string:segment>/<string:id>/_comments"
MAX_TAKE = 100
GIVEN = {"text": "Called: they decide on Monday.", "mentions": [EXAMPLE_ID]}
EXAMPLE = {
    "id": EXAMPLE_ID, "text": GIVEN["text"], "own": True, "removable": True, "createdAt": "2027-01-01T09:00:00.000Z",
    "editedAt": None,
    "author": {"id": EXAMPLE_ID, "name": "Ada Lovelace", "image": None},
}  # fmt: skip


def build() -> Blueprint:
    """The blueprint of comments."""
    blp = Blueprint("comments", __name__, url_prefix="/api/v1", description="Comments on records.")

    @serve(blp, "GET", PATH, Operation(
        "listComments", "List the comments on a record", access=people, query=window_parameters(MAX_TAKE),
        gives=Answer(CommentList, example={"data": [EXAMPLE], "meta": {"count": 1, "take": 20, "skip": 0}}),
        description="For whoever reads the record, unless they read it because it is public.",
    ))  # fmt: skip
    def list_comments(domain: str, segment: str, id: str) -> Response:
        given = window(request.args, MAX_TAKE)
        return answer(run_unit(caller(), _listed, _model(domain, segment), parse_id(id), *given))

    @serve(blp, "POST", PATH, Operation(
        "createComment", "Comment on a record", access=people, takes=Body(CommentCreate, example=GIVEN),
        gives=Answer(Comment, example=EXAMPLE, status=201), fails=(403, 409), once=True,
    ))  # fmt: skip
    def create_comment(given: dict[str, Any], domain: str, segment: str, id: str) -> Response:
        return respond(_written, _model(domain, segment), parse_id(id), given)

    @serve(blp, "PUT", f"{PATH}/<string:comment>", Operation(
        "updateComment", "Change a comment of yours", access=people,
        takes=Body(CommentUpdate, example={"text": GIVEN["text"]}), gives=Answer(Comment, example=EXAMPLE),
        fails=(403,), once=True,
    ))  # fmt: skip
    def update_comment(given: dict[str, Any], domain: str, segment: str, id: str, comment: str) -> Response:
        return respond(_changed, _model(domain, segment), parse_id(id), parse_id(comment), given["text"])

    @serve(blp, "DELETE", f"{PATH}/<string:comment>", Operation(
        "deleteComment", "Remove a comment", access=people, gives=Answer(Deleted), fails=(403,), once=True,
        description="Its author does, and managers of the record's organization.",
    ))  # fmt: skip
    def delete_comment(domain: str, segment: str, id: str, comment: str) -> Response:
        return respond(_removed, _model(domain, segment), parse_id(id), parse_id(comment))

    return blp


def _model(domain: str, segment: str) -> type[Record]:
    found = find_model(f"{domain}/{segment}")
    if found is None or not comments.takes_comments(found):
        raise NotFound()
    return found


def _listed(unit: Unit, model: type[Record], identifier: UUID, take: int, skip: int) -> dict[str, Any]:
    found, count = comments.listed(unit, model, identifier, take, skip)
    return paged([comment_of(each, unit.principal) for each in found], count, take, skip)


def _written(unit: Unit, model: type[Record], identifier: UUID, given: dict[str, Any]) -> Reply:
    shown = comments.write(unit, model, identifier, given["text"], given.get("mentions", ()))
    return Reply(comment_of(shown, unit.principal), 201)


def _changed(unit: Unit, model: type[Record], identifier: UUID, comment_id: UUID, text: str) -> Reply:
    return Reply(comment_of(comments.change(unit, model, identifier, comment_id, text), unit.principal))


def _removed(unit: Unit, model: type[Record], identifier: UUID, comment_id: UUID) -> Reply:
    comments.remove(unit, model, identifier, comment_id)
    return Reply({"id": str(comment_id), "deleted": True})
