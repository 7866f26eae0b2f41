"""The job of an import: it fetches the file, and each run begins where the last one was safe."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import IO
from uuid import UUID

from sqlalchemy import update
from sqlalchemy.orm import Session

from app.auth.accounts.standing import principal_with
from app.auth.credentials.presence import ACCOUNT_GONE
from app.engine.changes.undoing import before_undo
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.declare.record import Record, by_table
from app.engine.read.database import reading
from app.engine.read.statements import autocommit_connection
from app.engine.transfer import tables
from app.engine.transfer.importing import Report
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import Conflict, Failure, Forbidden, Unavailable, require_found
from app.foundation.settings import settings
from app.jobs.registry import GIVEN_UP
from app.notification.routing import notify
from app.runtime.change_context import of_job
from app.storage import imports
from app.storage.import_models import COUNTS, OPEN, StorageImport
from app.storage.imports import IMPORT_FINISHED, ImportOptions, ImportRolledBack
from app.storage.object_store import object_store

ADVANCE = """
UPDATE storage_import SET rows = %(rows)s, failed = %(failed)s, updated_at = now()
WHERE id = %(id)s AND status = 'running' RETURNING id
"""


@before_undo
def require_over(unit: Unit, transaction: UUID) -> None:
    """Refuse to undo an import that still runs: what it wrote later would stay."""
    found = unit.session.get(StorageImport, transaction)
    if found is not None and found.status in OPEN:
        raise Conflict("The import is still running.")


class Cancelled(Exception):
    """The import was cancelled while it ran."""


def run(import_id: UUID) -> None:
    """Do an import that was asked for, as a job."""
    claimed = run_unit(SYSTEM, _claim, import_id)
    if claimed is None:
        return
    if claimed.status == "running":
        _carry_out(claimed)
    _forget(import_id, claimed.storage_key)


def _carry_out(claimed: StorageImport) -> None:
    import_id = claimed.id
    with reading() as session:
        principal = _principal(claimed, session)
    if principal is None:
        run_unit(SYSTEM, _fail, import_id, ACCOUNT_GONE)
        return
    model, asked = by_table(claimed.model), ImportOptions.of(claimed.options)
    try:
        with (
            _fetched(claimed.storage_key or "") as file,
            tables.read(file, asked.form, tables.Bounds.of(settings)) as table,
        ):
            _count(import_id, table.count)
            work = _run_by_batch if imports.writes_by_batch(model, asked) else _run_whole
            # All batches, also those of a run before this one, are undone as one.
            with of_job(import_id):
                work(principal, model, asked, claimed, table)
    except Cancelled:
        pass
    except Failure as failure:
        if failure.status >= 500:
            raise
        run_unit(SYSTEM, _fail, import_id, failure.text)


def give_up(import_id: UUID) -> None:
    """Say of an import that it could not be done, and remove its file."""
    run_unit(SYSTEM, _fail, import_id, GIVEN_UP)
    over = run_unit(SYSTEM, _claim, import_id)
    if over is not None:
        _forget(import_id, over.storage_key)


def _run_whole(
    principal: Principal, model: type[Record], asked: ImportOptions, claimed: StorageImport, table: tables.Table
) -> None:
    """Write all lines, and that they are there, in one transaction: a worker that is killed leaves nothing of it."""

    def write(unit: Unit) -> None:
        report = imports.write_whole(unit, model, asked, table, reload=partial(_reload, claimed), advance=advance)
        _finish(unit, claimed.id, report)

    advance = partial(_tell, claimed.id)
    try:
        run_unit(principal, write)
    except ImportRolledBack as undone:
        run_unit(SYSTEM, _finish, claimed.id, undone.report)


def _run_by_batch(
    principal: Principal, model: type[Record], asked: ImportOptions, claimed: StorageImport, table: tables.Table
) -> None:
    """Write each batch in a transaction of its own, which also keeps how far it is: the next run goes on behind it."""

    def save_progress(unit: Unit, before: Report, report: Report) -> None:
        _progress(unit, claimed.id, report, before.rows)

    done = Report(**{name: getattr(claimed, name) for name in COUNTS}, faults=list(claimed.faults))
    report = imports.write_by_batch(
        principal, model, asked, table, done=done, save_progress=save_progress, reload=partial(_reload, claimed)
    )
    run_unit(principal, _finish, claimed.id, report)


def _count(import_id: UUID, total: int) -> None:
    """Say how many rows the file has."""
    run_unit(SYSTEM, Unit.bookkeep, update(StorageImport).where(StorageImport.id == import_id).values(total=total))


def _claim(unit: Unit, import_id: UUID) -> StorageImport | None:
    """An import, which runs from now on unless it is over."""
    found = unit.session.get(StorageImport, import_id, with_for_update=True)
    if found is not None and found.status in OPEN:
        found.status = "running"
    return found


def _principal(claimed: StorageImport, session: Session) -> Principal | None:
    return principal_with(session, claimed.user_id, claimed.standing)


def _reload(claimed: StorageImport, unit: Unit) -> Principal:
    """The user as the database knows it now; raises Forbidden for one who is gone."""
    return require_found(_principal(claimed, unit.session), Forbidden(ACCOUNT_GONE))


def _tell(import_id: UUID, report: Report) -> None:
    """Say how far an import is, outside of its transaction; raises Cancelled."""
    with autocommit_connection() as connection:
        if not connection.execute(ADVANCE, {"id": import_id, "rows": report.rows, "failed": report.failed}).fetchall():
            raise Cancelled


def _progress(unit: Unit, import_id: UUID, report: Report, begun: int | None = None) -> StorageImport:
    """Note what is safe with this transaction, which began at row ``begun``; raises Cancelled, and Unavailable where
    another worker, taken for dead, has got further meanwhile."""
    found = unit.session.get(StorageImport, import_id, with_for_update=True)
    if found is None or found.status != "running":
        raise Cancelled
    if begun is not None and found.rows != begun:
        raise Unavailable("Another worker does this import")
    for name, count in report.meta.items():
        setattr(found, name, count)
    found.faults = list(report.faults)
    return found


def _finish(unit: Unit, import_id: UUID, report: Report) -> None:
    found = _progress(unit, import_id, report)
    found.status = "completed"
    text = f"{report.created} created, {report.updated} updated, {report.ignored} left, {report.failed} failed"
    data = {"importId": str(import_id), "url": f"/api/v1/_imports/{import_id}"}
    notify(unit, found.user_id, IMPORT_FINISHED, "An import is finished", text, data)


def _fail(unit: Unit, import_id: UUID, reason: str) -> None:
    found = unit.session.get(StorageImport, import_id, with_for_update=True)
    if found is not None and found.status in OPEN:
        found.status, found.error_message = "failed", reason[:1000]
        notify(unit, found.user_id, IMPORT_FINISHED, "An import has failed", reason, {"importId": str(import_id)})


def _forget(import_id: UUID, storage_key: str | None) -> None:
    """Remove the file of an import that is over."""
    if storage_key is not None:
        object_store().remove(storage_key)
        over = update(StorageImport).where(StorageImport.id == import_id).values(storage_key=None)
        run_unit(SYSTEM, Unit.bookkeep, over)


@contextmanager
def _fetched(key: str) -> Iterator[IO[bytes]]:
    with tempfile.TemporaryFile() as file:
        object_store().fetch(key, file)
        file.seek(0)
        yield file
