"""The embedding job: it makes vectors of the chunks of an entry that have none, a batch at a time.

Each batch is stored before the next one is asked for, so that after an interruption nothing is asked for twice but the
one whose answer was lost. Nothing is locked, and no transaction is open, while an embedder works.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Select, exists, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app.ai_rag.embedders import Embedder, NotEmbedded, TooMuch, embedder_for
from app.ai_rag.hooks import MAX_ERROR
from app.ai_rag.models import AiRagChunk, AiRagDocument, AiRagEmbedding, AiRagIndex
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit

# Texts, and characters, that are sent at once; seconds for their vectors.
MAX_TEXTS, MAX_CHARACTERS, SECONDS = 64, 200_000, 60.0
OTHER_DIMENSIONS = "The embedder makes vectors of {} numbers, those of the knowledge base have {}"


class Target(NamedTuple):
    """The model, and its provider, whose vectors chunks are to have."""

    model: str
    provider_id: UUID | None


class Batch(NamedTuple):
    """Chunks without a vector of a target, and what makes these. They are ``next_to`` those that answer where that is
    of another model."""

    target: Target
    embedder: Embedder
    chunks: list[tuple[UUID, str]]
    next_to: bool


def embed_document(document_id: UUID) -> None:
    """Make the vectors of an entry that are missing. What is gone, or of no embedder here, is left alone; what an
    embedder refuses is told at the entry, which is found by words all the same. Raises Unavailable."""
    try:
        fill(document_id)
    except NotEmbedded as refusal:
        run_unit(SYSTEM, _keep_refusal, document_id, str(refusal))


def fill(document_id: UUID, target: Target | None = None) -> None:
    """Make the missing vectors of an entry, those of another model where that is the ``target``. Raises Unavailable and
    NotEmbedded."""
    while (batch := _next_batch(document_id, target)) is not None:
        texts = [content for _, content in batch.chunks]
        run_unit(SYSTEM, _keep, document_id, batch, _embedded(batch.embedder, texts))


def _next_batch(document_id: UUID, target: Target | None) -> Batch | None:
    with reading() as session:
        document = session.get(AiRagDocument, document_id)
        index = session.get(AiRagIndex, document.index_id) if document is not None else None
        if index is None or (target is None and index.embedding_model is None):
            return None
        wanted = target or Target(index.embedding_model or "", index.provider_id)
        embedder = embedder_for(session, *wanted)
        if embedder is None:
            return None
        chunks: list[tuple[UUID, str]] = []
        size = 0
        for identifier, content in session.execute(_without_vector(document_id, wanted.model)):
            size += len(content)
            if chunks and size > MAX_CHARACTERS:
                break
            chunks.append((identifier, content))
        return Batch(wanted, embedder, chunks, target is not None) if chunks else None


def _without_vector(document_id: UUID, model: str) -> Select[UUID, str]:
    made = exists().where(AiRagEmbedding.chunk_id == AiRagChunk.id, AiRagEmbedding.model == model)
    wanted = select(AiRagChunk.id, AiRagChunk.content).where(AiRagChunk.document_id == document_id, ~made)
    return wanted.order_by(AiRagChunk.position).limit(MAX_TEXTS)


def _embedded(embedder: Embedder, texts: Sequence[str]) -> list[list[float]]:
    """The vectors of texts, in halves where they are too much at once."""
    try:
        return embedder.embed(texts, SECONDS)
    except TooMuch:
        if len(texts) == 1:
            raise
        middle = len(texts) // 2
        return _embedded(embedder, texts[:middle]) + _embedded(embedder, texts[middle:])


def _keep(unit: Unit, document_id: UUID, batch: Batch, vectors: Sequence[Sequence[float]]) -> None:
    """Store the vectors of those chunks that are still what was sent; raises NotEmbedded."""
    index_id = unit.session.scalar(select(AiRagDocument.index_id).where(AiRagDocument.id == document_id))
    index = unit.session.get(AiRagIndex, index_id, with_for_update={"key_share": True}) if index_id else None
    document = unit.session.get(AiRagDocument, document_id, with_for_update=True)
    if index is None or document is None:
        return
    model, dimensions = batch.target.model, len(vectors[0])
    answers = index.embedding_model == model
    if not (answers or batch.next_to):
        return  # another model was chosen meanwhile, and makes all of them
    if answers:
        if index.dimensions not in (None, dimensions):
            raise NotEmbedded(OTHER_DIMENSIONS.format(dimensions, index.dimensions))
        index.dimensions = dimensions
    current = _contents(unit.session, document_id, [identifier for identifier, _ in batch.chunks])
    rows = [
        {
            "id": uuid7(), "chunk_id": identifier, "index_id": index.id, "model": model, "dimensions": dimensions,
            "vector": vector,
        }
        for (identifier, content), vector in zip(batch.chunks, vectors, strict=True)
        if current.get(identifier) == content
    ]  # fmt: skip
    if rows:
        made = insert(AiRagEmbedding).on_conflict_do_nothing().values(rows).returning(AiRagEmbedding.id)
        stored = len(unit.bookkeep_returning(made).all())
        document.embedded_count += stored if answers else 0
        index.embedded_count += stored if answers else 0
    document.error_message = None


def _contents(session: Session, document_id: UUID, chunks: Sequence[UUID]) -> dict[UUID, str]:
    """Chunks of a document as they are, which nobody removes or rewrites until the end of the unit."""
    wanted = select(AiRagChunk.id, AiRagChunk.content).where(
        AiRagChunk.id.in_(chunks), AiRagChunk.document_id == document_id
    )
    return dict(session.execute(wanted.with_for_update(key_share=True)).all())


def _keep_refusal(unit: Unit, document_id: UUID, reason: str) -> None:
    document = unit.session.get(AiRagDocument, document_id, with_for_update=True)
    if document is not None:
        document.error_message = f"Found by words alone: {reason}"[:MAX_ERROR]
