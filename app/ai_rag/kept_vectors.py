"""Vectors of passages whose text is being replaced: those that the new text has as well take them over."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import delete, text
from sqlalchemy.orm import Mapped

from app.ai_rag import vectors
from app.ai_rag.models import AiRagDocument, AiRagIndex
from app.engine.declare.fields import integer, reference, string, vector
from app.engine.declare.indexes import index
from app.engine.declare.record import Base
from app.engine.write.unit_of_work import Unit

SET_ASIDE = text("""
INSERT INTO ai_rag_kept_vector (id, created_at, updated_at, document_id, digest, model, dimensions, vector)
SELECT gen_random_uuid(), now(), now(), document_id, encode(sha256(convert_to(content, 'UTF8')), 'hex'), model,
    dimensions, vector
FROM ai_rag_embedding JOIN ai_rag_chunk AS chunk ON chunk.id = chunk_id WHERE document_id = :document AND model = :model
""")
# Both sides are told apart first: a digest is worked out once for each passage.
TAKE_OVER = text("""
WITH kept AS MATERIALIZED (
    SELECT DISTINCT ON (digest) digest, model, dimensions, vector FROM ai_rag_kept_vector
    WHERE document_id = :document AND model = :model AND dimensions = :dimensions
), passage AS MATERIALIZED (
    SELECT id, encode(sha256(convert_to(content, 'UTF8')), 'hex') AS digest FROM ai_rag_chunk
    WHERE document_id = :document AND EXISTS (SELECT FROM kept)
)
INSERT INTO ai_rag_embedding (id, created_at, updated_at, chunk_id, index_id, model, dimensions, vector)
SELECT gen_random_uuid(), now(), now(), passage.id, :index, model, dimensions, vector
FROM passage JOIN kept USING (digest)
ON CONFLICT DO NOTHING
""")


class AiRagKeptVector(Base):
    """The vector of a passage that is gone, until the next text of its document is cut."""

    __tablename__ = "ai_rag_kept_vector"
    keys = (index("document_id"),)

    document_id: Mapped[UUID] = reference("ai_rag_document", "cascade")
    digest: Mapped[str] = string(min=64, max=64, note="of the passage")
    model: Mapped[str] = string(min=1, max=120)
    dimensions: Mapped[int] = integer(min=1, max=2000)
    vector: Mapped[list[float]] = vector()


def set_aside(unit: Unit, document: AiRagDocument, index: AiRagIndex) -> None:
    """Keep the vectors of the passages of a document, which are about to go."""
    unit.session.execute(SET_ASIDE, {"document": document.id, "model": index.embedding_model})


def take_over(unit: Unit, document: AiRagDocument, index: AiRagIndex) -> None:
    """Give passages the vectors that were set aside of those with the same text, and forget the others; the document
    and the index are locked."""
    asked = {"document": document.id, "index": index.id, "model": index.embedding_model, "dimensions": index.dimensions}
    vectors.count(document, index, unit.session.execute(TAKE_OVER, asked).rowcount)  # type: ignore[attr-defined]
    unit.bookkeep(delete(AiRagKeptVector).where(AiRagKeptVector.document_id == document.id))
