"""The statement that ranks passages: by their words, by their meaning, and by both.

What it costs follows from the rarest words of a question, not from the size of the base. Of the passages that hold a
word, so many are looked at; a word that more of them hold says little, and its weight is estimated from a sample. The
300 passages whose words weigh most are ranked in full.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import TextClause, text

from app.ai_rag.models import AiRagChunk, AiRagDocument
from app.ai_rag.vector_indexes import DISTANCES, indexed_as
from app.engine.declare.principal import Reader
from app.engine.read import fragments
from app.engine.read.encoding import STATEMENTS_KEPT

# The constants of BM25 are the usual ones, 1.2 and 0.75. A word in the title counts half of what it counts in the text;
# one that every passage of the document holds, which tells what the document is about, as much as in the text. Ranks by
# meaning weigh a fifth of those by words, unless no passage reaches 0.15 by its words: then these say nothing of the
# question. Both were found with the half of the questions of ``bench.search_quality`` that is there for it.
#
# Vectors are ranked before it is looked up which of them are of the documents: the nearest are enough unless most of
# them are not.
RANKING = """
WITH {seen}asked AS MATERIALIZED (
    SELECT word, plainto_tsquery('simple', word) AS query, array_agg(configuration) AS configurations FROM (
        SELECT word, configuration FROM unnest(CAST(:words AS text[]), CAST(:word_configurations AS text[]))
        AS given (word, configuration) UNION (
            SELECT DISTINCT unnest(tsvector_to_array(to_tsvector(CAST(configuration AS regconfig), found[1]))) AS word,
                configuration FROM (
                SELECT chunk.content, configuration FROM {chunk} AS chunk
                JOIN ai_rag_document AS document ON document.id = document_id
                WHERE CAST(:begun AS text) <> '' AND search @@ CAST(:begun AS tsquery)
                AND document_id = ANY(CAST(:documents AS uuid[])) LIMIT 3000
            ) AS holding CROSS JOIN LATERAL regexp_matches(content, :beginning, 'gi') AS found
            ORDER BY word, configuration LIMIT :most
        )
    ) AS meant GROUP BY word
), bound AS MATERIALIZED (
    SELECT greatest(:least_met, :most_met / greatest(count(*), 1)) AS most FROM asked
), searched AS MATERIALIZED (
    {counted}
), met AS MATERIALIZED (
    SELECT word, found.id, found.document_id FROM asked CROSS JOIN LATERAL (
        SELECT id, document_id FROM {chunk} WHERE search @@ asked.query
        AND document_id = ANY(CAST(:documents AS uuid[])) LIMIT (SELECT most FROM bound)
    ) AS found
), phrased AS (
    SELECT id, document_id FROM {chunk} WHERE CAST(:phrased AS text) IS NOT NULL
    AND search @@ CAST(:phrased AS tsquery) AND document_id = ANY(CAST(:documents AS uuid[]))
    LIMIT (SELECT most FROM bound)
), counted AS MATERIALIZED (
    SELECT word, count(*) AS found FROM met GROUP BY word
), sampled AS MATERIALIZED (
    SELECT search FROM ({sample}) AS taken WHERE EXISTS (SELECT FROM counted CROSS JOIN bound WHERE found >= most)
), weighed AS MATERIALIZED (
    SELECT word, query, configurations, ln(1 + (passages - held + 0.5) / (held + 0.5)) AS weight
    FROM asked LEFT JOIN counted USING (word) CROSS JOIN searched CROSS JOIN bound CROSS JOIN LATERAL (
        SELECT least(passages, CASE WHEN found >= most
            THEN greatest(found, passages * (SELECT avg(CAST(search @@ query AS int)) FROM sampled))
            ELSE coalesce(found, 0) END) AS held
    ) AS frequency
), candidate AS MATERIALIZED (
    SELECT id FROM (
        SELECT id, weight FROM met JOIN weighed USING (word) UNION ALL SELECT id, 0 FROM phrased
    ) AS weighing JOIN {chunk} AS chunk USING (id) WHERE {demanded} GROUP BY id ORDER BY sum(weight) DESC, id LIMIT 300
), passage AS MATERIALIZED (
    SELECT chunk.id, document_id, search, configuration,
        to_tsvector(CAST(configuration AS regconfig), title) AS titled,
        0.25 + 0.75 * length(chunk.content) / avg(length(chunk.content)) OVER () AS length
    FROM candidate JOIN ai_rag_chunk AS chunk USING (id) JOIN ai_rag_document AS document ON document.id = document_id
), hit AS (
    SELECT id, lexeme AS word, cardinality(positions) AS often
    FROM passage CROSS JOIN unnest(search) WHERE lexeme = ANY(ARRAY(SELECT word FROM asked))
), theme AS (
    SELECT document_id, word, count(*) / greatest(chunk_count, 1)::float AS share
    FROM met JOIN ai_rag_document AS document ON document.id = document_id
    WHERE document_id IN (SELECT document_id FROM passage) GROUP BY document_id, word, chunk_count
), worded AS (
    SELECT id, sum(weight * (
        coalesce(2.2 * often / (often + 1.2 * passage.length), 0) + 2.2 * coalesce(share, 0)
        + CASE WHEN titled @@ query THEN 1.1 ELSE 0 END
    )) / (5.5 * sum(weight)) AS score
    FROM passage JOIN weighed ON configuration = ANY(configurations)
    LEFT JOIN hit USING (id, word) LEFT JOIN theme USING (document_id, word)
    GROUP BY id
), by_words AS (
    SELECT id, score, row_number() OVER (ORDER BY score DESC, id) AS place FROM worded
), question AS MATERIALIZED (
    SELECT model, provider, metric, CAST(written AS vector) AS vector FROM unnest(
        CAST(:models AS text[]), CAST(:providers AS uuid[]), CAST(:metrics AS text[]), CAST(:vectors AS text[])
    ) AS given (model, provider, metric, written)
), near AS MATERIALIZED (
    {nearest}
), own AS MATERIALIZED (
    SELECT chunk.id, score FROM near JOIN {chunk} AS chunk ON chunk.id = chunk_id
    WHERE document_id = ANY(CAST(:documents AS uuid[])) AND {demanded}
), by_meaning AS (
    SELECT id, score, row_number() OVER (ORDER BY score DESC, id) AS place FROM (
        SELECT id, score FROM own
        WHERE (SELECT count(*) FROM own) >= 300 OR {is_all}
        UNION ALL
        SELECT chunk.id, score FROM ({measured}) AS measured JOIN {chunk} AS chunk ON chunk.id = chunk_id
        WHERE (SELECT count(*) FROM own) < 300 AND NOT {is_all}
        AND score <> 'NaN' AND document_id = ANY(CAST(:documents AS uuid[])) AND {demanded}
    ) AS chosen ORDER BY score DESC, id LIMIT 300
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
    CASE WHEN :around > 0 THEN substr(document.content, least(end_offset, 2000000) + 1, :around) END
FROM (
    SELECT found.*, row_number() OVER (PARTITION BY document_id ORDER BY found.score DESC, found.id) AS nth
    FROM found JOIN ai_rag_chunk AS chunk USING (id) WHERE found.score >= :least
) AS best JOIN ai_rag_chunk AS chunk ON chunk.id = best.id
JOIN ai_rag_document AS document ON document.id = chunk.document_id
WHERE nth <= :per_document
ORDER BY best.score DESC, best.id LIMIT :take
"""
DEMANDED = "(CAST(:demanded AS text) IS NULL OR search @@ CAST(:demanded AS tsquery))"
# How near the vectors of each model of the question are, in the bases that have it.
MEASURED = """
    SELECT made.chunk_id, CASE
        WHEN vector_dims(made.vector) <> vector_dims(asked.vector) THEN NULL
        WHEN asked.metric = 'l2' THEN 1 - (made.vector <-> asked.vector) ^ 2 / 2
        WHEN asked.metric = 'inner_product' THEN -(made.vector <#> asked.vector)
        ELSE 1 - (made.vector <=> asked.vector)
    END AS score
    FROM question AS asked
    JOIN ai_rag_index AS base ON base.embedding_model = asked.model AND base.metric = asked.metric
        AND base.provider_id IS NOT DISTINCT FROM asked.provider
        AND base.id IN (SELECT index_id FROM ai_rag_document WHERE id = ANY(CAST(:documents AS uuid[])))
    JOIN ai_rag_embedding AS made ON made.index_id = base.id AND made.model = asked.model
"""
# The nearest vectors, and those of one base by its index, which does not tell whether these are all: some of what it
# finds may have been removed.
NEAREST = """SELECT chunk_id, score FROM ({measured}) AS measured
    WHERE score <> 'NaN' ORDER BY score DESC, chunk_id LIMIT :nearest"""
NEAREST_INDEXED = """SELECT chunk_id, {score} AS score FROM (
        SELECT chunk_id, vector {by} CAST(:asked AS vector) AS distance FROM (
            SELECT chunk_id, vector FROM ai_rag_embedding
            WHERE index_id = :base AND model = :model AND dimensions = {dimensions}
            ORDER BY {indexed} {by} {asked} LIMIT :nearest
        ) AS indexed
    ) AS near WHERE distance <> 'NaN'"""
IS_ALL = "((SELECT count(*) FROM near) < :nearest)"
SCORES = {"cosine": "1 - distance", "l2": "1 - distance ^ 2 / 2", "inner_product": "-distance"}
# Passages that are spread evenly over the first documents.
SAMPLE = """
    SELECT search FROM (
        SELECT id, chunk_count, greatest(5, 1000 / greatest(documents, 1)) AS parts FROM searched JOIN ai_rag_document
        ON id = ANY(CAST(:documents AS uuid[])) AND chunk_count > 0 ORDER BY id LIMIT 200
    ) AS document CROSS JOIN LATERAL generate_series(0, least(parts, chunk_count) - 1) AS part
    CROSS JOIN LATERAL (
        SELECT search FROM ai_rag_chunk WHERE document_id = document.id
        AND position = part * chunk_count / least(parts, chunk_count) LIMIT 1
    ) AS chunk
"""
SAMPLE_SEEN = "SELECT search FROM passages_seen LIMIT 1000"
# How many passages and documents there are.
COUNTED = """SELECT coalesce(sum(chunk_count), 0) AS passages, count(*) AS documents
    FROM ai_rag_document WHERE id = ANY(CAST(:documents AS uuid[]))"""
COUNTED_SEEN = "SELECT count(*) AS passages, count(DISTINCT document_id) AS documents FROM passages_seen"
# What callers with grants see of the passages, or few passages among many, in place of the table.
SEEN = """passages_seen AS MATERIALIZED (
    SELECT * FROM ai_rag_chunk WHERE document_id = ANY(CAST(:documents AS uuid[])) AND {granted}
    AND document_id IN (SELECT id FROM ai_rag_document WHERE id = ANY(CAST(:documents AS uuid[])) AND {titled})
), """
Ranking = tuple[TextClause, Mapping[str, Any]]
# What a passage shows of the models that it is made of, by which operation.
QUOTED = ((AiRagChunk, "list", ("content", "documentId")), (AiRagDocument, "read", ("title",)))


@lru_cache(maxsize=STATEMENTS_KEPT)
def ranking(reader: Reader, *, apart: bool, dimensions: int = 0, metric: str = "") -> Ranking:
    """The statement for the passages that a reader sees, with its parameters that never change. The passages are read
    ``apart`` from all others where they are few. With ``dimensions`` it uses the index of vectors of one base."""
    nearest = NEAREST.format(measured=MEASURED)
    if dimensions:
        nearest = nearest_indexed(metric, dimensions)
    is_all = "FALSE" if dimensions else IS_ALL
    parts = {"demanded": DEMANDED, "measured": MEASURED, "nearest": nearest, "is_all": is_all}
    if reader.base is reader and not apart:
        return text(RANKING.format(chunk="ai_rag_chunk", seen="", counted=COUNTED, sample=SAMPLE, **parts)), {}
    seen, fixed = _seen(reader)
    parts |= {"seen": seen, "counted": COUNTED_SEEN, "sample": SAMPLE_SEEN}
    return text(RANKING.format(chunk="passages_seen", **parts)), fixed


def nearest_indexed(metric: str, dimensions: int) -> str:
    """The query for the nearest vectors of one base by its index."""
    indexed, asked = (indexed_as(metric, dimensions, each) for each in ("vector", "CAST(:asked AS vector)"))
    parts = {"by": DISTANCES[metric], "dimensions": dimensions, "indexed": indexed, "asked": asked}
    return NEAREST_INDEXED.format(score=SCORES[metric], **parts)


def _seen(reader: Reader) -> tuple[str, Mapping[str, Any]]:
    if reader.base is reader:
        return SEEN.format(granted="TRUE", titled="TRUE"), {}
    shown = [fragments.showing(model, reader, operation, names) for model, operation, names in QUOTED]
    granted, titled = (
        fragments.as_text(f"({each.on(table)})")
        for each, table in zip(shown, ("ai_rag_chunk", "ai_rag_document"), strict=True)
    )
    return SEEN.format(granted=granted, titled=titled), {k: v for each in shown for k, v in each.fixed.items()}
