"""Stored searches: a query, run by a job or for a chat, and its results."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, and_, false, func, or_, select
from uuid_utils.compat import uuid7

from app.ai_rag import search
from app.ai_rag.models import AiRagDocument, AiRagIndex, AiRagMetadata, AiRagQuery, AiRagResult
from app.ai_rag.questions import Vectors, vectors_of
from app.ai_rag.wording import Wording, parsed
from app.auth.accounts.users import user_principal
from app.auth.credentials.presence import ACCOUNT_GONE, RIGHTS_REDUCED
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.read.concurrency import query_slot
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import Conflict, Unavailable, require_found
from app.runtime.connections import allow_time

RANGES = {"gt": "__gt__", "gte": "__ge__", "lt": "__lt__", "lte": "__le__"}


class Found(NamedTuple):
    """What a search has found, best first, and whether the question came to no vector, so that words alone decided."""

    hits: Sequence[search.Hit]
    degraded: bool


def run_query(query_id: UUID) -> None:
    """Answer a query that waits, as a job; one that is gone or answered is left alone."""
    with reading() as session:
        query = session.get(AiRagQuery, query_id)
        if query is None or query.status != "running":
            return
        asker = user_principal(session, query.user_id)
        asked = parsed(query.text).text, [query.index_id], query.mode
    run_unit(SYSTEM, _run, query_id, vectors_of(asker, *asked) if asker else Vectors())


def _run(unit: Unit, query_id: UUID, vectors: Vectors) -> None:
    allow_time(unit.session)
    query = unit.session.get(AiRagQuery, query_id)
    if query is not None and query.status == "running":
        begun = time.monotonic()
        asker = user_principal(unit.session, query.user_id)
        hits = _hits(unit, query, asker, vectors, parsed(query.text)) if asker else []
        # The row is locked once the search is over: whoever removes it meanwhile need not wait.
        query = unit.session.get(AiRagQuery, query_id, with_for_update=True, populate_existing=True)
        if query is None or query.status != "running":
            return
        found = user_principal(unit.session, query.user_id)
        if asker is None or found is None or not found.covers(asker):
            query.status, query.error_message = "failed", RIGHTS_REDUCED if found else ACCOUNT_GONE
        else:
            _keep(unit, query, hits, vectors, begun)


def answer(unit: Unit, query: AiRagQuery, vectors: Vectors) -> list[search.Hit]:
    """Run a new ``query`` of the unit's principal, store what it found, and return it, best first. It is a sentence:
    what looks like an operator in it is none."""
    begun = time.monotonic()
    hits = _hits(unit, query, unit.principal, vectors, Wording(query.text))
    _keep(unit, query, hits, vectors, begun)
    return hits


def find(principal: Principal, query: AiRagQuery, options: search.Options = search.USUAL) -> Found:
    """Return what a ``query`` finds, which is not stored. Raises NotFound where the caller does not see its knowledge
    base, and for a search by meaning alone Conflict where that has no vectors and Unavailable where the question came
    to none."""
    visible = AiRagIndex.policy.visible(AiRagIndex, principal.reader)
    with reading() as session:
        seen = select(AiRagIndex.id).where(AiRagIndex.id == query.index_id, visible)
        require_found(session.scalar(seen, principal.binds))
    wording = parsed(query.text)
    vectors = vectors_of(principal, wording.text, [query.index_id], query.mode)
    if query.mode == "vector" and vectors.refusal:
        raise (Unavailable if vectors.degraded else Conflict)(vectors.refusal)
    with query_slot(principal):
        hits = run_unit(principal, _hits, query, principal, vectors, wording, options)
    return Found(hits, vectors.degraded)


def _keep(unit: Unit, query: AiRagQuery, hits: Sequence[search.Hit], vectors: Vectors, begun: float) -> None:
    if query.mode == "vector" and vectors.refusal:
        query.status, query.error_message = "failed", vectors.refusal
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


def _hits(
    unit: Unit, query: AiRagQuery, asker: Principal, vectors: Vectors, wording: Wording,
    options: search.Options = search.USUAL,
) -> list[search.Hit]:  # fmt: skip
    """What the query finds in documents that the asker sees."""
    if query.mode == "vector" and vectors.refusal:
        return []
    visible = AiRagDocument.policy.visible(AiRagDocument, asker.reader)
    inside = (AiRagDocument.index_id == query.index_id, visible, *_labelled(query, asker))
    documents = unit.session.scalars(select(AiRagDocument.id).where(*inside), asker.binds).all()
    options = replace(options, mode=query.mode, least=query.min_score)
    return search.search(unit, asker, wording, documents, query.top_k, vectors.found, options, query.index_id)


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
