"""Ranked lists: the rows that answer a question best, by its words, by its meaning, or by both.

The rows are those of the list, under the same conditions. By words rank those that a search finds; by meaning those
whose vectors are nearest to that of the question, where they show the caller all that their vector was made of. Both
rankings make one by reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import Record
from app.engine.read import expansions, pages
from app.engine.read.concurrency import query_slot
from app.engine.read.conditions import Source
from app.engine.read.encoding import dumps
from app.engine.read.layout import Layout, build_layout, named
from app.engine.read.query import Page, Query, RankBy
from app.engine.read.statements import Statement, autocommit_connection, statement_cache
from app.foundation.errors import InvalidSearch, Unavailable

log = logging.getLogger(__name__)

# Rows that a ranked list has at most, by each of its ways.
MOST = 200
NO_VECTORS = "No vectors are made here: search by keyword"
# What the vectors of records were made of, and a question's has to be.
SHOWN = ("list", "read")
# Ranks by meaning weigh a fifth of those by words, as in knowledge bases, unless no row holds the words. The best score
# there could be is 1.
RANKED = """
WITH worded AS MATERIALIZED (
    SELECT id, score, row_number() OVER (ORDER BY score DESC, id) AS place FROM ({worded}) AS found
), near AS MATERIALIZED (
    SELECT id, score, row_number() OVER (ORDER BY score DESC, id) AS place FROM ({near}) AS found
), weight AS (
    SELECT CASE WHEN EXISTS (SELECT FROM worded) THEN 1 / 1.2 ELSE 0 END AS words
), ranked AS (
    SELECT coalesce(worded.id, near.id) AS id, CASE %(rank_by)s::text
        WHEN 'keyword' THEN worded.score WHEN 'vector' THEN least(greatest(near.score, 0), 1)
        ELSE 11 * (coalesce(words / (10 + worded.place), 0) + coalesce((1 - words) / (10 + near.place), 0))
    END::float8 AS score
    FROM worded FULL JOIN near ON near.id = worded.id CROSS JOIN weight ORDER BY score DESC, id LIMIT %(take)s::bigint
)
SELECT ranked.score, {columns} FROM ranked JOIN {table} ON {alias}.id = ranked.id ORDER BY ranked.score DESC, ranked.id
"""
# The rank lies between 0 and 1 by its last flag (PostgreSQL, 12.3.3).
WORDED = """
SELECT {alias}.id, ts_rank({words}, to_tsquery('simple', %(search)s), 32) AS score FROM {table} WHERE {where}
ORDER BY score DESC, id LIMIT {most}
"""
NEAR = """
SELECT id, 1 - distance AS score FROM (
    SELECT {alias}.id, CASE WHEN vector_dims(kept.vector) = %(dimensions)s
        THEN kept.vector <=> %(question)s::vector ELSE 'NaN' END AS distance
    FROM {table} JOIN platform_record_vector AS kept ON kept.record_id = {alias}.id AND kept.model = '{model}'
    WHERE kept.embedder = %(embedder)s AND {where}
) AS measured WHERE distance <> 'NaN' ORDER BY distance, id LIMIT {most}
"""
NOTHING = "SELECT NULL::uuid AS id, 0::float8 AS score WHERE false"


class Question(NamedTuple):
    """A question as the ``embedder`` of the records' vectors puts it."""

    embedder: str
    vector: Sequence[float]


@dataclass(frozen=True)
class RankedStatement(Statement):
    """Each row is a score, and a record as ``layout`` has it."""

    layout: Layout


Embed = Callable[[str], Question | None]
_embed: list[Embed] = []


def embeds_questions(embed: Embed) -> Embed:
    """Have questions put by a function, which returns nothing where no vectors are made, and raises Unavailable where
    that takes too long."""
    _embed[:] = [embed]
    return embed


def ranked_page(model: type[Record], principal: Principal, query: Query) -> Page:
    """Return the rows that answer what ``query`` searches for best, each with its ``score``, best first. Raises
    InvalidSearch and Unavailable where it asks for meaning alone and the question comes to no vector, and
    QueryTimeout."""
    rank_by = query.rank_by or RankBy.HYBRID
    question = None if rank_by is RankBy.KEYWORD else _question(query)
    if question is None and rank_by is RankBy.VECTOR:
        raise InvalidSearch(NO_VECTORS, details={"fields": {"searchMode": [NO_VECTORS]}})
    ways = RankBy.KEYWORD if question is None else rank_by
    key = (model, principal.reader, "ranked", ways, query.where.key, query.selection.key, query.versions)
    statement = statement_cache.get(key, lambda: _compiled(model, principal.reader, query, ways))
    binds: dict[str, Any] = pages.bound_values(query.where, query.search) | principal.binds
    binds |= {"rank_by": ways, "take": query.take}
    if question is not None:
        binds |= {"embedder": question.embedder, "dimensions": len(question.vector)}
        binds["question"] = dumps(question.vector).decode()
    with query_slot(principal), autocommit_connection("queries") as connection:
        rows, layout = statement.rows_in_time(connection, binds), statement.layout
        records = layout.records(rows, 1)
        if query.selection.expansions:
            referred = [layout.referred(row, 1) for row in rows]
            expansions.expand(connection, principal, query.selection, list(zip(records, referred, strict=True)))
    for record, row in zip(records, rows, strict=True):
        record["score"] = row[0]
    versions = layout.versions(rows, 1) if query.versions else None
    is_degraded = question is None and rank_by is not RankBy.KEYWORD
    return Page(records, -1, "none", versions=versions, degraded=is_degraded)


def _question(query: Query) -> Question | None:
    """What is searched for as a vector, where one is made in time; raises Unavailable for meaning alone."""
    try:
        return _embed[0](query.search) if _embed else None
    except Unavailable as failure:
        if query.rank_by is RankBy.VECTOR:
            raise
        log.warning("A list is ranked by words alone: %s", failure.text)
        return None


def _compiled(model: type[Record], reader: Reader, query: Query, ways: RankBy) -> RankedStatement:
    source = Source(model, reader)
    where = pages.conditions(source, query.without_search())
    layout, columns = build_layout(source, query.selection, versioned=query.versions)
    named_parts = {"table": source.table, "alias": source.alias, "most": MOST}
    worded = near = NOTHING
    if ways is not RankBy.VECTOR:
        found = " AND ".join([*where, *pages.search_conditions(source)])
        worded = WORDED.format(where=found, words=pages.searched_words(source), **named_parts)
    if ways is not RankBy.KEYWORD:
        fields = [model.fields()[name] for name in model.semantic]
        shown = [source.shows(model, field, source.alias, SHOWN) for field in fields]
        found = " AND ".join([*where, *filter(None, shown)])
        near = NEAR.format(where=found, model=model.qualified_name(), **named_parts)
    sql = RANKED.format(worded=worded, near=near, columns=named(columns), **named_parts)
    return RankedStatement(sql, source.fixed, layout)
