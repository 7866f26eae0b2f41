"""Exports: everything that belongs to one user, as a ZIP archive of JSON lines and files, made by a job.

It holds what the data API shows its owner: the records of the user and of the personal organization, the user's
memberships, and the bytes of uploads. What belongs to a shared organization stays there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.auth.accounts import mails, users
from app.auth.credentials.presence import ACCOUNT_GONE
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember
from app.auth.organizations.organizations import personal_organization_of
from app.engine.declare.catalogue import every_model
from app.engine.declare.fields import UNLISTED
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.declare.record import Record
from app.engine.read import pages, records
from app.engine.read.database import reading
from app.engine.read.encoding import dumps
from app.engine.read.query import Count, Query, equals
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import NotFound, RateLimited, require_found
from app.jobs.queue import defer
from app.jobs.registry import GIVEN_UP
from app.storage import kept_files
from app.storage.models import StorageExport, StorageUpload
from app.storage.object_store import object_store

EXPORT = "export_account"
PAGE = "/account/export"
BATCH_SIZE = 50
# Archives of one user that may be there at once.
MAX_EXPORTS = 5


class Gone(Exception):
    """The archive is gone, or whoever it is for may not act any more."""


def ask(unit: Unit) -> StorageExport:
    """Have an archive made of what belongs to the principal; one that is being made already is answered again. Raises
    RateLimited."""
    unit.lock(f"exports of {unit.principal.user_id}")
    own = list(unit.session.scalars(_of(unit.principal)))
    waiting = [each for each in own if each.status == "pending"]
    if waiting:
        return waiting[0]
    if len(own) >= MAX_EXPORTS:
        raise RateLimited("There are five archives already; each goes after a week", headers={"Retry-After": "86400"})
    made = StorageExport(user_id=unit.principal.user_id)
    unit.store(made)
    defer(unit, EXPORT, made.id, user_id=unit.principal.user_id)
    return made


def own(unit: Unit) -> list[StorageExport]:
    """The archives of the principal, the newest first."""
    return list(unit.session.scalars(_of(unit.principal)))


def find(unit: Unit, identifier: UUID) -> StorageExport:
    """An archive of the principal; raises NotFound."""
    found: StorageExport | None = unit.session.scalar(_of(unit.principal).where(StorageExport.id == identifier))
    return require_found(found)


def make(export_id: UUID) -> None:
    """Make the archive that a user has asked for, as a job."""
    with reading() as session:
        export = session.get(StorageExport, export_id)
    if export is None or export.status != "pending":
        return
    try:
        with tempfile.TemporaryFile() as file:
            with ZipFile(file, "w", ZIP_DEFLATED) as archive:
                _write(archive, export.user_id)
            size = file.tell()
            key = kept_files.keep(file)
        try:
            run_unit(SYSTEM, _finish, export_id, key, size)
        except BaseException:
            object_store().remove(key)
            raise
    except Gone:
        _fail(export_id, ACCOUNT_GONE)


def give_up(export_id: UUID) -> None:
    """Say of an archive that it could not be made."""
    _fail(export_id, GIVEN_UP)


def _fail(export_id: UUID, reason: str) -> None:
    pending = update(StorageExport).where(StorageExport.id == export_id, StorageExport.status == "pending")
    run_unit(SYSTEM, Unit.bookkeep, pending.values(status="failed", error_message=reason))


def _found_again(session: Session, user_id: UUID | None) -> Principal:
    """The user as the database knows them by now; raises Gone."""
    return require_found(users.user_principal(session, user_id), Gone)


def _check(user_id: UUID | None) -> None:
    """Go on only for a user who may still act; raises Gone."""
    with reading() as session:
        _found_again(session, user_id)


def _write(archive: ZipFile, user_id: UUID) -> None:
    with reading() as session:
        owner, home = _found_again(session, user_id), personal_organization_of(session, user_id)
    alone = replace(owner.within({home: "owner"} if home else {}, home), is_admin=False).without_shares()
    for model in every_model():
        if model.policy.scope.is_nobodys:
            continue
        # Memberships say where somebody belongs, also where the organization does not belong to them.
        reader, wanted = (owner, {"user_id": owner.user_id}) if model is AuthMember else (alone, {})
        with archive.open(f"{model.domain}/{model.segment}.ndjson", "w") as lines:
            for record in _records(model, reader, wanted):
                lines.write(dumps(record) + b"\n")
    for upload in _uploads(alone):
        _check(user_id)
        with archive.open(f"files/{upload.id}/{upload.filename}", "w", force_zip64=True) as member:
            object_store().fetch(upload.storage_key, member)


def _records(model: type[Record], reader: Principal, wanted: dict[str, Any]) -> Iterator[dict[str, Any]]:
    whole = any(UNLISTED in field.spec.flags for field in model.fields().values())
    query = Query(where=equals(model, **wanted), take=BATCH_SIZE, cursor="", count=Count.NONE, is_plain=False)
    while True:
        _check(reader.user_id)
        page = pages.list_page(model, reader, query)
        yield from _wholly(model, reader, page.records) if whole else page.records
        if page.next is None:
            return
        query = replace(query, cursor=page.next)


def _wholly(model: type[Record], reader: Principal, listed: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The same records with what is too long for lists, one at a time."""
    for each in listed:
        with suppress(NotFound):  # removed meanwhile
            yield records.get(model, reader, UUID(str(each["id"])))


def _uploads(reader: Principal) -> Iterator[StorageUpload]:
    last = None
    while True:
        stored = (StorageUpload.user_id == reader.user_id, StorageUpload.status == "stored")
        wanted = select(StorageUpload).where(*stored, *([StorageUpload.id > last] if last else []))
        with reading() as session:
            found = list(session.scalars(wanted.order_by(StorageUpload.id).limit(BATCH_SIZE)))
        yield from found
        if len(found) < BATCH_SIZE:
            return
        last = found[-1].id


def _finish(unit: Unit, export_id: UUID, key: str, size: int) -> None:
    export = unit.session.get(StorageExport, export_id, with_for_update=True)
    if export is None or export.status != "pending":
        raise Gone
    _found_again(unit.session, export.user_id)
    export.status, export.storage_key, export.size = "ready", key, size
    user = unit.session.get_one(AuthUser, export.user_id)
    mails.send_account_mail(unit, user, "export-ready", PAGE, cause=export.id, until=export.expires_at)


def _of(principal: Principal) -> Any:
    own = (StorageExport.user_id == principal.user_id, StorageExport.expires_at > now())
    return select(StorageExport).where(*own).order_by(StorageExport.created_at.desc(), StorageExport.id.desc())
