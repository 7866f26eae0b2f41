"""Questions as vectors: what a search needs beside the words, asked for before its transaction begins."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from app.ai_rag.embedders import Embedder, NotEmbedded, embedder_of
from app.ai_rag.models import AiRagIndex
from app.ai_rag.search import QuestionVector
from app.engine.declare.principal import Principal
from app.engine.read.database import reading
from app.foundation.errors import Unavailable

log = logging.getLogger(__name__)

MAX_QUESTION = 4000
# Seconds that a question waits for all of its vectors, and the most models that it is put to.
PATIENCE, MAX_MODELS = 0.2, 3
NO_VECTORS = "No passage here has a vector; search by keyword"
NOT_IN_TIME = "The embedder did not answer in time; search by keyword, or again later"


class Vectors(NamedTuple):
    """A question as the models of some knowledge bases put it. It is ``degraded`` where one of them did not, and
    ``wordless`` where it has nothing but operators."""

    found: Sequence[QuestionVector] = ()
    degraded: bool = False
    wordless: bool = False

    @property
    def refusal(self) -> str:
        """Why there is nothing to search by meaning with."""
        return "" if self.found or self.wordless else NOT_IN_TIME if self.degraded else NO_VECTORS


class _Asked(NamedTuple):
    """What a question is put to, and how its vector is measured."""

    embedder: Embedder
    provider_id: UUID | None
    metric: str


def vectors_of(
    principal: Principal, question: str, indexes: Sequence[UUID], mode: str = "hybrid", *, leaves_service: bool = True
) -> Vectors:
    """Return the vectors of a caller's question for the knowledge bases that the caller sees; none for a search by
    keyword. What is not made in time is left out, and so are those of their own providers unless the question
    ``leaves_service``."""
    if mode == "keyword" or not indexes:
        return Vectors()
    if not question:
        return Vectors(wordless=True)
    with reading() as session:
        asked = _asked(session, principal, indexes, leaves_service=leaves_service)
    deadline, found, failed = time.monotonic() + PATIENCE, [], False
    made: dict[Embedder, Sequence[float]] = {}
    for embedder, provider_id, metric in asked:
        try:
            if embedder not in made:
                left = max(0.001, deadline - time.monotonic())
                made[embedder] = embedder.embed([question[:MAX_QUESTION]], left).vectors[0]
        except (Unavailable, NotEmbedded) as failure:
            log.warning("A question is searched for by its words alone: %s", failure)
            failed = True
        else:
            found.append(QuestionVector(embedder.model, provider_id, metric, made[embedder]))
    return Vectors(found, failed)


def _asked(session: Session, principal: Principal, indexes: Sequence[UUID], *, leaves_service: bool) -> list[_Asked]:
    """What a question is put to for knowledge bases that have vectors, each once, that of the service first."""
    kind = (AiRagIndex.provider_id, AiRagIndex.embedding_model, AiRagIndex.metric)
    visible = AiRagIndex.policy.visible(AiRagIndex, principal.reader)
    wanted = select(AiRagIndex).where(AiRagIndex.id.in_(indexes), AiRagIndex.embedded_count > 0, visible)
    if not leaves_service:
        wanted = wanted.where(AiRagIndex.provider_id.is_(None))
    kinds = wanted.ext(distinct_on(*kind)).order_by(kind[0].nulls_first(), *kind[1:]).limit(MAX_MODELS)
    found = [(embedder_of(session, index), index) for index in session.scalars(kinds, principal.binds)]
    return [_Asked(embedder, index.provider_id, index.metric) for embedder, index in found if embedder is not None]
