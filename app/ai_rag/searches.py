"""Searches in a knowledge base that are kept: a query, run by a job or for a chat, and its results."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, exists, func, or_, select
from uuid_utils.compat import uuid7

from app.ai_rag import search
from app.ai_rag.models import AiRagDocument, AiRagIndex, AiRagMetadata, AiRagQuery, AiRagResult
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember
from app.engine.unit_of_work import Unit
from app.runtime.connections import allow_time

NO_VECTORS = "No embeddings are made here; search by keyword"
RANGES = {"gt": "__gt__", "gte": "__ge__", "lt": "__lt__", "lte": "__le__"}


def run_query(unit: Unit, query_id: UUID) -> None:
    """Answer a query that waits; one that is gone or answered is left alone."""
    allow_time(unit.session)
    query = unit.session.get(AiRagQuery, query_id)
    if query is not None and query.status == "running":
        begun = time.monotonic()
        hits = _found(unit, query)
        # The row is locked once the search is over: whoever removes it meanwhile need not wait.
        query = unit.session.get(AiRagQuery, query_id, with_for_update=True, populate_existing=True)
        if query is not None and query.status == "running":
            _keep(unit, query, hits, begun)


def answer(unit: Unit, query: AiRagQuery) -> list[search.Hit]:
    """Run a new ``query``, store what it found, and return it, best first."""
    begun = time.monotonic()
    hits = _found(unit, query)
    _keep(unit, query, hits, begun)
    return hits


def _keep(unit: Unit, query: AiRagQuery, hits: Sequence[search.Hit], begun: float) -> None:
    if query.mode == "vector":
        query.status, query.error_message = "failed", NO_VECTORS
    else:
        query.status, query.result_count = "completed", len(hits)
    query.latency_ms = round((time.monotonic() - begun) * 1000)
    unit.session.add_all(_results(query, hits))


def _found(unit: Unit, query: AiRagQuery) -> list[search.Hit]:
    if query.mode == "vector":
        return []
    inside = (AiRagDocument.index_id == query.index_id, _is_visible(query), *_labelled(query))
    documents = select(AiRagDocument.id).where(*inside)
    hits = search.search(unit, query.text, unit.session.scalars(documents).all(), query.top_k)
    return [hit for hit in hits if hit.score >= query.min_score]


def _is_visible(query: AiRagQuery) -> ColumnElement[bool]:
    """Whether the asker still sees the knowledge base."""
    member = (AuthMember.organization_id == AiRagIndex.organization_id, AuthMember.user_id == query.user_id)
    admin = exists().where(AuthUser.id == query.user_id, AuthUser.role == "admin")
    seen = or_(AiRagIndex.visibility == "public", exists().where(*member), admin)
    return exists().where(AiRagIndex.id == query.index_id, seen)


def _results(query: AiRagQuery, hits: Sequence[search.Hit]) -> list[AiRagResult]:
    return [
        AiRagResult(
            id=uuid7(), query_id=query.id, chunk_id=hit.chunk_id, document_id=hit.document_id, rank=rank,
            score=hit.score, excerpt=hit.content,
        )
        for rank, hit in enumerate(hits, 1)
    ]  # fmt: skip


def _labelled(query: AiRagQuery) -> list[ColumnElement[bool]]:
    """The condition on the labels of a document: each key has the value, or a number within the range. The labels are
    read once, however many keys there are: PostgreSQL plans a join for each sub-select, and planning many takes
    minutes."""
    wanted: Mapping[str, Any] = query.filter
    if not wanted:
        return []
    label = AiRagMetadata
    inside = select(AiRagDocument.id).where(AiRagDocument.index_id == query.index_id)
    met = or_(*(and_(label.key == key, _has(value)) for key, value in wanted.items()))
    having = select(label.document_id).where(label.document_id.in_(inside), met).group_by(label.document_id)
    # A document has one label of each key.
    return [AiRagDocument.id.in_(having.having(func.count() == len(wanted)))]


def _has(value: Any) -> ColumnElement[bool]:
    label = AiRagMetadata
    if isinstance(value, dict):
        return and_(*(getattr(label.number_value, RANGES[bound])(limit) for bound, limit in value.items()))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return label.number_value == value
    return label.value == (str(value).lower() if isinstance(value, bool) else value)
