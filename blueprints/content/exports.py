"""The routes of exports: the archive of what belongs to the caller."""

from __future__ import annotations

from flask import Response

from app.auth.credentials.access import WithGrants
from app.auth.credentials.authentication import caller
from app.auth.credentials.login import login_required
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.policy import SessionOnly
from app.engine.write.unit_of_work import run_unit
from app.foundation.errors import NotFound
from app.storage import exports
from app.storage.uploads import Stored
from blueprints.http.base import Blueprint, answer, parse_id
from blueprints.http.declarations import Answer, Operation, serve
from blueprints.http.delivery import delivered
from blueprints.http.examples import LATER
from schemas.transfer.exports import Export, Exports, export_body

ZIP = "application/zip"
EXAMPLE = {"id": EXAMPLE_ID, "status": "ready", "size": 48213, "expiresAt": LATER, "createdAt": LATER}
MAKING = """A job makes a ZIP archive of the records and files that belong to the caller, and a mail says when it is
ready. It is there for a week."""

owner_required = login_required(SessionOnly.ALL, private=True, with_grants=WithGrants.PEOPLE)


def build() -> Blueprint:
    blp = Blueprint(
        "exports", __name__, url_prefix="/api/auth/account/export",
        description="The archive of what belongs to the caller.",
    )  # fmt: skip

    @serve(blp, "POST", "", Operation(
        "exportAccount", "Have an archive of one's own data made", access=owner_required,
        gives=Answer(Export, example=EXAMPLE | {"status": "pending", "size": None}, status=202), description=MAKING,
    ))  # fmt: skip
    def ask() -> Response:
        return answer(export_body(run_unit(caller(), exports.ask)), 202)

    @serve(blp, "GET", "", Operation(
        "listExports", "List the caller's archives", access=owner_required,
        gives=Answer(Exports, example={"data": [EXAMPLE]}),
    ))  # fmt: skip
    def list_exports() -> Response:
        return answer({"data": [export_body(each) for each in run_unit(caller(), exports.own)]})

    @serve(blp, "GET", "/<string:id>", Operation(
        "readExport", "Read how far an archive is", access=owner_required, gives=Answer(Export, example=EXAMPLE),
    ))  # fmt: skip
    def read(id: str) -> Response:
        return answer(export_body(run_unit(caller(), exports.find, parse_id(id))))

    @serve(blp, "GET", "/<string:id>/content", Operation(
        "downloadExport", "Download an archive", access=owner_required, gives=Answer(content_type=ZIP), fails=(416,),
    ))  # fmt: skip
    def download(id: str) -> Response:
        export = run_unit(caller(), exports.find, parse_id(id))
        if export.storage_key is None:
            raise NotFound()
        return delivered(Stored(export.storage_key, f"export-{export.created_at:%Y-%m-%d}.zip", ZIP, str(export.id)))

    return blp
