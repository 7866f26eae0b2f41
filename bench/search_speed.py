"""python -m bench.search_speed [CHUNKS [OTHERS]]: what a search of a large knowledge base costs PostgreSQL, by mode.

The words of the chunks are drawn by Zipf's law out of 50,000, their vectors, of 256 dimensions, at random. Beside the
large base are OTHERS of a hundred chunks each. Told is the processor time of the connection that searches, the median
of five, for a question with a rare word, one with common words, and one with both.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from uuid import UUID

import psutil
from sqlalchemy import insert, text
from uuid_utils.compat import uuid7

from app.ai_rag import search, vector_indexes
from app.ai_rag.models import AiRagDocument, AiRagIndex
from app.ai_rag.wording import Wording
from app.auth.credentials.credentials import session_principal_by_id
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.write.unit_of_work import Unit, run_unit
from app.extensions import db
from app.factory import create_app
from app.schema.histories import upgrade
from bench.search_quality import signed_up
from bench.servers import private_parts
from config import Settings

CHUNKS, OTHERS, OF_OTHERS, OF_DOCUMENT = 200_000, 1_000, 100, 1_000
MODEL, DIMENSIONS, RUNS = "random", 256, 5
# By how often their words are drawn: once in 50 chunks, in nearly all, and these together.
QUESTIONS = {"rare": "word20000 word30000", "common": "word1 word2 word3", "both": "word20000 word2 word300"}
# Zipf's law with exponent 1: the logarithm of a rank is spread evenly.
FILLED = text("""
WITH made AS (
    INSERT INTO ai_rag_chunk (id, document_id, position, content, token_count, created_at, updated_at)
    SELECT gen_random_uuid(), :document, number, (
        SELECT string_agg('word' || floor(exp(random() * ln(50000)))::int, ' ')
        FROM generate_series(1, 120) WHERE number >= 0
    ), 120, now(), now() FROM generate_series(0, :count - 1) AS number RETURNING id
)
INSERT INTO ai_rag_embedding (id, chunk_id, index_id, model, dimensions, vector, created_at, updated_at)
SELECT gen_random_uuid(), id, :index, :model, :dimensions, (
    SELECT array_agg(random() - 0.5) FROM generate_series(1, :dimensions) WHERE made.id IS NOT NULL
)::vector, now(), now() FROM made
""")


def main(arguments: list[str]) -> int:
    """Fill, measure and print."""
    chunks, others = map(int, [*arguments, *map(str, (CHUNKS, OTHERS)[len(arguments) :])])
    with private_parts() as folder, started(folder):
        principal = session_principal_by_id(run_unit(SYSTEM, signed_up))
        large = _filled(principal, "Large", chunks)
        small = [_filled(principal, f"Small {number}", OF_OTHERS) for number in range(others)][-1]
        with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM ANALYZE"))
        print("without an index of vectors")
        _report(principal, {f"{chunks} chunks": large, f"{OF_OTHERS} chunks": small})
        begun = time.monotonic()
        vector_indexes.keep_true()
        print(f"with one, made in {time.monotonic() - begun:.0f} s")
        _report(principal, {f"{chunks} chunks": large})
    return 0


def _report(principal: Principal, bases: Mapping[str, UUID]) -> None:
    for name, index_id in bases.items():
        for kind, question in QUESTIONS.items():
            spent = {mode: _spent(principal, index_id, question, mode) for mode in ("keyword", "vector", "hybrid")}
            print(f"{name}, {kind}:", "; ".join(f"{mode} {1000 * each:.0f} ms" for mode, each in spent.items()))


@contextmanager
def started(folder: str) -> Iterator[None]:
    """Make an application with an empty database."""
    app = create_app(Settings(var_dir=folder, query_seconds=3600.0, embeddings="off"))
    with app.app_context():
        upgrade()
        yield


def _filled(principal: Principal, name: str, chunks: int) -> UUID:
    """A knowledge base of so many chunks, a thousand in a document, each with a vector."""
    index_id = UUID(str(run_unit(principal, Unit.create, AiRagIndex, {"name": name})["id"]))
    for number in range(max(1, chunks // OF_DOCUMENT)):
        run_unit(SYSTEM, _fill, index_id, number, min(chunks, OF_DOCUMENT))
    return index_id


def _fill(unit: Unit, index_id: UUID, number: int, count: int) -> None:
    unit.session.execute(text("SET LOCAL statement_timeout = 0"))
    document = uuid7()
    made = {"id": document, "index_id": index_id, "title": f"Made {number}", "status": "indexed", "chunk_count": count}
    unit.session.execute(insert(AiRagDocument).values(made))
    binds = {
        "document": document,
        "index": index_id,
        "first": 0,
        "count": count,
        "model": MODEL,
        "dimensions": DIMENSIONS,
    }
    unit.session.execute(FILLED, binds)
    counted = "UPDATE ai_rag_index SET embedding_model = :model, dimensions = :dimensions,"
    counted += " chunk_count = chunk_count + :count, embedded_count = embedded_count + :count WHERE id = :index"
    unit.session.execute(text(counted), binds)


def _spent(principal: Principal, index_id: UUID, question: str, mode: str) -> float:
    """Processor seconds of the connection for a search, the median of some."""
    drawn = random.Random(1)
    near = [search.QuestionVector(MODEL, None, "cosine", [drawn.random() - 0.5 for _ in range(DIMENSIONS)])]
    vectors = [] if mode == "keyword" else near
    return statistics.median(run_unit(principal, _searched, index_id, question, vectors, mode) for _ in range(RUNS))


def _searched(unit: Unit, index_id: UUID, question: str, vectors: list[search.QuestionVector], mode: str) -> float:
    unit.session.execute(text("SET LOCAL statement_timeout = 0"))
    unit.session.execute(text("SET LOCAL max_parallel_workers_per_gather = 0"))
    backend = psutil.Process(unit.session.scalar(text("SELECT pg_backend_pid()")))
    found = text("SELECT id FROM ai_rag_document WHERE index_id = :index")
    documents = unit.session.scalars(found, {"index": index_id}).all()
    begun = sum(backend.cpu_times()[:2])
    search.search(unit, unit.principal, Wording(question), documents, 10, vectors, search.Options(mode=mode), index_id)
    return sum(backend.cpu_times()[:2]) - begun


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
