"""Vectors of chunks: the model of a knowledge base, the jobs that make what is missing, and how many there are."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import delete, func, select

from app.ai_rag import embedders, local_embedder
from app.ai_rag.models import AiRagChunk, AiRagDocument, AiRagEmbedding, AiRagIndex
from app.engine.declare.record import by_table
from app.engine.write.hooks import Write, on_create, on_delete, on_update, require
from app.engine.write.unit_of_work import Unit
from app.jobs import queue

EMBED_DOCUMENT = "embed_document"


@on_create(AiRagIndex, callers_only=True)
def choose_model(index: AiRagIndex, write: Write) -> None:
    if index.embedding_model is None and index.provider_id is not None:
        index.embedding_model = write.unit.get(by_table("ai_provider"), index.provider_id).default_model  # type: ignore[attr-defined]
    elif index.embedding_model is None and (found := embedders.default_model()) is not None:
        index.embedding_model = found[0]
        require(None in (index.dimensions, found[1]) or index.dimensions == found[1], "dimensions", _needed(found[1]))
        index.dimensions = index.dimensions or found[1]
    elif index.embedding_model == local_embedder.MODEL and index.provider_id is None:
        own = local_embedder.DIMENSIONS
        require(index.dimensions in (None, own), "dimensions", _needed(own))
        index.dimensions = own


def _needed(dimensions: int | None) -> str:
    return f"Must be {dimensions}, as the model has it."


def locked(unit: Unit, document_id: UUID) -> tuple[AiRagDocument, AiRagIndex]:
    """Lock the index of a document, and then the document, as jobs do."""
    index = unit.get(AiRagIndex, unit.get(AiRagDocument, document_id).index_id, lock=True)
    return unit.get(AiRagDocument, document_id, lock=True), index


def ask_for(unit: Unit, document: AiRagDocument, index: AiRagIndex) -> None:
    """Have vectors made of the chunks of a document that have none, where anything here makes them: one document of a
    knowledge base after the other, and once for all that a unit writes of it."""
    asked = unit.gather(_forget)
    if document.id not in asked and embedders.embedder_of(unit.session, index) is not None:
        asked.add(document.id)
        queue.defer(unit, EMBED_DOCUMENT, document.id, one_of=index.id)


def _forget(_: set[UUID]) -> None:
    """What a unit has asked for is of no use behind its commit."""


def drop_of_chunk(unit: Unit, chunk_id: UUID, document: AiRagDocument, index: AiRagIndex) -> None:
    """Remove the vectors of a chunk; the document and the index are locked."""
    if _counts(unit, chunk_id, index):
        count(document, index, -1)
    unit.bookkeep(delete(AiRagEmbedding).where(AiRagEmbedding.chunk_id == chunk_id))


def drop_all(document: AiRagDocument, index: AiRagIndex) -> None:
    """Count no vectors of a document any more, whose chunks go; the index is locked."""
    count(document, index, -document.embedded_count)


def _counts(unit: Unit, chunk_id: UUID, index: AiRagIndex) -> int:
    own = (AiRagEmbedding.chunk_id == chunk_id, AiRagEmbedding.model == index.embedding_model)
    with unit.session.no_autoflush:
        return unit.session.scalar(select(func.count()).where(*own)) or 0


def count(document: AiRagDocument, index: AiRagIndex, step: int) -> None:
    """Count so many vectors more; the document and the index are locked."""
    document.embedded_count = max(0, document.embedded_count + step)
    index.embedded_count = max(0, index.embedded_count + step)


@on_create(AiRagEmbedding, callers_only=True)
def take_in_vector(embedding: AiRagEmbedding, write: Write) -> None:
    document, index = _locked(write.unit, embedding.chunk_id)
    embedding.index_id = index.id
    embedding.model = embedding.model or index.embedding_model or ""
    require(bool(embedding.model), "model", "Is required where the index names no embedding model.")
    _measure(embedding, index)
    if embedding.model == index.embedding_model:
        count(document, index, 1)


@on_update(AiRagEmbedding, callers_only=True)
def change_vector(embedding: AiRagEmbedding, write: Write) -> None:
    if write.changed("vector"):
        _measure(embedding, write.unit.get(AiRagIndex, embedding.index_id))


@on_delete(AiRagEmbedding, callers_only=True)
def drop_vector(embedding: AiRagEmbedding, write: Write) -> None:
    document, index = _locked(write.unit, embedding.chunk_id)
    if embedding.model == index.embedding_model:
        count(document, index, -1)


def _locked(unit: Unit, chunk_id: UUID) -> tuple[AiRagDocument, AiRagIndex]:
    return locked(unit, unit.get(AiRagChunk, chunk_id).document_id)


def _measure(embedding: AiRagEmbedding, index: AiRagIndex) -> None:
    embedding.dimensions = len(embedding.vector)
    require(index.dimensions in (None, embedding.dimensions), "vector", f"Must have {index.dimensions} numbers.")
