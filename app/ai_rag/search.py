"""Search: which passages of some documents answer a question best, by its words, by its meaning, or by both.

PostgreSQL finds the passages that hold words of the question, by the text-search vector stored with each. Its own
ranking does not know how rare a word is, so the best of them are ranked by Okapi BM25 (Robertson and Zaragoza, 2009),
with the words of the document's title counted in. Passages that mean the like are those whose vectors are near to that
of the question. Both rankings make one by reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import TextClause, text

from app.ai_rag.models import AiRagChunk, AiRagDocument
from app.engine.declare.principal import Principal, Reader
from app.engine.read import fragments
from app.engine.read.encoding import STATEMENTS_KEPT, dumps
from app.engine.write.unit_of_work import Unit

MAX_WORDS = 40

WORDS = text("SELECT unnest(tsvector_to_array(to_tsvector('english', :question))) LIMIT :most")

# The plan depends on how much is searched; one made for any question may be fifty times slower.
CUSTOM_PLAN = text("SET LOCAL plan_cache_mode = force_custom_plan")

# 300 passages are ranked; the others hold fewer or more common words of the question. The constants of BM25 are the
# usual ones, 1.2 and 0.75. A word in the title counts half of what it counts in the text; one that every passage of the
# document holds, which tells what the document is about, as much as in the text. Ranks by meaning weigh a fifth of
# those by words, unless no passage reaches 0.15 by its words: then these say nothing of the question. Both were found
# with the half of the questions of ``bench.search_quality`` that is there for it.
RANKING = """
WITH {seen}asked AS (
    SELECT word, plainto_tsquery('simple', word) AS query FROM unnest(CAST(:words AS text[])) AS word
), searched AS (
    SELECT count(*) AS passages, greatest(avg(length(content)), 1) AS length
    FROM {chunk} WHERE document_id = ANY(CAST(:documents AS uuid[]))
), touched AS MATERIALIZED (
    SELECT id, document_id, search FROM {chunk}
    WHERE document_id = ANY(CAST(:documents AS uuid[]))
    AND search @@ (SELECT string_agg(CAST(query AS text), ' | ')::tsquery FROM asked)
), hit AS (
    SELECT id, document_id, lexeme AS word, cardinality(positions) AS often
    FROM touched CROSS JOIN unnest(search) WHERE lexeme = ANY(CAST(:words AS text[]))
), weighed AS (
    SELECT word, query, ln(1 + (passages - found + 0.5) / (found + 0.5)) AS weight
    FROM asked CROSS JOIN searched
    LEFT JOIN (SELECT word, count(*) AS hits FROM hit GROUP BY word) AS counted USING (word)
    CROSS JOIN LATERAL (SELECT coalesce(hits, 0) AS found) AS filled
), theme AS (
    SELECT document_id, word, count(*) / greatest(chunk_count, 1)::float AS share
    FROM hit JOIN ai_rag_document AS document ON document.id = document_id GROUP BY document_id, word, chunk_count
), candidate AS (
    SELECT id FROM hit JOIN weighed USING (word)
    GROUP BY id ORDER BY sum(weight) DESC, id LIMIT 300
), passage AS MATERIALIZED (
    SELECT chunk.id, document_id, to_tsvector('english', title) AS titled,
        0.25 + 0.75 * length(chunk.content) / searched.length AS length
    FROM candidate JOIN ai_rag_chunk AS chunk USING (id)
    JOIN ai_rag_document AS document ON document.id = document_id CROSS JOIN searched
), worded AS (
    SELECT id, sum(weight * (
        coalesce(2.2 * often / (often + 1.2 * passage.length), 0) + 2.2 * coalesce(share, 0)
        + CASE WHEN titled @@ query THEN 1.1 ELSE 0 END
    )) / (5.5 * sum(weight)) AS score
    FROM passage CROSS JOIN weighed
    LEFT JOIN hit USING (id, document_id, word) LEFT JOIN theme USING (document_id, word)
    GROUP BY id
), by_words AS (
    SELECT id, score, row_number() OVER (ORDER BY score DESC, id) AS place FROM worded
), question AS MATERIALIZED (
    SELECT model, provider, metric, CAST(written AS vector) AS vector FROM unnest(
        CAST(:models AS text[]), CAST(:providers AS uuid[]), CAST(:metrics AS text[]), CAST(:vectors AS text[])
    ) AS given (model, provider, metric, written)
), measured AS MATERIALIZED (
    SELECT chunk.id, CASE
        WHEN vector_dims(made.vector) <> vector_dims(asked.vector) THEN NULL
        WHEN asked.metric = 'l2' THEN 1 - (made.vector <-> asked.vector) ^ 2 / 2
        WHEN asked.metric = 'inner_product' THEN -(made.vector <#> asked.vector)
        ELSE 1 - (made.vector <=> asked.vector)
    END AS score
    FROM question AS asked
    JOIN ai_rag_index AS base ON base.embedding_model = asked.model AND base.metric = asked.metric
        AND base.provider_id IS NOT DISTINCT FROM asked.provider
    JOIN ai_rag_embedding AS made ON made.index_id = base.id AND made.model = asked.model
    JOIN {chunk} AS chunk ON chunk.id = made.chunk_id
    WHERE chunk.document_id = ANY(CAST(:documents AS uuid[]))
), by_meaning AS (
    SELECT id, score, row_number() OVER (ORDER BY score DESC, id) AS place
    FROM measured WHERE score <> 'NaN' ORDER BY score DESC, id LIMIT 300
), weight AS (
    SELECT CASE WHEN max(score) >= 0.15 THEN 1 ELSE 0.01 END AS words,
        CASE WHEN max(score) >= 0.15 THEN 0.2 ELSE 1 END AS meaning FROM by_words
), found AS (
    SELECT coalesce(w.id, m.id) AS id, w.score AS worded, w.place AS word_place, m.score AS near,
        m.place AS near_place, CASE CAST(:mode AS text)
            WHEN 'keyword' THEN w.score WHEN 'vector' THEN least(greatest(m.score, 0), 1)
            ELSE 11 / (words + meaning) * (
                coalesce(words / (10 + w.place), 0) + coalesce(meaning / (10 + m.place), 0)
            )
        END AS score
    FROM by_words AS w FULL JOIN by_meaning AS m ON m.id = w.id CROSS JOIN weight
)
SELECT found.id, chunk.document_id, document.title, chunk.content, found.score, worded, word_place, near, near_place,
    chunk.heading, chunk.page, chunk.start_offset, chunk.end_offset
FROM found JOIN ai_rag_chunk AS chunk ON chunk.id = found.id
JOIN ai_rag_document AS document ON document.id = chunk.document_id
WHERE found.score >= :least
ORDER BY found.score DESC, found.id LIMIT :take
"""
# What callers with grants see of the passages, in place of the table.
SEEN = """passages_seen AS MATERIALIZED (
    SELECT * FROM ai_rag_chunk WHERE document_id = ANY(CAST(:documents AS uuid[])) AND {granted}
    AND document_id IN (SELECT id FROM ai_rag_document WHERE id = ANY(CAST(:documents AS uuid[])) AND {titled})
), """


# What a passage shows of the models that it is made of, by which operation.
QUOTED = ((AiRagChunk, "list", ("content", "documentId")), (AiRagDocument, "read", ("title",)))


@dataclass(frozen=True)
class Hit:
    """A passage and how well it fits: by its words, by its meaning, with its place among those found so, where it was,
    and in all. A ``score`` of 1 is the best there could be."""

    chunk_id: UUID
    document_id: UUID
    title: str
    content: str
    score: float
    word_score: float | None = None
    word_rank: int | None = None
    vector_score: float | None = None
    vector_rank: int | None = None
    heading: str | None = None
    page: int | None = None
    start: int | None = None
    end: int | None = None


class QuestionVector(NamedTuple):
    """A question as a model of a provider puts it, for the knowledge bases that are measured so."""

    model: str
    provider_id: UUID | None
    metric: str
    vector: Sequence[float]


def search(
    unit: Unit, principal: Principal, question: str, documents: Sequence[UUID], take: int,
    vectors: Sequence[QuestionVector] = (), mode: str = "hybrid", least: float = 0,
) -> list[Hit]:  # fmt: skip
    """The ``take`` best passages of ``documents`` for ``question``, best first, of those that grants leave
    ``principal``, with a score of ``least``; ``hybrid`` without vectors is ``keyword``. A search of much text keeps
    PostgreSQL busy for a second: requests take a place for it (``engine.concurrency``), jobs need none, for few are
    done at once."""
    if not all(principal.reader.shows(model, name, each) for model, each, names in QUOTED for name in names):
        return []
    words: list[str] = []
    if mode != "vector":
        words = list(unit.session.scalars(WORDS, {"question": question, "most": MAX_WORDS}))
    if not (words or vectors) or not documents:
        return []
    unit.session.execute(CUSTOM_PLAN)
    binds = {
        "words": words, "documents": list(documents), "take": take, "least": least,
        "mode": mode if vectors else "keyword", "models": [each.model for each in vectors],
        "providers": [each.provider_id for each in vectors],
        "metrics": [each.metric for each in vectors], "vectors": [dumps(each.vector).decode() for each in vectors],
    }  # fmt: skip
    ranking, fixed = _ranking(principal.reader)
    asked = principal.binds | dict(fixed) if principal.narrowing is not None else {}
    return [Hit(*row) for row in unit.session.execute(ranking, binds | asked)]


@lru_cache(maxsize=STATEMENTS_KEPT)
def _ranking(reader: Reader) -> tuple[TextClause, Mapping[str, Any]]:
    """The statement that ranks the passages that a reader sees, with its parameters that never change."""
    if reader.base is reader:
        return text(RANKING.format(chunk="ai_rag_chunk", seen="")), {}
    shown = [fragments.showing(model, reader, operation, names) for model, operation, names in QUOTED]
    granted, titled = (
        fragments.as_text(f"({each.on(table)})")
        for each, table in zip(shown, ("ai_rag_chunk", "ai_rag_document"), strict=True)
    )
    fixed = {name: value for each in shown for name, value in each.fixed.items()}
    return text(RANKING.format(chunk="passages_seen", seen=SEEN.format(granted=granted, titled=titled))), fixed
