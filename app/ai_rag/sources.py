"""Texts of entries that come from elsewhere: the job that reads an upload or a page of the web.

Nothing is locked, and no transaction is open, while that is read: it takes as long as its sender likes, within bounds.
"""

from __future__ import annotations

import tempfile
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.ai_rag import web_pages
from app.ai_rag.hooks import FULL, INDEX_DOCUMENT, MAX_ERROR, has_room, own_hash
from app.ai_rag.models import AiRagDocument, AiRagIndex
from app.ai_rag.web_pages import UNKNOWN, Validators
from app.auth.accounts.users import user_principal
from app.auth.credentials.presence import ACCOUNT_GONE
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.settings import settings
from app.jobs import queue
from app.storage.documents import may_hold_text, text_of
from app.storage.extraction import Unreadable, extract
from app.storage.models import StorageUpload

NO_UPLOAD = "The upload is gone, or may not be read any more"
NO_TEXT = "No text can be read from this file"


class Waiting(NamedTuple):
    """An entry that waits for its text: the address or the file that this is in, or why there will be none."""

    url: str | None = None
    upload: StorageUpload | None = None
    refusal: str | None = None


def read_source(document_id: UUID) -> None:
    """Fill an entry with the text of its source, and have it cut. What is gone, or has a text by now, is left alone.
    Raises Unavailable where a site asks to come again."""
    waiting = _waiting_for(document_id)
    if waiting is None:
        return
    try:
        text, known = _text(waiting)
    except Unreadable as refusal:
        run_unit(SYSTEM, _keep_refusal, document_id, str(refusal))
    else:
        run_unit(SYSTEM, _keep_text, document_id, waiting.url, text, known)


def _waiting_for(document_id: UUID) -> Waiting | None:
    with reading() as session:
        document = _waiting(session, document_id)
        if document is None:
            return None
        if document.source_type == "url":  # which anybody may read
            return Waiting(url=document.source_url)
        maker = user_principal(session, document.created_by_id) if document.created_by_id else None
        if maker is None:
            return Waiting(refusal=ACCOUNT_GONE)
        visible = StorageUpload.policy.visible(StorageUpload, maker.reader)
        named = select(StorageUpload).where(StorageUpload.id == document.upload_id, visible)
        upload = session.scalar(named, maker.binds)
        return Waiting(upload=upload) if upload else Waiting(refusal=NO_UPLOAD)


def _text(waiting: Waiting) -> tuple[str, Validators]:
    """The text of a source, and by what the page is known that it is of; raises Unreadable."""
    if waiting.refusal:
        raise Unreadable(waiting.refusal)
    if waiting.upload is not None:
        if not may_hold_text(waiting.upload):
            raise Unreadable(NO_TEXT)
        return text_of(waiting.upload), UNKNOWN
    return text_at(waiting.url or "") or ("", UNKNOWN)


def text_at(url: str, known: Validators = UNKNOWN) -> tuple[str, Validators] | None:
    """Return the text of a page, and by what it is known; nothing where it is still the one that is ``known``. Raises
    Gone and Unreadable, and Unavailable."""
    with tempfile.TemporaryFile() as file:
        page = web_pages.fetch(url, file, known)
        if page is None:
            return None
        file.seek(0)
        return extract(file, page.content_type, settings, page.charset), page.validators


def _keep_text(unit: Unit, document_id: UUID, url: str | None, text: str, known: Validators) -> None:
    index_id = unit.session.scalar(select(AiRagDocument.index_id).where(AiRagDocument.id == document_id))
    index = unit.session.get(AiRagIndex, index_id, with_for_update={"key_share": True}) if index_id else None
    document = _waiting(unit.session, document_id, lock=True)
    if index is None or document is None or url not in (None, document.source_url):
        return  # deleted meanwhile, or a text or another address came, which has a job of its own
    if url is not None:
        document.fetched_at, (document.entity_tag, document.last_modified) = now(), known
    if not has_room(unit.session, index, document, text):
        document.status, document.error_message = "failed", FULL
        return
    document.content, document.error_message = text, None
    document.content_hash = own_hash(unit.session, document)
    unit.session.flush()
    queue.defer(unit, INDEX_DOCUMENT, document.id, user_id=document.created_by_id)


def _keep_refusal(unit: Unit, document_id: UUID, reason: str) -> None:
    document = _waiting(unit.session, document_id, lock=True)
    if document is not None:
        document.status, document.error_message = "failed", reason[:MAX_ERROR]


def _waiting(session: Session, document_id: UUID, *, lock: bool = False) -> AiRagDocument | None:
    """The entry, if it still waits for the text of its source."""
    document = session.get(AiRagDocument, document_id, with_for_update=lock or None)
    return document if document and document.status == "pending" and document.content is None else None
