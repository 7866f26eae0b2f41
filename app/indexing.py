"""What follows an entry of a knowledge base, as a job: its text is cut into passages that searches find."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import exists, select
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app import chunking
from app.clock import now
from app.database import retried, transaction
from app.effects.ai_rag import token_count
from app.models.ai_rag import AiRagChunk, AiRagDocument, AiRagIndex

NO_TEXT = "There is no text to index"


@retried
def index_document(document_id: UUID) -> None:
    """Cut the text of an entry that waits. Chunks that a client has written stay as they are; an entry that is gone, or
    does not wait, is left alone."""
    with transaction() as session:
        document = session.get(AiRagDocument, document_id)
        if document is None:
            return
        index = session.get_one(AiRagIndex, document.index_id, with_for_update={"key_share": True})
        session.refresh(document, with_for_update=True)
        if document.status != "pending":
            return
        if not document.content:
            document.status, document.error_message = "failed", NO_TEXT
            return
        if not session.scalar(select(exists().where(AiRagChunk.document_id == document.id))):
            _add_chunks(session, document, index)
        document.status, document.error_message, document.indexed_at = "indexed", None, now()
        index.status, index.last_built_at = "ready", now()


def _add_chunks(session: Session, document: AiRagDocument, index: AiRagIndex) -> None:
    passages = list(chunking.cut(document.content or "", index.chunk_size, index.chunk_overlap))
    for position, passage in enumerate(passages):
        chunk = AiRagChunk(id=uuid7(), document_id=document.id, position=position, content=passage.content)
        chunk.start_offset, chunk.end_offset = passage.start, passage.end
        chunk.token_count = token_count(passage.content)
        session.add(chunk)
    document.chunk_count += len(passages)
    index.chunk_count += len(passages)
