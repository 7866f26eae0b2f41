"""The document routes: the caller's own documents, written or made of uploads."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app, request

from app.auth.authentication import caller
from app.auth.login import login_required
from app.engine import pages, records
from app.engine.kind import EXAMPLE_ID
from app.engine.query import Query, equals
from app.engine.unit_of_work import Unit, run_unit
from app.foundation.errors import Forbidden, Invalid
from app.storage import documents
from app.storage.models import StorageDocument
from blueprints.base import Blueprint, answer
from blueprints.crud import wanted
from blueprints.declarations import Answer, Body, Operation, serve
from blueprints.describe import window_parameters
from blueprints.examples import STAMPS
from schemas.documents import LISTED, Document, DocumentCreate, DocumentList, DocumentUpdate, document_body
from schemas.envelopes import Deleted
from schemas.queries import window

DOCUMENT = {
    "id": EXAMPLE_ID, "title": "Plan", "content": "First this.", "kind": "text", "uploadId": None,
    "userId": EXAMPLE_ID, **STAMPS,
}  # fmt: skip

signed_in = login_required()


def build() -> Blueprint:
    blp = Blueprint("documents", __name__, url_prefix="/api/documents", description="Documents of the caller.")
    _route_collection(blp)
    _route_item(blp)
    return blp


def _route_collection(blp: Blueprint) -> None:
    @serve(blp, "GET", "", Operation(
        "listDocuments", "List your documents, newest first", access=signed_in, gives=Answer(DocumentList),
        query=window_parameters(),
    ))  # fmt: skip
    def list_documents() -> Response:
        take, skip = window(request.args, current_app.config["SETTINGS"].max_take)
        own = Query(where=equals(StorageDocument, user_id=caller().user_id), take=take, skip=skip)
        page = pages.list_page(StorageDocument, caller(), own)
        rows = [document_body(record, LISTED) for record in page.records]
        return answer({"data": rows, "meta": {"count": page.count, "take": take, "skip": skip}})

    @serve(blp, "POST", "", Operation(
        "createDocument", "Make a document", access=signed_in,
        takes=Body(DocumentCreate, example={"title": "Plan", "content": "First this."}),
        gives=Answer(Document, example=DOCUMENT, status=201), fails=(409,),
        description="With `uploadId`, the text of that file is filled in by a job.",
    ))  # fmt: skip
    def create(given: dict[str, Any]) -> Response:
        return answer(document_body(_created(given)), 201)


def _route_item(blp: Blueprint) -> None:
    @serve(blp, "GET", "/<string:id>", Operation(
        "readDocument", "Read a document", access=signed_in, gives=Answer(Document, example=DOCUMENT),
    ))  # fmt: skip
    def read(id: str) -> Response:
        return answer(document_body(records.get(StorageDocument, caller(), wanted(id))))

    for method, name in (("PATCH", "patchDocument"), ("PUT", "updateDocument")):

        @serve(blp, method, "/<string:id>", Operation(
            name, "Change a document", access=signed_in, takes=Body(DocumentUpdate, example={"title": "New plan"}),
            gives=Answer(Document, example=DOCUMENT), fails=(409,),
        ))  # fmt: skip
        def update(given: dict[str, Any], id: str) -> Response:
            return answer(document_body(run_unit(caller(), Unit.update, StorageDocument, wanted(id), given)))

    @serve(blp, "DELETE", "/<string:id>", Operation(
        "deleteDocument", "Delete a document", access=signed_in,
        gives=Answer(Deleted, example={"id": EXAMPLE_ID, "deleted": True}),
    ))  # fmt: skip
    def delete(id: str) -> Response:
        run_unit(caller(), Unit.delete, StorageDocument, wanted(id))
        return answer({"id": id.lower(), "deleted": True})


def _created(given: dict[str, Any]) -> dict[str, Any]:
    upload_id = given.pop("upload_id", None)
    if upload_id is None:
        if "title" not in given:
            raise Invalid({"title": ["Missing data for required field."]})
        return run_unit(caller(), Unit.create, StorageDocument, given)
    if "content" in given:
        raise Invalid({"content": ["Comes from the upload."]})
    if caller().user_id is None:
        raise Forbidden()
    return records.get(StorageDocument, caller(), run_unit(caller(), documents.from_upload, upload_id, given))
