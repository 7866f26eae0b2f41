"""Stored documents in the knowledge base of their owner: they enter by a job, and leave when they are deleted.

A file whose text cannot be read leaves a failed entry that says why. Entries of other knowledge bases that were made of
a document, and have its text, follow it as long as their makers see it and may write there.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import Select, and_, exists, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased
from uuid_utils.compat import uuid7

from app.ai_rag.hooks import MAX_ERROR, content_hash, replace_text, uncount
from app.ai_rag.models import AiRagDocument, AiRagIndex
from app.auth.accounts.users import user_principal
from app.auth.credentials.presence import ACCOUNT_GONE
from app.auth.models.organizations import AuthOrganization
from app.auth.organizations.organizations import personal_organization_of
from app.engine.write.hooks import Write, on_create, on_delete, on_update
from app.engine.write.unit_of_work import Unit
from app.jobs import queue
from app.storage.documents import text_read, text_refused
from app.storage.models import StorageDocument

ENTER_DOCUMENT = "enter_document"
# The knowledge base of a personal organization that stored documents enter by themselves.
OWN_DOCUMENTS = "Documents"
# Entries of others that follow one document.
MOST_FOLLOWING = 1000


@on_delete(StorageDocument, callers_only=True)
def remove_document(document: StorageDocument, write: Write) -> None:
    """Remove what entered the owner's knowledge base by itself."""
    session, index = write.unit.session, aliased(AiRagIndex)
    home = (index.organization_id == personal_organization_of(session, document.user_id), index.name == OWN_DOCUMENTS)
    entries = select(AiRagDocument).join(index, index.id == AiRagDocument.index_id).where(*home)
    for entry in session.scalars(entries.where(AiRagDocument.storage_document_id == document.id)).all():
        known = session.get_one(AiRagIndex, entry.index_id, with_for_update={"key_share": True})
        # A job may have counted its passages while this waited for the lock.
        current = session.get(AiRagDocument, entry.id, with_for_update=True, populate_existing=True)
        if current is not None:
            uncount(current, known)
            session.delete(current)


def remove_left(unit: Unit) -> None:
    """Remove, by the clock, what entered by itself and whose document is gone: whoever removed that was served without
    knowledge bases."""
    left = (AiRagDocument.source_type == "document", AiRagDocument.storage_document_id.is_(None))
    of_home = (AiRagIndex.name == OWN_DOCUMENTS, AuthOrganization.is_personal)
    found = select(AiRagIndex, AiRagDocument.id).join(AiRagDocument, AiRagDocument.index_id == AiRagIndex.id)
    found = found.join(AuthOrganization, AuthOrganization.id == AiRagIndex.organization_id).where(*left, *of_home)
    rows = found.order_by(AiRagIndex.id, AiRagDocument.id).limit(MOST_FOLLOWING)
    for index, identifier in unit.session.execute(rows.with_for_update(of=AiRagIndex, key_share=True)).all():
        entry = unit.session.get(AiRagDocument, identifier, with_for_update=True, populate_existing=True)
        if entry is not None:
            uncount(entry, index)
            unit.session.delete(entry)


@on_create(StorageDocument, callers_only=True)
def enter_new(document: StorageDocument, write: Write) -> None:
    if document.content:
        queue.defer(write.unit, ENTER_DOCUMENT, document.id, user_id=document.user_id)


@on_update(StorageDocument, callers_only=True)
def enter_changed(document: StorageDocument, write: Write) -> None:
    if write.changed("title", "content"):
        was = content_hash(write.before["content"]) if write.changed("content") else None
        queue.defer(write.unit, ENTER_DOCUMENT, document.id, user_id=document.user_id, was=was)


@text_refused.subscribe
def keep_refusal(unit: Unit, document: StorageDocument, reason: str) -> None:
    """Leave a failed entry that says why there is no text."""
    index = _knowledge_of(unit, document.user_id)
    if index is not None:
        entry = _entry(unit, document, index)
        entry.status, entry.error_message = "failed", reason[:MAX_ERROR]


def enter(unit: Unit, document_id: UUID, was: str | None = None) -> None:
    """Let the knowledge base of its owner have a document as it is now; a failed entry, where the owner may not act any
    more. Entries of others with the text that it ``was`` get it, too."""
    document = unit.session.get(StorageDocument, document_id, with_for_update={"key_share": True})
    if document is None:
        return
    if user_principal(unit.session, document.user_id) is None:
        keep_refusal(unit, document, ACCOUNT_GONE)
    else:
        _enter(unit, document)
        if was is not None:
            _follow(unit, document, was)


def _follow(unit: Unit, document: StorageDocument, was: str) -> None:
    """Give the entries of others that have an earlier text of a document the one of now."""
    home = personal_organization_of(unit.session, document.user_id)
    others = or_(AiRagIndex.organization_id != home, AiRagIndex.name != OWN_DOCUMENTS)
    made = (AiRagDocument.storage_document_id == document.id, AiRagDocument.source_type == "document")
    found = select(AiRagIndex, AiRagDocument.id).join(AiRagDocument, AiRagDocument.index_id == AiRagIndex.id)
    digest = func.encode(func.sha256(func.convert_to(AiRagDocument.content, "UTF8")), "hex")
    stale = (others, *made, digest == was, AiRagDocument.content != document.content)
    rows = found.where(*stale).order_by(AiRagIndex.id, AiRagDocument.id).limit(MOST_FOLLOWING)
    for index, identifier in unit.session.execute(rows.with_for_update(of=AiRagIndex, key_share=True)).all():
        entry = unit.session.get(AiRagDocument, identifier, with_for_update=True, populate_existing=True)
        if entry is not None and document.content and _may_carry(unit, entry, document):
            replace_text(unit, entry, index, document.content)


def _may_carry(unit: Unit, entry: AiRagDocument, document: StorageDocument) -> bool:
    """Whether the maker of an entry sees a document by now, and may change the entry."""
    maker = user_principal(unit.session, entry.created_by_id)
    if maker is None:
        return False
    visible = StorageDocument.policy.visible(StorageDocument, maker.reader)
    writable = AiRagDocument.policy.writable(AiRagDocument, maker.reader, "update")
    seen = exists().where(StorageDocument.id == document.id, visible)
    own = exists().where(AiRagDocument.id == entry.id, writable)
    return bool(unit.session.scalar(select(and_(seen, own)), maker.binds))


@text_read.subscribe
def _enter(unit: Unit, document: StorageDocument) -> None:
    index = _knowledge_of(unit, document.user_id)
    if index is None:
        return
    if not (document.content or "").strip():
        _leave(unit, document, index)
        return
    entry = _entry(unit, document, index)
    entry.title = document.title
    if entry.content != document.content:
        replace_text(unit, entry, index, document.content or "")


def _entry(unit: Unit, document: StorageDocument, index: AiRagIndex) -> AiRagDocument:
    """The entry of a document in the knowledge base; made where there is none."""
    entry = unit.session.scalar(_entries(document, index))
    if entry is None:
        entry = AiRagDocument(
            id=uuid7(), index_id=index.id, created_by_id=document.user_id, source_type="document",
            storage_document_id=document.id, title=document.title,
        )  # fmt: skip
        unit.session.add(entry)
        unit.session.flush()
        index.document_count += 1
    return entry


def _leave(unit: Unit, document: StorageDocument, index: AiRagIndex) -> None:
    """Take a document without text out of the knowledge base."""
    entry = unit.session.scalar(_entries(document, index))
    if entry is not None:
        uncount(entry, index)
        unit.session.delete(entry)


def _entries(document: StorageDocument, index: AiRagIndex) -> Select[Any]:
    return select(AiRagDocument).where(
        AiRagDocument.index_id == index.id, AiRagDocument.storage_document_id == document.id
    )


def _knowledge_of(unit: Unit, user_id: UUID) -> AiRagIndex | None:
    """The knowledge base in the personal organization of a user, locked; made at the first need."""
    home = personal_organization_of(unit.session, user_id)
    if home is None:
        return None
    values = {"id": uuid7(), "organization_id": home, "name": OWN_DOCUMENTS, "created_by_id": user_id}
    # The first two documents may enter at the same time.
    unit.bookkeep(insert(AiRagIndex).values(values).on_conflict_do_nothing())
    named = (AiRagIndex.organization_id == home, AiRagIndex.name == OWN_DOCUMENTS)
    return unit.session.scalar(select(AiRagIndex).where(*named).with_for_update())
