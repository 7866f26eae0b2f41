"""Documents made of uploaded files, whose text is read by a job; and how documents enter the knowledge base of their
owner."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app import queue
from app.database import retried, transaction
from app.effects.ai_rag import OWN_DOCUMENTS, content_hash, drop_chunks, uncount
from app.errors import ForeignKeyViolation, Invalid
from app.extraction import is_readable, text_of
from app.models.ai_rag import AiRagDocument, AiRagIndex
from app.models.storage import StorageDocument, StorageUpload
from app.object_store import object_store
from app.organizations import home_of
from app.principal import Principal

# What a job reads at once.
LARGEST = 50 * 1024 * 1024
LONGEST_TITLE = 200


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
        queue.defer(session, queue.READ, document.id)
        return document.id


@retried
def read(document_id: UUID) -> None:
    """Fill a document with the text of its upload, and let its owner's knowledge base have it. What is gone meanwhile
    or was written by hand is left alone.

    Raises Unreadable.
    """
    with transaction() as session:
        document = session.get(StorageDocument, document_id, with_for_update=True)
        upload = session.get(StorageUpload, document.upload_id) if document and document.upload_id else None
        if document is None or upload is None or document.content:
            return
        document.content = text_of(object_store().read(upload.storage_key), upload.content_type)
        document.version += 1
        _enter(session, document)


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
    inside = (AiRagDocument.index_id == index.id, AiRagDocument.storage_document_id == document.id)
    entry = session.scalar(select(AiRagDocument).where(*inside))
    if not (document.content or "").strip():
        if entry is not None:
            uncount(entry, index)
            session.delete(entry)
        return
    if entry is None:
        entry = AiRagDocument(
            id=uuid7(), index_id=index.id, created_by_id=document.user_id, source_type="document",
            storage_document_id=document.id, title=document.title,
        )  # fmt: skip
        session.add(entry)
        session.flush()
        index.document_count += 1
    entry.title = document.title
    if entry.content != document.content:
        entry.content, entry.status = document.content, "pending"
        entry.content_hash = _own_hash(session, entry, index)
        drop_chunks(session, entry, index)
        session.flush()
        queue.defer(session, queue.INDEX, entry.id)


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
