"""python -m bench.ranked_lists [ROWS]: what a list that a search ranks costs PostgreSQL, by mode.

The deals of one organization have names of two words out of 2,000, and random vectors of 256 dimensions. Told is the
processor time of the connection, the median of five, beside that of a plain search.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Callable
from dataclasses import replace

import psutil
from sqlalchemy import text

from app.auth.credentials.credentials import session_principal_by_id
from app.crm.models import CrmCompany, CrmDeal
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.read import pages, ranked
from app.engine.read.query import Query, RankBy
from app.engine.read.statements import autocommit_connection
from app.engine.write.unit_of_work import Unit, run_unit
from app.extensions import db
from bench.search_quality import signed_up
from bench.search_speed import started
from bench.servers import private_parts

ROWS, PORTION, DIMENSIONS, RUNS = 100_000, 2_500, 256, 5
PLAIN = Query(search="word7", is_plain=False)
FILLED = text("""
WITH made AS (
    INSERT INTO crm_deal (id, organization_id, company_id, name, stage, currency, probability, priority,
        stage_changed_at, created_at, updated_at)
    SELECT gen_random_uuid(), organization_id, crm_company.id,
        'word' || CAST(random() * 2000 AS int) || ' word' || CAST(random() * 2000 AS int),
        'lead', 'USD', 10, 'medium', now(), now(), now()
    FROM crm_company CROSS JOIN generate_series(1, :rows) RETURNING id
)
INSERT INTO platform_record_vector (id, created_at, updated_at, model, record_id, embedder, digest, vector)
SELECT gen_random_uuid(), now(), now(), 'crm/deal', id, 'random', repeat('0', 64), CAST((
    SELECT array_agg(random() - 0.5) FROM generate_series(1, :dimensions) WHERE made.id IS NOT NULL
) AS vector) FROM made
""")


def main(arguments: list[str]) -> int:
    """Fill, measure and print."""
    rows = int(arguments[0]) if arguments else ROWS
    drawn = random.Random(1)
    question = ranked.Question("random", [drawn.random() - 0.5 for _ in range(DIMENSIONS)])
    with private_parts() as folder, started(folder):
        ranked.embeds_questions(lambda _: question)
        principal = session_principal_by_id(run_unit(SYSTEM, signed_up))
        run_unit(principal, Unit.create, CrmCompany, {"name": "Harbour"})
        with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("SET statement_timeout = 0"))
            for _ in range(rows // PORTION):
                connection.execute(FILLED, {"rows": PORTION, "dimensions": DIMENSIONS})
            connection.execute(text("VACUUM ANALYZE"))
        spent = {"a plain search": _spent(principal, pages.list_page, PLAIN)}
        spent |= {str(by): _spent(principal, ranked.ranked_page, replace(PLAIN, rank_by=by)) for by in RankBy}
        print(f"{rows} rows:", "; ".join(f"{name} {1000 * each:.0f} ms" for name, each in spent.items()))
    return 0


def _spent(principal: Principal, read: Callable[..., object], query: Query) -> float:
    """Processor seconds of the connection, the median of some."""
    found = []
    for _ in range(RUNS):
        with autocommit_connection("queries") as connection:
            backend = psutil.Process(connection.execute("SELECT pg_backend_pid()").fetchall()[0][0])
        begun = sum(backend.cpu_times()[:2])
        read(CrmDeal, principal, query)
        found.append(sum(backend.cpu_times()[:2]) - begun)
    return statistics.median(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
