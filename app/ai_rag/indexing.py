"""The indexing job: it cuts the text of a knowledge-base document into chunks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import exists, insert, select
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app.ai_rag import chunking, kept_vectors, languages, vectors
from app.ai_rag.hooks import FULL, stored_chunks, stored_text, token_count
from app.ai_rag.models import AiRagChunk, AiRagDocument, AiRagIndex
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.settings import settings
from app.runtime.connections import allow_time

NO_TEXT = "There is no text to index"
TOO_MANY = "The text makes more than {} chunks: choose a larger chunkSize"
BATCH_SIZE = 500


class Source(NamedTuple):
    """A text that waits to be cut, and how; and by which rules its words are found."""

    content: str
    size: int
    overlap: int
    language: str | None
    configuration: str


def index_document(document_id: UUID) -> None:
    """Cut the text of an entry that waits. Chunks that a client has written stay as they are; an entry that is gone, or
    does not wait, is left alone. Nothing is locked while the text is cut."""
    source = _source(document_id)
    if source is not None:
        chunks = chunks_of(source.content, source.size, source.overlap)
        run_unit(SYSTEM, _keep, document_id, source, chunks)


def chunks_of(content: str, size: int, overlap: int) -> list[chunking.Chunk]:
    """Cut a text; of more chunks than it may have, one more is told."""
    return list(islice(chunking.cut(content, size, overlap), settings.rag_max_chunks + 1))


def _source(document_id: UUID) -> Source | None:
    with reading() as session:
        document = session.get(AiRagDocument, document_id)
        if document is None or document.status != "pending":
            return None
        index = session.get(AiRagIndex, document.index_id)
        if index is None:
            return None
        configuration = languages.configuration_of(session, document.language, document.content)
        return Source(document.content or "", index.chunk_size, index.chunk_overlap, document.language, configuration)


def _keep(unit: Unit, document_id: UUID, source: Source, chunks: Sequence[chunking.Chunk]) -> None:
    allow_time(unit.session)
    index_id = unit.session.scalar(select(AiRagDocument.index_id).where(AiRagDocument.id == document_id))
    index = unit.session.get(AiRagIndex, index_id, with_for_update={"key_share": True}) if index_id else None
    document = unit.session.get(AiRagDocument, document_id, with_for_update=True)
    if index is None or document is None:
        return  # deleted meanwhile
    if document.status != "pending" or (document.content or "") != source.content:
        return  # a text that came meanwhile has a job of its own
    refused = refusal(unit.session, document, index, source.content, chunks)
    if refused:
        document.status, document.error_message = "failed", refused
        return
    languages.use_configuration(unit, document, source.language, source.configuration)
    if not unit.session.scalar(select(exists().where(AiRagChunk.document_id == document.id))):
        _add_chunks(unit, document, index, chunks)
    kept_vectors.take_over(unit, document, index)
    document.status, document.error_message, document.indexed_at = "indexed", None, now()
    index.last_built_at = now()
    if index.status != "building":  # for another model
        index.status = "ready"
    vectors.ask_for(unit, document, index)


def refusal(
    session: Session, document: AiRagDocument, index: AiRagIndex, content: str, chunks: Sequence[chunking.Chunk]
) -> str:
    """Why a document does not get a text with these chunks; empty where it does."""
    if not content:
        return NO_TEXT
    if len(chunks) > settings.rag_max_chunks:
        return TOO_MANY.format(settings.rag_max_chunks)
    organization = index.organization_id
    others = (stored_text(organization, without=document.id), stored_chunks(organization, without=document.id))
    size = len(content.encode()) + sum(len(chunk.content.encode()) for chunk in chunks)
    stored = sum(session.scalar(each) or 0 for each in others)
    return FULL if stored + size > settings.rag_max_bytes else ""


def _add_chunks(unit: Unit, document: AiRagDocument, index: AiRagIndex, chunks: Sequence[chunking.Chunk]) -> None:
    rows: list[dict[str, Any]] = [
        {
            "id": uuid7(), "document_id": document.id, "position": position, "content": chunk.content,
            "start_offset": chunk.start, "end_offset": chunk.end, "heading": chunk.heading, "page": chunk.page,
             "token_count": token_count(chunk.content),
        }
        for position, chunk in enumerate(chunks)
    ]  # fmt: skip
    for start in range(0, len(rows), BATCH_SIZE):
        unit.bookkeep(insert(AiRagChunk), rows[start : start + BATCH_SIZE])
    document.chunk_count += len(rows)
    index.chunk_count += len(rows)
