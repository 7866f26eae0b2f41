"""Indexes of vectors (HNSW), one for each large knowledge base of the kind ``hnsw``: made and dropped by the clock,
beside all writes. A search whose filter leaves too few of what an index finds compares all vectors after all."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from sqlalchemy import Connection, Row, func, select, text
from sqlalchemy.orm import Session

from app.ai_rag.models import AiRagIndex
from app.engine.declare.indexes import VECTORS
from app.engine.read.encoding import dumps
from app.extensions import db
from app.foundation.settings import settings

log = logging.getLogger(__name__)

# Vectors from which a base gets an index, and below which it loses it.
LARGE, SMALL = 10_000, 5_000
# How the distance by a metric is asked for.
DISTANCES = {"cosine": "<=>", "l2": "<->", "inner_product": "<#>"}
CLASSES = {"cosine": "halfvec_cosine_ops", "l2": "vector_l2_ops", "inner_product": "vector_ip_ops"}
# The least and the most that a base may ask for, as others wait for its index, and the usual ones of pgvector.
M, EF_CONSTRUCTION = (2, 32, 16), (4, 200, 64)
# How long an index may take, in which others wait for theirs.
LONGEST = "1h"
# Megabytes that PostgreSQL has by itself to make an index.
LEAST_MEMORY = 64
TABLE, LOCK = "ai_rag_embedding", 7_204_118
EXISTING = text("""
    SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indrelid = to_regclass(:table) AND starts_with(relname, :prefix)
""").bindparams(table=TABLE, prefix=VECTORS)
IS_VALID = text("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)")
BASE = (
    AiRagIndex.id, AiRagIndex.embedding_model, AiRagIndex.dimensions, AiRagIndex.metric, AiRagIndex.parameters,
    AiRagIndex.kind, AiRagIndex.embedded_count,
)  # fmt: skip


class VectorIndex(NamedTuple):
    """The index of a base: what its expression and its predicate are made of."""

    base_id: UUID
    model: str
    dimensions: int
    metric: str
    m: int
    ef_construction: int

    @property
    def name(self) -> str:
        """Another one for whatever makes another index."""
        made_of = (*self[1:], indexed_as(self.metric, self.dimensions, "vector"))
        return f"{VECTORS}{self.base_id.hex}_{sha256(dumps(made_of)).hexdigest()[:8]}"


def of_base(session: Session, index_id: UUID) -> VectorIndex | None:
    """The index that a search of a base may use."""
    base = session.execute(select(*BASE).where(AiRagIndex.id == index_id)).one_or_none()
    wanted = _wanted(base, SMALL) if base else None
    return wanted if wanted and session.scalar(IS_VALID, {"name": wanted.name}) else None


def keep_true() -> None:
    """Drop the indexes that no base needs any more, and those that were left half made; make those that are missing."""
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        try:
            if connection.scalar(text(f"SELECT pg_try_advisory_lock({LOCK})")):
                _carry_out(connection)
        finally:
            connection.invalidate()  # the next one has no lock, and the usual limits


def _carry_out(connection: Connection) -> None:
    driver: Any = connection.connection.driver_connection
    # Nobody waits behind an index that is made beside all writes, which itself waits for every transaction.
    driver.patience = None
    connection.execute(text("SET lock_timeout = 0"))
    connection.execute(text(f"SET statement_timeout = '{LONGEST}'"))
    for statement in list(_statements(connection)):
        try:
            driver.execute(statement)  # as it is: names of models may hold what others take for parameters
        except psycopg.Error as error:
            log.warning("An index of vectors is not kept: %s", error)  # those of other bases are


def _statements(connection: Connection) -> Iterator[str]:
    existing = {row.relname: row.indisvalid for row in connection.execute(EXISTING)}
    bases = connection.execute(select(*BASE).where(AiRagIndex.embedded_count >= SMALL)).all()
    kept = {found.name for base in bases if (found := _wanted(base, SMALL))}
    for name, is_valid in existing.items():
        if not is_valid or name not in kept:
            yield f"DROP INDEX CONCURRENTLY IF EXISTS {name}"
    for base in bases:
        wanted = _wanted(base, LARGE)
        if wanted is not None and not existing.get(wanted.name):
            model = connection.scalar(select(func.quote_literal(wanted.model)))
            yield f"SET maintenance_work_mem = '{_megabytes(wanted, base.embedded_count)}MB'"
            yield (
                f"CREATE INDEX CONCURRENTLY {wanted.name} ON {TABLE} USING hnsw"
                f" (({indexed_as(wanted.metric, wanted.dimensions, 'vector')}) {CLASSES[wanted.metric]})"
                f" WITH (m = {wanted.m}, ef_construction = {wanted.ef_construction})"
                f" WHERE index_id = '{wanted.base_id}' AND model = {model}"
                f" AND dimensions = {wanted.dimensions}"
            )


def indexed_as(metric: str, dimensions: int, vector: str) -> str:
    """The SQL of what an index holds of a ``vector``. Of a direction, numbers of two bytes tell enough, and an index of
    them takes half as much; lengths may lie beyond what these hold."""
    if metric == "cosine":
        return f"CAST(l2_normalize({vector}) AS halfvec({dimensions}))"
    return f"CAST({vector} AS vector({dimensions}))"


def _megabytes(wanted: VectorIndex, vectors: int) -> int:
    """What PostgreSQL needs to make an index without writing it in parts, which takes several times as long: of each
    vector its numbers, its neighbors (pgvector keeps 16 bytes of each, twice ``m`` of them), and some."""
    of_each = (2 if wanted.metric == "cosine" else 4) * wanted.dimensions + 32 * wanted.m + 256
    return min(max(vectors * of_each // 2**20 + 1, LEAST_MEMORY), settings.rag_index_memory)


def _wanted(base: Row[*tuple[object, ...]], least: int) -> VectorIndex | None:
    if base.kind != "hnsw" or base.embedded_count < least or not (base.embedding_model and base.dimensions):
        return None
    m = _parameter(base.parameters.get("m"), *M)
    ef_construction = max(2 * m, _parameter(base.parameters.get("efConstruction"), *EF_CONSTRUCTION))
    return VectorIndex(base.id, base.embedding_model, base.dimensions, base.metric, m, ef_construction)


def _parameter(given: object, least: int, most: int, usual: int) -> int:
    return min(max(given, least), most) if isinstance(given, int) and not isinstance(given, bool) else usual
