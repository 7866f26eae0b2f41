"""Pages of the web that entries ask for anew: by the clock, and only what has changed since.

What a page answers otherwise changes nothing: the text that was read last is kept. One that is not there twice in a row
is marked (``goneAt``), and asked for again all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select

from app.ai_rag.chunking import Chunk
from app.ai_rag.embedding import NOT_REFRESHED, WITHOUT_TEXT
from app.ai_rag.hooks import MAX_ERROR, plan_refresh, replace_text
from app.ai_rag.indexing import chunks_of, refusal
from app.ai_rag.models import AiRagDocument, AiRagIndex
from app.ai_rag.sources import text_at
from app.ai_rag.web_pages import UNKNOWN, Gone, Validators
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Unavailable
from app.jobs import queue
from app.storage.extraction import Unreadable

REFRESH_PAGE = "refresh_page"
# Entries that a turn of the clock has asked for.
MOST_DUE = 500
# How long a job that was asked for may wait, until another is.
PATIENCE = timedelta(hours=6)
# Answers in a row that a page is not there, by which it counts as gone.
IS_GONE = 2


class Known(NamedTuple):
    """The page that an entry has the text of, and how that is cut."""

    url: str
    validators: Validators
    size: int
    overlap: int


def ask_for_due(unit: Unit) -> None:
    """Have pages fetched that are due, those first that have waited longest."""
    due = select(AiRagDocument).where(AiRagDocument.next_fetch_at <= now()).order_by(AiRagDocument.next_fetch_at)
    due = due.options(*WITHOUT_TEXT).limit(MOST_DUE).with_for_update(skip_locked=True)
    for document in unit.session.scalars(due).all():
        document.next_fetch_at = now() + PATIENCE
        # Apart from the other jobs of its maker, of whom so many may wait and no more.
        queue.defer(unit, REFRESH_PAGE, document.id, one_of=document.created_by_id or document.index_id)


def refresh_page(document_id: UUID) -> None:
    """Fetch the page of an entry, and give this its text where it has changed. Nothing is locked meanwhile."""
    known = _known(document_id)
    if known is None:
        return
    try:
        found = text_at(known.url, known.validators)
    except (Unreadable, Unavailable) as refusal:
        run_unit(SYSTEM, _keep_refusal, document_id, known.url, str(refusal), is_gone=isinstance(refusal, Gone))
        return
    text, validators = found or (None, UNKNOWN)
    chunks = chunks_of(text, known.size, known.overlap) if text else []
    run_unit(SYSTEM, _keep, document_id, known.url, text, validators, chunks)


def _known(document_id: UUID) -> Known | None:
    with reading() as session:
        document = session.get(AiRagDocument, document_id)
        if document is None or document.refresh_seconds is None or document.source_url is None:
            return None
        index = session.get_one(AiRagIndex, document.index_id)
        has_text = document.content is not None and document.status == "indexed"
        tags = (document.entity_tag, document.last_modified) if has_text else (None, None)
        return Known(document.source_url, Validators(*tags), index.chunk_size, index.chunk_overlap)


def _keep(
    unit: Unit, document_id: UUID, url: str, text: str | None, validators: Validators, chunks: Sequence[Chunk]
) -> None:
    """Keep what has come of a page: another text, or with none that it is the one that is known."""
    document, index = _locked(unit, document_id, url)
    if document is None or index is None:
        return
    plan_refresh(document)
    document.fetched_at, document.missed, document.gone_at = now(), 0, None
    if text is not None and (refused := refusal(unit.session, document, index, text, chunks)):
        _tell(document, refused)
        return
    if text is not None:
        document.entity_tag, document.last_modified = validators
    if (document.error_message or "").startswith(NOT_REFRESHED):
        document.error_message = None
    if text is not None and (text != document.content or document.status != "indexed"):
        document.error_message = None
        replace_text(unit, document, index, text)


def _keep_refusal(unit: Unit, document_id: UUID, url: str, reason: str, *, is_gone: bool) -> None:
    document, _ = _locked(unit, document_id, url)
    if document is None:
        return
    plan_refresh(document)
    _tell(document, reason)
    document.missed = document.missed + 1 if is_gone else 0
    if document.missed == IS_GONE:
        document.gone_at = now()


def _tell(document: AiRagDocument, reason: str) -> None:
    """Say at an entry why its page was not read, unless it says already what else is wrong."""
    if document.error_message is None or document.error_message.startswith(NOT_REFRESHED):
        document.error_message = f"{NOT_REFRESHED}{reason}"[:MAX_ERROR]


def _locked(unit: Unit, document_id: UUID, url: str) -> tuple[AiRagDocument | None, AiRagIndex | None]:
    """The entry with its knowledge base, unless it has another address or a text of its own, or waits for one, by
    now."""
    index_id = unit.session.scalar(select(AiRagDocument.index_id).where(AiRagDocument.id == document_id))
    index = unit.session.get(AiRagIndex, index_id, with_for_update={"key_share": True}) if index_id else None
    document = unit.session.get(AiRagDocument, document_id, with_for_update=True)
    is_current = (
        document is not None
        and document.source_url == url
        and document.refresh_seconds is not None
        and document.status in ("indexed", "failed")
    )
    return (document if is_current else None), index
