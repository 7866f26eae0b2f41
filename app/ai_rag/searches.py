"""Stored searches: a query, run by a job or for a chat, and its results."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, false, func, or_, select
from uuid_utils.compat import uuid7

from app.ai_rag import search
from app.ai_rag.models import AiRagDocument, AiRagMetadata, AiRagQuery, AiRagResult
from app.auth.accounts.users import user_principal
from app.auth.credentials.presence import ACCOUNT_GONE, RIGHTS_REDUCED
from app.engine.declare.principal import Principal
from app.engine.write.unit_of_work import Unit
from app.runtime.connections import allow_time

NO_VECTORS = "No embeddings are made here; search by keyword"
RANGES = {"gt": "__gt__", "gte": "__ge__", "lt": "__lt__", "lte": "__le__"}


def run_query(unit: Unit, query_id: UUID) -> None:
    """Answer a query that waits; one that is gone or answered is left alone."""
    allow_time(unit.session)
    query = unit.session.get(AiRagQuery, query_id)
    if query is not None and query.status == "running":
        begun = time.monotonic()
        asker = user_principal(unit.session, query.user_id)
        hits = _found(unit, query, asker) if asker else []
        # The row is locked once the search is over: whoever removes it meanwhile need not wait.
        query = unit.session.get(AiRagQuery, query_id, with_for_update=True, populate_existing=True)
        if query is None or query.status != "running":
            return
        found = user_principal(unit.session, query.user_id)
        if asker is None or found is None or not found.covers(asker):
            query.status, query.error_message = "failed", RIGHTS_REDUCED if found else ACCOUNT_GONE
        else:
            _keep(unit, query, hits, begun)


def answer(unit: Unit, query: AiRagQuery) -> list[search.Hit]:
    """Run a new ``query`` of the unit's principal, store what it found, and return it, best first."""
    begun = time.monotonic()
    hits = _found(unit, query, unit.principal)
    _keep(unit, query, hits, begun)
    return hits


def _keep(unit: Unit, query: AiRagQuery, hits: Sequence[search.Hit], begun: float) -> None:
    if query.mode == "vector":
        query.status, query.error_message = "failed", NO_VECTORS
    else:
        query.status, query.result_count = "completed", len(hits)
    query.latency_ms = round((time.monotonic() - begun) * 1000)
    unit.session.add_all(
        AiRagResult(
            id=uuid7(), query_id=query.id, chunk_id=hit.chunk_id, document_id=hit.document_id, rank=rank,
            score=hit.score, excerpt=hit.content,
        )
        for rank, hit in enumerate(hits, 1)
    )  # fmt: skip


def _found(unit: Unit, query: AiRagQuery, asker: Principal) -> list[search.Hit]:
    """What the query finds in documents that the asker sees."""
    if query.mode == "vector":
        return []
    visible = AiRagDocument.policy.visible(AiRagDocument, asker.reader)
    inside = (AiRagDocument.index_id == query.index_id, visible, *_labelled(query, asker))
    documents = unit.session.scalars(select(AiRagDocument.id).where(*inside), asker.binds).all()
    hits = search.search(unit, asker, query.text, documents, query.top_k)
    return [hit for hit in hits if hit.score >= query.min_score]


def _labelled(query: AiRagQuery, asker: Principal) -> list[ColumnElement[bool]]:
    """The condition on the labels of a document: each key has the value, or a number within the range. The labels are
    read once, however many keys there are: PostgreSQL plans a join for each sub-select, and planning many takes
    minutes."""
    wanted: Mapping[str, Any] = query.filter
    if not wanted:
        return []
    if not asker.reader.admits_wholly(AiRagMetadata, "list"):
        return [false()]
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
