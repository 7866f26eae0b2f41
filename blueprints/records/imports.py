"""Imports: a file of records is written in the request itself, or where it is long by a job."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from typing import IO
from uuid import UUID

from flask import Response, current_app, request

from app.auth.credentials import credentials
from app.auth.credentials.access import credentials_required
from app.auth.credentials.authentication import caller
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read.concurrency import query_slot
from app.engine.read.database import OutcomeUnknown
from app.engine.read.statements import reads_in_transaction
from app.engine.transfer import tables
from app.engine.transfer.importing import Report
from app.engine.transfer.tables import Bounds, Table
from app.engine.write.idempotency import IdempotentRequest
from app.engine.write.leases import Lease
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import PayloadTooLarge, RequestTimedOut, UnsupportedMediaType
from app.storage import imports, kept_files
from app.storage.import_models import StorageImport
from app.storage.imports import ImportOptions, ImportRolledBack
from app.storage.object_store import object_store
from blueprints.http.base import Blueprint, answer, parse_id
from blueprints.http.declarations import Answer, Operation, serve
from blueprints.http.forms import FORM_ROOM, parsed_form
from blueprints.http.replies import Reply, idempotent_request, run_idempotent, run_with_lease
from schemas.transfer.imports import ImportList, ImportState, import_options, state_of

MAX_ROWS_AT_ONCE = 10_000
CHUNK = 64 * 1024
TYPES = {"text/csv": "csv", "application/x-ndjson": "ndjson", "application/json": "json", "text/plain": ""}
EXAMPLE = {
    "id": EXAMPLE_ID, "model": "crm/contact", "status": "running", "total": 100_000, "rows": 42_000, "created": 0,
    "updated": 0, "ignored": 0, "failed": 0, "data": [], "error": None, "createdAt": "2027-01-01T09:00:00.000Z",
}  # fmt: skip

signed_in = credentials_required()


def import_records(model: type[Record]) -> Callable[[], Response]:
    """Write the records of a file."""

    def handler() -> Response:
        options = import_options(model, request.args, TYPES.get(request.mimetype, ""))
        with _received() as (file, digest):
            return _imported(model, options, file, digest)

    return handler


def build() -> Blueprint:
    """The blueprint of imports that a job carries out."""
    blp = Blueprint("imports", __name__, url_prefix="/api/v1/_imports", description="Imports that a job does.")

    @serve(blp, "GET", "", Operation(
        "listImports", "List your imports, newest first", access=signed_in, gives=Answer(ImportList),
    ))  # fmt: skip
    def list_imports() -> Response:
        return answer({"data": [state_of(each) for each in run_unit(caller(), imports.own)]})

    @serve(blp, "GET", "/<string:id>", Operation(
        "readImport", "Read how far an import is", access=signed_in, gives=Answer(ImportState, example=EXAMPLE),
    ))  # fmt: skip
    def read(id: str) -> Response:
        return answer(state_of(run_unit(caller(), imports.find, parse_id(id))))

    @serve(blp, "DELETE", "/<string:id>", Operation(
        "cancelImport", "Cancel an import", access=signed_in, gives=Answer(ImportState, example=EXAMPLE), once=True,
    ))  # fmt: skip
    def cancel(id: str) -> Response:
        return run_idempotent(caller(), idempotent_request(), partial(_cancelled, identifier=parse_id(id)))

    return blp


def _imported(model: type[Record], options: ImportOptions, file: IO[bytes], digest: str) -> Response:
    keyed, settings = idempotent_request(digest.encode()), current_app.config["SETTINGS"]
    with (
        query_slot(caller()),
        tables.read(file, options.form, Bounds.of(settings), most=MAX_ROWS_AT_ONCE) as table,
    ):
        if table.is_whole:
            write = _write_by_batch if imports.writes_by_batch(model, options) else _write_whole
            return write(model, options, table, keyed)
    file.seek(0)
    key = kept_files.keep(file)
    create_job = partial(_create_job, model=model, options=options, key=key)
    try:
        response = run_idempotent(caller(), keyed, create_job)
    except OutcomeUnknown:  # the import may be there: where it is not, the file is swept
        raise
    except BaseException:
        object_store().remove(key)
        raise
    if "Idempotency-Replayed" in response.headers:
        object_store().remove(key)
    return response


def _write_whole(
    model: type[Record], options: ImportOptions, table: Table, keyed: IdempotentRequest | None
) -> Response:
    """Write all lines, and the answer under its key, in one transaction."""

    def write(unit: Unit) -> Reply:
        return _reply(imports.write_whole(unit, model, options, table, reload=_reload_caller))

    try:
        return run_idempotent(caller(), keyed, write)
    except ImportRolledBack as undone:
        report = undone.report
    return run_idempotent(caller(), keyed, lambda unit: _reply(report))


def _write_by_batch(
    model: type[Record], options: ImportOptions, table: Table, keyed: IdempotentRequest | None
) -> Response:
    """Write each batch in a transaction of its own, which also keeps how far it is: sent again, the request goes on
    behind the last one."""

    def write(lease: Lease | None) -> Reply:
        def save_progress(unit: Unit, before: Report, report: Report) -> None:
            if lease is not None:
                lease.renew(unit, asdict(report))

        done = Report(**lease.progress) if lease is not None and lease.progress else None
        report = imports.write_by_batch(
            caller(), model, options, table, done=done, save_progress=save_progress, reload=_reload_caller
        )
        return _reply(report)

    return run_with_lease(keyed, write)


def _reload_caller(unit: Unit) -> Principal:
    """The caller as the database knows them by now; raises Unauthenticated."""
    with reads_in_transaction(unit.session):
        return credentials.reload_principal(unit.principal, unit.session)


def _reply(report: Report) -> Reply:
    return Reply({"meta": report.meta, "data": report.faults})


def _create_job(unit: Unit, model: type[Record], options: ImportOptions, key: str) -> Reply:
    made = imports.ask(unit, model, options, key)
    url = f"/api/v1/_imports/{made.id}"
    return Reply({**state_of(made), "url": url}, 202, headers={"Location": url})


def _cancelled(unit: Unit, identifier: UUID) -> Reply:
    found: StorageImport = imports.cancel(unit, identifier)
    return Reply(state_of(found))


class _Incoming:
    """A file on its way to a temporary one: hashed and bounded while it passes."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self._file, self._left, self.digest = file, limit, sha256()

    def write(self, chunk: bytes) -> None:
        self._left -= len(chunk)
        if self._left < 0:
            raise PayloadTooLarge("The file is larger than imports may be")
        self.digest.update(chunk)
        self._file.write(chunk)

    def seek(self, offset: int) -> None:
        """There is nothing to go back to."""


@contextmanager
def _received() -> Iterator[tuple[IO[bytes], str]]:
    """The file of the running request, as its body or in a form, with its SHA-256."""
    limit = current_app.config["SETTINGS"].import_max_bytes
    with tempfile.TemporaryFile() as file:
        incoming = _Incoming(file, limit)
        request.max_content_length = limit + FORM_ROOM
        if request.mimetype == "multipart/form-data":
            parsed_form(lambda *_, **__: incoming)
        elif request.mimetype in TYPES:
            while chunk := request.stream.read(CHUNK):
                incoming.write(chunk)
            # The server ends a body where its client hangs up, and what came until then may look whole.
            if request.content_length is not None and file.tell() < request.content_length:
                raise RequestTimedOut("The client is gone")
        else:
            raise UnsupportedMediaType(f"The body must be one of: {', '.join(TYPES)}, multipart/form-data")
        file.seek(0)
        yield file, incoming.digest.hexdigest()
