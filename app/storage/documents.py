"""Documents made of uploaded files, whose text is read by a job."""

from __future__ import annotations

import tempfile
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app.auth.accounts.users import user_principal
from app.auth.credentials.presence import ACCOUNT_GONE
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.read.database import reading
from app.engine.write.hooks import require
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import ForeignKeyViolation, require_found
from app.foundation.events import Event
from app.foundation.settings import settings
from app.jobs import queue
from app.storage.extraction import Unreadable, extract, is_readable
from app.storage.models import StorageDocument, StorageUpload
from app.storage.object_store import object_store

READ_DOCUMENT = "read_document"
# What a job reads at once.
MAX_BYTES = 50 * 1024 * 1024
MAX_TITLE_LENGTH = 200

# A document got the text of its file, or it cannot be had, and why.
text_read: Event[[Unit, StorageDocument]] = Event()
text_refused: Event[[Unit, StorageDocument, str]] = Event()


def from_upload(unit: Unit, upload_id: UUID, given: dict[str, Any]) -> UUID:
    """Make a document of an upload that the caller sees; its text follows by a job of the same transaction.

    Raises ForeignKeyViolation, and Invalid for a file that no text can be read from.
    """
    principal = unit.principal
    visible = StorageUpload.policy.visible(StorageUpload, principal.reader)
    named = select(StorageUpload).where(StorageUpload.id == upload_id, visible)
    upload = require_found(unit.session.scalar(named, principal.binds), ForeignKeyViolation.on("uploadId"))
    require(may_hold_text(upload), "uploadId", "No text can be read from this file.")
    title = given.get("title") or upload.filename[:MAX_TITLE_LENGTH]
    document = StorageDocument(id=uuid7(), user_id=principal.user_id, title=title, upload_id=upload.id)
    document.kind = given.get("kind", "text")
    unit.store(document)
    queue.defer(unit, READ_DOCUMENT, document.id, user_id=document.user_id)
    return document.id


def read(document_id: UUID) -> None:
    """Fill a document with the text of its upload. What is gone meanwhile or was written by hand is left alone; nothing
    is read for an owner who may not act any more.

    The file is read outside of any transaction: that takes as long as its sender likes, within the limits.
    """
    upload, owner = _asked_for(document_id)
    if upload is None:
        return
    if owner is None:
        run_unit(SYSTEM, _keep_refusal, document_id, upload.id, ACCOUNT_GONE)
        return
    try:
        text = text_of(upload)
    except Unreadable as refusal:
        run_unit(SYSTEM, _keep_refusal, document_id, upload.id, str(refusal))
    else:
        run_unit(SYSTEM, _keep_text, document_id, upload.id, text)


def may_hold_text(upload: StorageUpload) -> bool:
    """Whether the text of a file is read, by its type and size."""
    return is_readable(upload.content_type) and upload.size <= MAX_BYTES


def text_of(upload: StorageUpload, seconds: int | None = None) -> str:
    """Return the text of a file, which takes so many seconds of a processor at most; raises Unreadable."""
    with tempfile.TemporaryFile() as file:
        object_store().fetch(upload.storage_key, file)
        file.seek(0)
        return extract(file, upload.content_type, settings, None, seconds)


def _asked_for(document_id: UUID) -> tuple[StorageUpload | None, Principal | None]:
    """The file that a document waits for, detached, and the owner of the document as the database knows them by now."""
    with reading() as session:
        document = session.get(StorageDocument, document_id)
        if document is None or document.upload_id is None or document.content:
            return None, None
        return session.get(StorageUpload, document.upload_id), user_principal(session, document.user_id)


def _keep_text(unit: Unit, document_id: UUID, upload_id: UUID, text: str) -> None:
    document = _waiting(unit.session, document_id, upload_id)
    if document is None:
        return
    if user_principal(unit.session, document.user_id) is None:
        text_refused.emit(unit, document, ACCOUNT_GONE)
    else:
        document.content = text
        document.version += 1
        text_read.emit(unit, document)


def _keep_refusal(unit: Unit, document_id: UUID, upload_id: UUID, reason: str) -> None:
    document = _waiting(unit.session, document_id, upload_id)
    if document is not None:
        text_refused.emit(unit, document, reason)


def _waiting(session: Session, document_id: UUID, upload_id: UUID) -> StorageDocument | None:
    """The document, locked, if it still waits for the text of this file."""
    document = session.get(StorageDocument, document_id, with_for_update=True)
    return document if document and document.upload_id == upload_id and not document.content else None
