"""Previews: how a knowledge base would cut a text, an upload or a document, of which nothing is stored."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TypeVar
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.ai_rag.chunking import Chunk, cut
from app.ai_rag.models import AiRagIndex
from app.ai_rag.sources import NO_TEXT
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read.concurrency import query_slot
from app.engine.read.database import reading
from app.engine.write.hooks import require
from app.foundation.errors import ForeignKeyViolation, Invalid, require_found
from app.foundation.settings import settings
from app.storage.documents import may_hold_text, text_of
from app.storage.extraction import Unreadable
from app.storage.models import StorageDocument, StorageUpload

T = TypeVar("T", bound=Record)

# Seconds of a processor for a file, as its sender waits for it.
PATIENCE = 5


@dataclass(frozen=True)
class Previewed:
    """What is to be cut: one of these."""

    content: str | None = None
    upload_id: UUID | None = None
    storage_document_id: UUID | None = None


def preview(principal: Principal, index_id: UUID, given: Previewed) -> list[Chunk]:
    """Return how a knowledge base would cut a text, as many chunks as a document may have. Raises NotFound where the
    caller does not see it, ForeignKeyViolation for a file or document that the caller does not see, and Invalid for
    what no text can be read from."""
    with reading() as session:
        visible = AiRagIndex.policy.visible(AiRagIndex, principal.reader)
        found = select(AiRagIndex.chunk_size, AiRagIndex.chunk_overlap).where(AiRagIndex.id == index_id, visible)
        size, overlap = require_found(session.execute(found, principal.binds).one_or_none())
        upload = _seen(session, principal, StorageUpload, given.upload_id, "uploadId")
        document = _seen(session, principal, StorageDocument, given.storage_document_id, "storageDocumentId")
    with query_slot(principal):
        text = document.content if document else _read(upload) if upload else given.content
        return list(islice(cut(text or "", size, overlap), settings.rag_max_chunks))


def _seen(session: Session, principal: Principal, model: type[T], identifier: UUID | None, name: str) -> T | None:
    """The row that is named, if one is, for whoever reads it whole."""
    if identifier is None:
        return None
    require(principal.reader.admits_wholly(model, "read"), name, f"Needs a grant that reads whole {model.segment}s.")
    named = select(model).where(model.id == identifier, model.policy.visible(model, principal.reader))
    return require_found(session.scalar(named, principal.binds), ForeignKeyViolation.on(name))


def _read(upload: StorageUpload) -> str:
    require(may_hold_text(upload), "uploadId", f"{NO_TEXT}.")
    try:
        return text_of(upload, min(settings.extraction_seconds, PATIENCE))
    except Unreadable as refusal:
        raise Invalid({"uploadId": [f"{refusal}."]}) from None
