"""The document routes: the caller's own documents, written or made of uploads."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Response, request

from app.auth.credentials.access import RequiredGrants
from app.auth.credentials.authentication import caller
from app.auth.credentials.login import login_required
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.read import pages, records
from app.engine.read.encoding import Representation
from app.engine.read.query import Query, equals
from app.engine.write.hooks import require
from app.engine.write.preconditions import Precondition
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Forbidden, require_found
from app.foundation.settings import settings
from app.storage import documents
from app.storage.models import StorageDocument, StorageUpload
from blueprints.http.base import Blueprint, answer, paged, parse_id
from blueprints.http.conditional import precondition
from blueprints.http.declarations import Answer, Body, Operation, serve, window_parameters
from blueprints.http.examples import STAMPS
from blueprints.http.replies import Reply, respond
from blueprints.records.writes import deleted
from schemas.content.documents import LISTED, Document, DocumentCreate, DocumentList, DocumentUpdate, document_body
from schemas.envelopes import Deleted
from schemas.query.queries import window

DOCUMENT = {
    "id": EXAMPLE_ID, "title": "Plan", "content": "First this.", "kind": "text", "uploadId": None,
    "userId": EXAMPLE_ID, **STAMPS,
}  # fmt: skip


def allowed_to(operation: str) -> Any:
    """The access of a route that stands for an operation on documents."""
    return login_required(requires_grants=RequiredGrants((StorageDocument, StorageUpload), (operation,)))


def build() -> Blueprint:
    blp = Blueprint("documents", __name__, url_prefix="/api/documents", description="Documents of the caller.")
    _route_collection(blp)
    _route_item(blp)
    return blp


def _route_collection(blp: Blueprint) -> None:
    @serve(blp, "GET", "", Operation(
        "listDocuments", "List your documents, newest first", access=allowed_to("list"), gives=Answer(DocumentList),
        query=window_parameters(),
    ))  # fmt: skip
    def list_documents() -> Response:
        take, skip = window(request.args, settings.max_take)
        own = Query(where=equals(StorageDocument, user_id=caller().user_id), take=take, skip=skip)
        page = pages.list_page(StorageDocument, caller(), own)
        return answer(paged([document_body(record, LISTED) for record in page.records], page.count, take, skip))

    @serve(blp, "POST", "", Operation(
        "createDocument", "Make a document", access=allowed_to("create"),
        takes=Body(DocumentCreate, example={"title": "Plan", "content": "First this."}),
        gives=Answer(Document, example=DOCUMENT, status=201), once=True,
        description="With `uploadId`, the text of that file is filled in by a job.",
    ))  # fmt: skip
    def create(given: dict[str, Any]) -> Response:
        return respond(_created, given)


def _route_item(blp: Blueprint) -> None:
    @serve(blp, "GET", "/<string:id>", Operation(
        "readDocument", "Read a document", access=allowed_to("read"), gives=Answer(Document, example=DOCUMENT),
        conditional=True,
    ))  # fmt: skip
    def read(id: str) -> Response:
        return _reply(records.get(StorageDocument, caller(), parse_id(id))).response()

    for method, name in (("PATCH", "patchDocument"), ("PUT", "updateDocument")):

        @serve(blp, method, "/<string:id>", Operation(
            name, "Change a document", access=allowed_to("update"),
            takes=Body(DocumentUpdate, example={"title": "New plan"}),
            gives=Answer(Document, example=DOCUMENT), once=True, conditional=True,
        ))  # fmt: skip
        def update(given: dict[str, Any], id: str) -> Response:
            return respond(_changed, parse_id(id), given, precondition())

    @serve(blp, "DELETE", "/<string:id>", Operation(
        "deleteDocument", "Delete a document", access=allowed_to("delete"),
        gives=Answer(Deleted, example={"id": EXAMPLE_ID, "deleted": True}), once=True, conditional=True,
    ))  # fmt: skip
    def delete(id: str) -> Response:
        return respond(deleted, StorageDocument, parse_id(id), precondition())


def _created(unit: Unit, given: dict[str, Any]) -> Reply:
    values = {name: value for name, value in given.items() if name != "upload_id"}
    if "upload_id" not in given:
        require("title" in given, "title", "Missing data for required field.")
        return _reply(unit.create(StorageDocument, values), 201)
    require("content" not in given, "content", "Comes from the upload.")
    require_found(unit.principal.user_id, Forbidden)
    made = documents.from_upload(unit, given["upload_id"], values)
    return _reply(unit.read_many(StorageDocument, [made])[0], 201)


def _changed(unit: Unit, identifier: UUID, given: dict[str, Any], condition: Precondition) -> Reply:
    return _reply(unit.update(StorageDocument, identifier, given, condition))


def _reply(document: Representation, status: int = 200) -> Reply:
    return Reply(document_body(document), status, document.version)
