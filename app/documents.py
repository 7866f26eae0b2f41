"""Documents made of uploaded files, whose text is read by a job; and how documents enter the knowledge base of their
owner."""

from __future__ import annotations

import tempfile
from typing import Any
from uuid import UUID

from flask import current_app
from sqlalchemy import Select, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app import queue
from app.database import retried, transaction
from app.effects.ai_rag import OWN_DOCUMENTS, content_hash, drop_chunks, uncount
from app.errors import ForeignKeyViolation, Invalid
from app.extraction import Unreadable, extract, is_readable
from app.models.ai_rag import AiRagDocument, AiRagIndex
from app.models.storage import StorageDocument, StorageUpload
from app.object_store import object_store
from app.organizations import home_of
from app.principal import Principal

# What a job reads at once.
LARGEST = 50 * 1024 * 1024
LONGEST_TITLE = 200
MAX_ERROR = AiRagDocument.fields()["error_message"].wire.constraints["maxLength"]


@retried
def from_upload(principal: Principal, upload_id: UUID, given: dict[str, Any]) -> UUID:
    """Make a document of an upload that the caller sees; its text follows by a job of the same transaction.

    Raises ForeignKeyViolation, and Invalid for a file that no text can be read from.
    """
    with transaction() as session:
        visible = StorageUpload.policy.visible(StorageUpload, principal.reader)
        upload = session.scalar(select(StorageUpload).where(StorageUpload.id == upload_id, visible), principal.binds)
        if upload is None:
            raise ForeignKeyViolation.on("uploadId")
        if not is_readable(upload.content_type) or upload.size > LARGEST:
            raise Invalid({"uploadId": ["No text can be read from this file."]})
        title = given.get("title") or upload.filename[:LONGEST_TITLE]
        document = StorageDocument(id=uuid7(), user_id=principal.user_id, title=title, upload_id=upload.id)
        document.kind = given.get("kind", "text")
        session.add(document)
        session.flush()
        queue.defer(session, queue.READ, document.id, user_id=document.user_id)
        return document.id


def read(document_id: UUID) -> None:
    """Fill a document with the text of its upload, and let its owner's knowledge base have it. What is gone meanwhile
    or was written by hand is left alone. A file whose text cannot be had leaves a failed entry in the knowledge base,
    which says why.

    The file is read outside of any transaction: that takes as long as its sender likes, within the limits.
    """
    upload = _upload_of(document_id)
    if upload is None:
        return
    with tempfile.TemporaryFile() as file:
        object_store().fetch(upload.storage_key, file)
        file.seek(0)
        try:
            text = extract(file, upload.content_type, current_app.config["SETTINGS"])
        except Unreadable as refusal:
            _keep_refusal(document_id, upload.id, str(refusal))
        else:
            _keep_text(document_id, upload.id, text)


def _upload_of(document_id: UUID) -> StorageUpload | None:
    """The file that a document waits for, detached."""
    with transaction() as session:
        document = session.get(StorageDocument, document_id)
        waits = document is not None and document.upload_id is not None and not document.content
        upload = session.get(StorageUpload, document.upload_id) if document and waits else None
        session.expunge_all()
    return upload


@retried
def _keep_text(document_id: UUID, upload_id: UUID, text: str) -> None:
    with transaction() as session:
        document = _waiting(session, document_id, upload_id)
        if document is not None:
            document.content = text
            document.version += 1
            _enter(session, document)


@retried
def _keep_refusal(document_id: UUID, upload_id: UUID, reason: str) -> None:
    with transaction() as session:
        document = _waiting(session, document_id, upload_id)
        index = _knowledge_of(session, document.user_id) if document else None
        if document is not None and index is not None:
            entry = _entry(session, document, index)
            entry.status, entry.error_message = "failed", reason[:MAX_ERROR]


def _waiting(session: Session, document_id: UUID, upload_id: UUID) -> StorageDocument | None:
    """The document, locked, if it still waits for the text of this file."""
    document = session.get(StorageDocument, document_id, with_for_update=True)
    return document if document and document.upload_id == upload_id and not document.content else None


@retried
def enter(document_id: UUID) -> None:
    """Let the knowledge base of its owner have a document as it is now."""
    with transaction() as session:
        document = session.get(StorageDocument, document_id, with_for_update={"key_share": True})
        if document is not None:
            _enter(session, document)


def _enter(session: Session, document: StorageDocument) -> None:
    index = _knowledge_of(session, document.user_id)
    if index is None:
        return
    if not (document.content or "").strip():
        _leave(session, document, index)
        return
    entry = _entry(session, document, index)
    entry.title = document.title
    if entry.content != document.content:
        entry.content, entry.status = document.content, "pending"
        entry.content_hash = _own_hash(session, entry, index)
        drop_chunks(session, entry, index)
        session.flush()
        queue.defer(session, queue.INDEX, entry.id, user_id=document.user_id)


def _entry(session: Session, document: StorageDocument, index: AiRagIndex) -> AiRagDocument:
    """The entry of a document in the knowledge base; made where there is none."""
    entry = session.scalar(_entries(document, index))
    if entry is None:
        entry = AiRagDocument(
            id=uuid7(), index_id=index.id, created_by_id=document.user_id, source_type="document",
            storage_document_id=document.id, title=document.title,
        )  # fmt: skip
        session.add(entry)
        session.flush()
        index.document_count += 1
    return entry


def _leave(session: Session, document: StorageDocument, index: AiRagIndex) -> None:
    """Take a document without text out of the knowledge base."""
    entry = session.scalar(_entries(document, index))
    if entry is not None:
        uncount(entry, index)
        session.delete(entry)


def _entries(document: StorageDocument, index: AiRagIndex) -> Select[Any]:
    return select(AiRagDocument).where(
        AiRagDocument.index_id == index.id, AiRagDocument.storage_document_id == document.id
    )


def _own_hash(session: Session, entry: AiRagDocument, index: AiRagIndex) -> str | None:
    """What tells the entry's text from those of others in the knowledge base; nothing where another has the same."""
    digest = content_hash(entry.content)
    same = (AiRagDocument.index_id == index.id, AiRagDocument.content_hash == digest, AiRagDocument.id != entry.id)
    with session.no_autoflush:
        return None if session.scalar(select(AiRagDocument.id).where(*same)) else digest


def _knowledge_of(session: Session, user_id: UUID) -> AiRagIndex | None:
    """The knowledge base in the personal organization of a user, locked; made at the first need."""
    home = home_of(session, user_id)
    if home is None:
        return None
    values = {"id": uuid7(), "organization_id": home, "name": OWN_DOCUMENTS, "created_by_id": user_id}
    # The first two documents may enter at the same time.
    session.execute(insert(AiRagIndex).values(values).on_conflict_do_nothing())
    named = (AiRagIndex.organization_id == home, AiRagIndex.name == OWN_DOCUMENTS)
    return session.scalar(select(AiRagIndex).where(*named).with_for_update())
