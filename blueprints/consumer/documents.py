"""The document routes: the caller's own documents, written or made of uploads."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app, request

from app.auth.authentication import caller
from app.auth.login import login_required
from app.engine import records
from app.engine.kind import EXAMPLE_ID
from app.engine.unit_of_work import Unit, run_unit
from app.foundation.errors import Forbidden, Invalid
from app.storage import documents
from app.storage.models import StorageDocument
from blueprints.base import Blueprint, answer
from blueprints.crud import wanted
from blueprints.describe import documented, window_parameters
from blueprints.examples import STAMPS
from schemas.documents import LISTED, Document, DocumentCreate, DocumentList, DocumentUpdate, document_body
from schemas.envelopes import Deleted
from schemas.queries import WINDOW, list_query, refuse_unknown

READS = (400, 401, 403, 404, 429, 500, 503)
WRITES = (400, 401, 403, 409, 413, 415, 429, 500, 503)
DOCUMENT = {
    "id": EXAMPLE_ID, "title": "Plan", "content": "First this.", "kind": "text", "uploadId": None,
    "userId": EXAMPLE_ID, **STAMPS,
}  # fmt: skip

signed_in = login_required()


def build() -> Blueprint:
    """The blueprint of the document routes."""
    blp = Blueprint("documents", __name__, url_prefix="/api/documents", description="Documents of the caller.")
    _route_collection(blp)
    _route_item(blp)
    return blp


def _route_collection(blp: Blueprint) -> None:
    @blp.route("", methods=["GET"])
    @signed_in
    @blp.doc(parameters=window_parameters())
    @documented(blp, "listDocuments", "List your documents, newest first", 400, 401, 403, 429, 500, 503)
    @blp.response(200, DocumentList)
    def list_documents() -> Response:
        refuse_unknown(request.args, known=WINDOW)
        query = list_query(StorageDocument, caller(), request.args, current_app.config["SETTINGS"].max_take)
        own = {"user_id": caller().user_id}
        found, count = records.list_page(StorageDocument, caller(), own, query.take, query.skip)
        rows = [document_body(record, LISTED) for record in found]
        return answer({"data": rows, "meta": {"count": count, "take": query.take, "skip": query.skip}})

    @blp.route("", methods=["POST"])
    @signed_in
    @documented(
        blp, "createDocument", "Make a document", *WRITES, example={"title": "Plan", "content": "First this."},
        description="With `uploadId`, the text of that file is filled in by a job.", answers=DOCUMENT, status=201,
    )  # fmt: skip
    @blp.arguments(DocumentCreate)
    @blp.response(201, Document)
    def create(given: dict[str, Any]) -> Response:
        refuse_unknown(request.args, known=())
        return answer(document_body(_made(given)), 201)


def _route_item(blp: Blueprint) -> None:
    @blp.route("/<string:id>", methods=["GET"])
    @signed_in
    @documented(blp, "readDocument", "Read a document", *READS, answers=DOCUMENT)
    @blp.response(200, Document)
    def read(id: str) -> Response:
        refuse_unknown(request.args, known=())
        return answer(document_body(records.get(StorageDocument, caller(), wanted(id))))

    for method, name in (("PATCH", "patchDocument"), ("PUT", "updateDocument")):

        @blp.route("/<string:id>", methods=[method], endpoint=name)
        @signed_in
        @documented(
            blp, name, "Change a document", 404, *WRITES, example={"title": "New plan"}, answers=DOCUMENT
        )  # fmt: skip
        @blp.arguments(DocumentUpdate)
        @blp.response(200, Document)
        def update(given: dict[str, Any], id: str) -> Response:
            refuse_unknown(request.args, known=())
            return answer(document_body(run_unit(caller(), Unit.update, StorageDocument, wanted(id), given)))

    @blp.route("/<string:id>", methods=["DELETE"])
    @signed_in
    @documented(blp, "deleteDocument", "Delete a document", *READS, answers={"id": EXAMPLE_ID, "deleted": True})
    @blp.response(200, Deleted)
    def delete(id: str) -> Response:
        refuse_unknown(request.args, known=())
        run_unit(caller(), Unit.delete, StorageDocument, wanted(id))
        return answer({"id": id.lower(), "deleted": True})


def _made(given: dict[str, Any]) -> dict[str, Any]:
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
