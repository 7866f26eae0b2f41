"""The embedding job: it makes vectors of the chunks of an entry that have none, a batch at a time.

Each batch is stored before the next one is asked for, so that after an interruption nothing is asked for twice but the
one whose answer was lost. Nothing is locked, and no transaction is open, while an embedder works.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, exists, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, defer
from uuid_utils.compat import uuid7

from app.ai_rag import vectors
from app.ai_rag.embedders import Embedder, NotEmbedded, Refused, embedder_for, embedder_of
from app.ai_rag.hooks import MAX_ERROR
from app.ai_rag.models import AiRagChunk, AiRagDocument, AiRagEmbedding, AiRagIndex
from app.engine.declare.kinds import SAFE_MAX
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit

# Texts, and characters, that are sent at once, as questions wait meanwhile; seconds for their vectors.
MAX_TEXTS, MAX_CHARACTERS, SECONDS = 64, 64_000, 60.0
MILLION = 1_000_000
# Entries that are asked for again at a time, and bases that are looked through.
MOST_ASKED = 1000
WITHOUT_TEXT = (defer(AiRagDocument.content),)
# What an entry says whose page could not be asked for anew: it hinders no vectors.
NOT_REFRESHED = "Not refreshed: "
REFUSED = "The embedder refuses {} of its passages"
OTHER_DIMENSIONS = "The embedder makes vectors of {} numbers, those of the knowledge base have {}"


class Target(NamedTuple):
    """The model, and its provider, whose vectors chunks are to have."""

    model: str
    provider_id: UUID | None


class Batch(NamedTuple):
    """Chunks without a vector of a target, up to the ``last`` position, and what makes these. Vectors of a model that
    does not answer yet are kept ``next_to`` those that do."""

    target: Target
    embedder: Embedder
    chunks: list[tuple[UUID, str]]
    last: int
    next_to: bool


class Filled(NamedTuple):
    """How many vectors were made of an entry, and why some were not."""

    number: int
    refusal: str | None


def embed_document(document_id: UUID) -> None:
    """Make the vectors of an entry that are missing. What is gone, or of no embedder here, is left alone; what an
    embedder refuses is told at the entry, which is found by words all the same. Raises Unavailable."""
    try:
        refusal = fill(document_id).refusal
    except NotEmbedded as failure:
        refusal = str(failure)
    if refusal:
        run_unit(SYSTEM, _keep_refusal, document_id, refusal)


def embed_left_over() -> None:
    """Ask again, by the clock, for vectors that no job has made in the end, but for what was refused."""
    with reading() as session:
        lacking = select(AiRagIndex).where(AiRagIndex.embedded_count < AiRagIndex.chunk_count)
        bases = session.scalars(lacking.order_by(AiRagIndex.id).limit(MOST_ASKED)).all()
        served = [index.id for index in bases if embedder_of(session, index) is not None]
        message = AiRagDocument.error_message
        is_open = or_(message.is_(None), message.startswith(NOT_REFRESHED))
        missing = (AiRagDocument.embedded_count < AiRagDocument.chunk_count, is_open)
        entries = select(AiRagDocument.id).where(AiRagDocument.index_id.in_(served), *missing)
        found = session.scalars(entries.order_by(AiRagDocument.id).limit(MOST_ASKED)).all()
    for document_id in found:
        run_unit(SYSTEM, _ask_again, document_id)


def _ask_again(unit: Unit, document_id: UUID) -> None:
    document = unit.session.get(AiRagDocument, document_id, options=WITHOUT_TEXT)
    if document is not None:
        vectors.ask_for(unit, document, unit.get(AiRagIndex, document.index_id))


def fill(document_id: UUID, target: Target | None = None) -> Filled:
    """Make the missing vectors of an entry, those of another model where that is the ``target``. What comes meanwhile
    has a job of its own. Raises Unavailable and NotEmbedded."""
    made, refused, after = 0, 0, -1
    while (batch := _next_batch(document_id, target, after)) is not None:
        found, tokens = embedded(batch.embedder, [content for _, content in batch.chunks])
        made += run_unit(SYSTEM, _keep, document_id, batch, found, tokens)
        refused += found.count(None)
        if refused == len(found) > 1:
            break  # it is no single text that is refused
        after = batch.last
    return Filled(made, REFUSED.format(refused) if refused else None)


def _next_batch(document_id: UUID, target: Target | None, after: int) -> Batch | None:
    with reading() as session:
        found = select(AiRagIndex).join(AiRagDocument, AiRagDocument.index_id == AiRagIndex.id)
        index = session.scalar(found.where(AiRagDocument.id == document_id))
        if index is None or (target is None and index.embedding_model is None):
            return None
        wanted = target or Target(index.embedding_model or "", index.provider_id)
        embedder = embedder_for(session, *wanted)
        if embedder is None:
            return None
        chunks: list[tuple[UUID, str]] = []
        size = 0
        for identifier, content, position in session.execute(_without_vector(document_id, wanted.model, after)):
            size += len(content)
            if chunks and size > MAX_CHARACTERS:
                break
            chunks.append((identifier, content))
            after = position
        return Batch(wanted, embedder, chunks, after, target is not None) if chunks else None


def _without_vector(document_id: UUID, model: str, after: int) -> Select[UUID, str, int]:
    own = (AiRagChunk.document_id == document_id, AiRagChunk.position > after, lacks_vector(model))
    wanted = select(AiRagChunk.id, AiRagChunk.content, AiRagChunk.position).where(*own)
    return wanted.order_by(AiRagChunk.position).limit(MAX_TEXTS)


def lacks_vector(model: str) -> ColumnElement[bool]:
    """The condition that a chunk has no vector of a model."""
    return ~exists().where(AiRagEmbedding.chunk_id == AiRagChunk.id, AiRagEmbedding.model == model)


def embedded(embedder: Embedder, texts: Sequence[str]) -> tuple[list[list[float] | None], int]:
    """The vectors of texts, in halves where these are refused together, and none of one that is; and their tokens."""
    try:
        vectors, tokens = embedder.embed(texts, SECONDS)
        return list(vectors), tokens
    except Refused:
        if len(texts) == 1:
            return [None], 0
        middle = len(texts) // 2
        (left, some), (right, others) = embedded(embedder, texts[:middle]), embedded(embedder, texts[middle:])
        return left + right, some + others


def _keep(unit: Unit, document_id: UUID, batch: Batch, found: Sequence[list[float] | None], tokens: int) -> int:
    """Store the vectors of those chunks that are still what was sent, and return their number; count what was paid for
    them. Raises NotEmbedded."""
    index_id = unit.session.scalar(select(AiRagDocument.index_id).where(AiRagDocument.id == document_id))
    index = unit.session.get(AiRagIndex, index_id, with_for_update={"key_share": True}) if index_id else None
    document = unit.session.get(AiRagDocument, document_id, with_for_update=True, options=WITHOUT_TEXT)
    if index is None:
        return 0
    index.embedded_tokens = min(index.embedded_tokens + tokens, SAFE_MAX)
    cost = math.ceil(tokens * batch.embedder.price / MILLION)
    index.embedding_cost_micros = min(index.embedding_cost_micros + cost, SAFE_MAX)
    if document is None or not any(found):
        return 0
    model, dimensions = batch.target.model, len(next(vector for vector in found if vector))
    answers = index.embedding_model == model
    if not (answers or batch.next_to):
        return 0  # another model was chosen meanwhile, and makes all of them
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
        for (identifier, content), vector in zip(batch.chunks, found, strict=True)
        if vector and current.get(identifier) == content
    ]  # fmt: skip
    if not rows:
        return 0
    added = insert(AiRagEmbedding).on_conflict_do_nothing().values(rows).returning(AiRagEmbedding.id)
    stored = len(unit.bookkeep_returning(added).all())
    document.embedded_count += stored if answers else 0
    index.embedded_count += stored if answers else 0
    document.error_message = None
    return stored


def _contents(session: Session, document_id: UUID, chunks: Sequence[UUID]) -> dict[UUID, str]:
    """Chunks of a document as they are, which nobody removes or rewrites until the end of the unit."""
    wanted = select(AiRagChunk.id, AiRagChunk.content).where(
        AiRagChunk.id.in_(chunks), AiRagChunk.document_id == document_id
    )
    return dict(session.execute(wanted.with_for_update(key_share=True)).all())


def _keep_refusal(unit: Unit, document_id: UUID, reason: str) -> None:
    document = unit.session.get(AiRagDocument, document_id, with_for_update=True, options=WITHOUT_TEXT)
    if document is not None:
        document.error_message = f"Found by words alone: {reason}"[:MAX_ERROR]
