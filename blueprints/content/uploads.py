"""The upload routes: a file in, its metadata, its bytes, and gone again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from flask import Response, request

from app.auth.credentials import credentials
from app.auth.credentials.access import RequiredGrants
from app.auth.credentials.authentication import caller
from app.auth.credentials.login import login_required
from app.auth.credentials.presence import RIGHTS_REDUCED
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.principal import Principal
from app.engine.read import records
from app.engine.read.encoding import dumps
from app.engine.write.hooks import require
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Forbidden, UnsupportedMediaType
from app.foundation.settings import settings
from app.storage import uploads
from app.storage.models import StorageUpload
from blueprints.http.base import Blueprint, parse_id
from blueprints.http.conditional import precondition
from blueprints.http.declarations import Answer, Operation, serve
from blueprints.http.delivery import delivered
from blueprints.http.forms import FORM_ROOM, parsed_form
from blueprints.http.replies import Reply, idempotent_request, respond, run_idempotent
from blueprints.records.writes import deleted
from schemas.content.uploads import Uploaded, UploadMetadata, upload_body
from schemas.envelopes import Deleted

URL = f"http://localhost:3001/api/upload/{EXAMPLE_ID}/content"
METADATA = {
    "id": EXAMPLE_ID, "filename": "plan.pdf", "contentType": "application/pdf", "size": 1234, "sha256": "0" * 64,
    "url": URL, "userId": EXAMPLE_ID, "createdAt": "2027-01-01T09:00:00.000Z", "updatedAt": "2027-01-01T09:00:00.000Z",
}  # fmt: skip
FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}


def allowed_to(operation: str) -> Any:
    """The access of a route that stands for an operation on files."""
    return login_required(requires_grants=RequiredGrants((StorageUpload,), (operation,)))


def build() -> Blueprint:
    blp = Blueprint("upload", __name__, url_prefix="/api/upload", description="Uploaded files.")
    _route_upload(blp)
    _route_item(blp)
    return blp


def _route_upload(blp: Blueprint) -> None:
    @serve(blp, "POST", "", Operation(
        "uploadFile", "Upload a file", access=allowed_to("create"),
        gives=Answer(Uploaded, example={"url": URL}), fails=(413, 415), once=True,
        description="One file, in the field `file` of a form. Its type is told from its bytes.",
    ))  # fmt: skip
    @blp.doc(**FORM)
    def upload() -> Response:
        return _received()


def _route_item(blp: Blueprint) -> None:
    @serve(blp, "GET", "/<string:id>", Operation(
        "readUpload", "Read what is known of a file", access=allowed_to("read"),
        gives=Answer(UploadMetadata, example=METADATA), conditional=True,
    ))  # fmt: skip
    def read(id: str) -> Response:
        found = records.get(StorageUpload, caller(), parse_id(id))
        return Reply(upload_body(found, settings.public_url), version=found.version).response()

    @serve(blp, "GET", "/<string:id>/content", Operation(
        "readUploadContent", "Read the bytes of a file", access=allowed_to("read"), gives=Answer(content_type="*/*"),
        fails=(416,), description="Whole or in part (`Range`), or a redirect to where they are for a minute.",
    ))  # fmt: skip
    def read_content(id: str) -> Response:
        return delivered(uploads.find(caller(), parse_id(id)))

    @serve(blp, "DELETE", "/<string:id>", Operation(
        "deleteUpload", "Delete a file", access=allowed_to("delete"),
        gives=Answer(Deleted, example={"id": EXAMPLE_ID, "deleted": True}), once=True, conditional=True,
    ))  # fmt: skip
    def delete(id: str) -> Response:
        return respond(deleted, StorageUpload, parse_id(id), precondition())


def _received() -> Response:
    """Take the form of the running request into the store as it comes, and answer where it is."""
    if request.mimetype != "multipart/form-data":
        raise UnsupportedMediaType("The body must be multipart/form-data")
    limit = settings.upload_max_bytes
    request.max_content_length = limit + FORM_ROOM
    coming: list[uploads.Incoming] = []

    def open_file(*_: Any, **__: Any) -> uploads.Incoming:
        require(not coming, "file", "Send one file.")
        coming.append(uploads.Incoming(limit))
        return coming[-1]

    try:
        file = parsed_form(open_file)
        keyed = idempotent_request(dumps([coming[0].sha256, file.filename, file.mimetype]))

        principal = _as_able()

        def run(store: Callable[[Unit], UUID]) -> Response:
            return run_idempotent(principal, keyed, partial(_kept, store=store))

        return uploads.keep(run, coming[0], file.filename or "", file.mimetype)
    finally:
        for each in coming:
            each.abort()


def _as_able() -> Principal:
    """The caller as the database knows them by now, as a file may take minutes to come, in the organization of then;
    raises Unauthenticated, and Forbidden where they may do less than then."""
    principal = credentials.reload_principal(caller())
    if not principal.covers(caller()):
        raise Forbidden(RIGHTS_REDUCED)
    return replace(principal, organization_id=caller().organization_id)


def _kept(unit: Unit, store: Callable[[Unit], UUID]) -> Reply:
    place = f"/api/upload/{store(unit)}"
    return Reply({"url": f"{settings.public_url}{place}/content"}, headers={"Location": place})
