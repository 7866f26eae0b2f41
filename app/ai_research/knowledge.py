"""Sources of research projects in the knowledge base of their project: accepted ones enter it, rejected ones leave.

The caller writes both, so who may not write into the knowledge base accepts nothing for it.
"""

from __future__ import annotations

from typing import Any

from app.ai_rag.models import AiRagDocument
from app.ai_research.models import AiResearchProject, AiResearchSource
from app.engine.write.hooks import Write, on_create, on_delete, on_update
from app.engine.write.unit_of_work import Unit


@on_create(AiResearchSource, callers_only=True)
def enter_accepted(source: AiResearchSource, write: Write) -> None:
    if source.status == "accepted":
        _enter(write.unit, source)


@on_update(AiResearchSource, callers_only=True)
def follow_decision(source: AiResearchSource, write: Write) -> None:
    if write.entered("status", source, "accepted"):
        _enter(write.unit, source)
    elif write.entered("status", source, "rejected"):
        _leave(write.unit, source)


@on_delete(AiResearchSource, callers_only=True)
def leave_with_source(source: AiResearchSource, write: Write) -> None:
    _leave(write.unit, source)


def _enter(unit: Unit, source: AiResearchSource) -> None:
    index_id = unit.get(AiResearchProject, source.project_id).index_id
    given = _text_of(source)
    if index_id is not None and given is not None:
        entry = unit.create(AiRagDocument, {"index_id": index_id, "title": source.title, **given})
        source.rag_document_id = entry["id"]


def _leave(unit: Unit, source: AiResearchSource) -> None:
    if source.rag_document_id is not None:
        entry, source.rag_document_id = source.rag_document_id, None
        unit.delete(AiRagDocument, entry)


def _text_of(source: AiResearchSource) -> dict[str, Any] | None:
    """Where the text of a source comes from: its extract, its file, or its address; nothing for what has none."""
    if source.content:
        return {"source_type": "text", "content": source.content}
    if source.upload_id is not None:
        return {"source_type": "upload", "upload_id": source.upload_id}
    return {"source_type": "url", "source_url": source.url} if source.url else None
