"""Search: which passages of some documents answer a question best, by its words, by its meaning, or by both.

PostgreSQL finds the passages that hold words of the question, by the text-search vector stored with each. Its own
ranking does not know how rare a word is, so the best of them are ranked by Okapi BM25 (Robertson and Zaragoza, 2009),
with the words of the document's title counted in. Passages that mean the like are those whose vectors are near to that
of the question. Both rankings make one by reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import TextClause, text

from app.ai_rag import highlights
from app.ai_rag.models import AiRagChunk, AiRagDocument
from app.ai_rag.wording import Wording
from app.engine.declare.principal import Principal, Reader
from app.engine.read import fragments
from app.engine.read.encoding import STATEMENTS_KEPT, dumps
from app.engine.write.unit_of_work import Unit

MAX_WORDS = 40

WORDS = text("SELECT unnest(tsvector_to_array(to_tsvector('english', :question))) LIMIT :most")
# What passages have to hold, and what not, as one query; nothing where these are words that no text is searched by.
DEMANDED = text("""
SELECT string_agg(sign || '(' || CAST(query AS text) || ')', ' & ') FROM (
    SELECT sign, phraseto_tsquery('english', phrase) AS query
    FROM unnest(CAST(:signs AS text[]), CAST(:phrases AS text[])) AS given (sign, phrase)
) AS put WHERE numnode(query) > 0
""")

# The plan depends on how much is searched; one made for any question may be fifty times slower.
CUSTOM_PLAN = text("SET LOCAL plan_cache_mode = force_custom_plan")

# 300 passages are ranked; the others hold fewer or more common words of the question. The constants of BM25 are the
# usual ones, 1.2 and 0.75. A word in the title counts half of what it counts in the text; one that every passage of the
# document holds, which tells what the document is about, as much as in the text. Ranks by meaning weigh a fifth of
# those by words, unless no passage reaches 0.15 by its words: then these say nothing of the question. Both were found
# with the half of the questions of ``bench.search_quality`` that is there for it.
RANKING = """
WITH {seen}asked AS MATERIALIZED (
    SELECT word, plainto_tsquery('simple', word) AS query FROM (
        SELECT unnest(CAST(:words AS text[])) AS word UNION (
            SELECT lexeme FROM {chunk} CROSS JOIN LATERAL unnest(search)
            WHERE cardinality(CAST(:prefixes AS text[])) > 0 AND document_id = ANY(CAST(:documents AS uuid[]))
            AND search @@ CAST(:begun AS tsquery) AND lexeme LIKE ANY(CAST(:prefixes AS text[])) LIMIT :most
        )
    ) AS meant
), searched AS (
    SELECT count(*) AS passages, greatest(avg(length(content)), 1) AS length
    FROM {chunk} WHERE document_id = ANY(CAST(:documents AS uuid[]))
), touched AS MATERIALIZED (
    SELECT id, document_id, search FROM {chunk}
    WHERE document_id = ANY(CAST(:documents AS uuid[]))
    AND search @@ (SELECT string_agg(CAST(query AS text), ' | ')::tsquery FROM asked)
    AND (CAST(:demanded AS text) IS NULL OR search @@ CAST(:demanded AS tsquery))
), hit AS (
    SELECT id, document_id, lexeme AS word, cardinality(positions) AS often
    FROM touched CROSS JOIN unnest(search) WHERE lexeme = ANY(ARRAY(SELECT word FROM asked))
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
    AND (CAST(:demanded AS text) IS NULL OR chunk.search @@ CAST(:demanded AS tsquery))
), by_meaning AS (
    SELECT id, score, row_number() OVER (ORDER BY score DESC, id) AS place
    FROM measured WHERE score <> 'NaN' ORDER BY score DESC, id LIMIT 300
), weight AS (
    SELECT coalesce(CAST(:word_weight AS float), CASE WHEN max(score) >= 0.15 THEN 1 ELSE 0.01 END) AS words,
        coalesce(CAST(:meaning_weight AS float), CASE WHEN max(score) >= 0.15 THEN 0.2 ELSE 1 END) AS meaning
    FROM by_words
), found AS (
    SELECT coalesce(w.id, m.id) AS id, w.score AS worded, w.place AS word_place, m.score AS near,
        m.place AS near_place, CASE CAST(:mode AS text)
            WHEN 'keyword' THEN w.score WHEN 'vector' THEN least(greatest(m.score, 0), 1)
            ELSE least(11 / (words + meaning) * (
                coalesce(words / (10 + w.place), 0) + coalesce(meaning / (10 + m.place), 0)
            ), 1)
        END AS score
    FROM by_words AS w FULL JOIN by_meaning AS m ON m.id = w.id CROSS JOIN weight
)
SELECT best.id, chunk.document_id, document.title, chunk.content, best.score, worded, word_place, near, near_place,
    chunk.heading, chunk.page, chunk.start_offset, chunk.end_offset,
    CASE WHEN :around > 0
        THEN substr(document.content, greatest(start_offset - :around, 0) + 1, least(:around, start_offset)) END,
    CASE WHEN :around > 0 THEN substr(document.content, end_offset + 1, :around) END
FROM (
    SELECT found.*, row_number() OVER (PARTITION BY document_id ORDER BY found.score DESC, found.id) AS nth
    FROM found JOIN ai_rag_chunk AS chunk USING (id) WHERE found.score >= :least
) AS best JOIN ai_rag_chunk AS chunk ON chunk.id = best.id
JOIN ai_rag_document AS document ON document.id = chunk.document_id
WHERE nth <= :per_document
ORDER BY best.score DESC, best.id LIMIT :take
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
    before: str | None = None
    after: str | None = None
    highlights: Sequence[tuple[int, int]] | None = None


@dataclass(frozen=True)
class Options:
    """How passages are ranked and shown: the score that they need at least, how much ranks by words and by meaning
    weigh, how many there are of a document at most, how many characters around each are shown, and whether the words of
    the question in it are."""

    mode: str = "hybrid"
    least: float = 0
    weights: tuple[float, float] | None = None
    per_document: int | None = None
    around: int = 0
    highlights: bool = False


USUAL = Options()


class QuestionVector(NamedTuple):
    """A question as a model of a provider puts it, for the knowledge bases that are measured so."""

    model: str
    provider_id: UUID | None
    metric: str
    vector: Sequence[float]


def search(
    unit: Unit, principal: Principal, wording: Wording, documents: Sequence[UUID], take: int,
    vectors: Sequence[QuestionVector] = (), options: Options = USUAL,
) -> list[Hit]:  # fmt: skip
    """The ``take`` best passages of ``documents`` for a question, best first, of those that grants leave ``principal``;
    ``hybrid`` without vectors is ``keyword``. A search of much text keeps PostgreSQL busy for a second: requests take a
    place for it (``engine.concurrency``), jobs need none, for few are done at once."""
    if not all(principal.reader.shows(model, name, each) for model, each, names in QUOTED for name in names):
        return []
    words: list[str] = []
    if options.mode != "vector":
        words = list(unit.session.scalars(WORDS, {"question": wording.text, "most": MAX_WORDS}))
    if not (words or vectors or wording.prefixes) or not documents:
        return []
    binds = {
        **_wanted(unit, wording, options, bool(vectors)), "words": words, "documents": list(documents), "take": take,
        "per_document": options.per_document or take, "models": [each.model for each in vectors],
        "providers": [each.provider_id for each in vectors],
        "metrics": [each.metric for each in vectors], "vectors": [dumps(each.vector).decode() for each in vectors],
    }  # fmt: skip
    unit.session.execute(CUSTOM_PLAN)
    ranking, fixed = _ranking(principal.reader)
    asked = principal.binds | dict(fixed) if principal.narrowing is not None else {}
    hits = [Hit(*row) for row in unit.session.execute(ranking, binds | asked)]
    if not options.highlights:
        return hits
    places = highlights.places(unit.session, [hit.content for hit in hits], words, wording.prefixes)
    return [replace(hit, highlights=found) for hit, found in zip(hits, places, strict=True)]


def _wanted(unit: Unit, wording: Wording, options: Options, by_meaning: bool) -> dict[str, Any]:
    """The parameters that say what passages have to hold, and how they are ranked."""
    prefixes = [] if options.mode == "vector" else wording.prefixes
    signs = [*[""] * len(wording.phrases), *["!"] * len(wording.without)]
    demanded = None
    if signs:
        phrases = [*wording.phrases, *wording.without]
        demanded = unit.session.scalar(DEMANDED, {"signs": signs, "phrases": phrases})
    word_weight, meaning_weight = options.weights or (None, None)
    return {
        "prefixes": [each.replace("_", r"\_") + "%" for each in prefixes],
        "begun": " | ".join(f"'{each}':*" for each in prefixes), "most": MAX_WORDS, "demanded": demanded,
        "word_weight": word_weight, "meaning_weight": meaning_weight, "least": options.least, "around": options.around,
        "mode": options.mode if by_meaning else "keyword",
    }  # fmt: skip


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
