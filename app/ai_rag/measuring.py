"""How well a knowledge base answers, by questions whose passages are known: as BEIR measures (Thakur et al., 2021), by
the normalized discounted cumulative gain of the first ten, and how often the first five have the passage."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from app.ai_rag import searches
from app.ai_rag.models import AiRagQuery
from app.engine.declare.principal import Principal
from app.foundation.errors import Conflict

MODES = ("keyword", "vector", "hybrid")
# Characters of the middle of a passage that a chunk must hold, and the places that count.
MIDDLE, DEEP, SHALLOW = 60, 10, 5


class Quality(NamedTuple):
    """Means over all questions, from 0 to 1."""

    gain: float
    recall: float

    def __str__(self) -> str:
        return f"{self.gain:.3f} nDCG@{DEEP}, {self.recall:.0%} in {SHALLOW}"


def places(principal: Principal, index_id: UUID, question: str, passage: str) -> dict[str, list[int]]:
    """Return the places, from 1, at which chunks with a passage are found by each mode that the knowledge base has.
    Raises NotFound, and Unavailable while the question comes to no vector."""
    passage = " ".join(passage.split())
    start = max(0, (len(passage) - MIDDLE) // 2)
    middle, found = passage[start : start + MIDDLE], {}
    for mode in MODES:
        asked = AiRagQuery(index_id=index_id, text=question, mode=mode, top_k=DEEP, min_score=0.0, filter={})
        try:
            hits = searches.find(principal, asked).hits
        except Conflict:  # there are no vectors
            continue
        found[mode] = [place for place, hit in enumerate(hits, 1) if middle in " ".join(hit.content.split())]
    return found


def quality(found: Sequence[Sequence[int]]) -> Quality:
    """Return how good the places of the passages of some questions are."""
    gain = statistics.mean(_gain(each) for each in found)
    return Quality(gain, statistics.mean(any(place <= SHALLOW for place in each) for each in found))


def _gain(found: Sequence[int]) -> float:
    """What the places are worth, beside the best that as many could have."""
    best = sum(1 / math.log2(place + 1) for place in range(1, max(1, len(found)) + 1))
    return sum(1 / math.log2(place + 1) for place in found) / best
