"""The settings of the engine: how much one query may ask for, and how long an export may take."""

from __future__ import annotations

from config import Setting

SETTINGS = (
    Setting("query_timeout", 5.0, "seconds that a statement with conditions, a sort or a search may take", 0.05, 3600),
    Setting("max_conditions", 64, "conditions in one query, relations on their way included", 1, 1000),
    Setting("max_query_depth", 6, "levels that the conditions of one query may nest", 1, 20),
    Setting("max_hops", 3, "relations that a condition, a sort key or an expansion may go along", 1, 10),
    Setting("max_sort_keys", 5, "keys that one query may sort by", 1, 20),
    Setting("max_expansions", 10, "relations that one query may expand", 1, 100),
    Setting("max_records", 10_000, "records in one answer, expanded ones included", 1, 1_000_000),
    Setting("max_answer_bytes", 16 * 1024 * 1024, "largest answer of a query, in bytes", 1024, 1024**3),
    Setting(
        "queries_per_user",
        0,
        "queries, deep pages, bulk writes and imports of one user at a time, over all workers; 0 means 2, or 1 "
        "where the embedded PostgreSQL shares two processors",
        0,
        1000,
    ),
    Setting(
        "queries_at_once",
        0,
        "queries, deep pages, bulk writes and imports of all users at a time; 0 means twice the number of processors",
        0,
        10_000,
    ),
    Setting(
        "query_seconds",
        30.0,
        "seconds that queries, deep pages, bulk writes and imports of one user may take within a minute",
        0.05,
        86_400,
    ),
    Setting("batch_timeout", 10.0, "seconds after which a batch begins no further request", 0.05, 3600),
    Setting("idempotency_hours", 24, "hours that answers are kept under their idempotency keys", 1, 720),
    Setting("changes_days", 30, "days that changes are kept, for history, undo and feeds; 0 keeps none", 0, 3650),
    Setting("export_timeout", 900.0, "seconds that an export may take, its client included", 1, 86_400),
    Setting("export_stall", 60.0, "seconds in which the client of an export may read nothing", 1, 3600),
    Setting("exports_per_user", 0, "exports of one user at a time; 0 means as QUERIES_PER_USER", 0, 100),
    Setting("exports_at_once", 4, "exports of everybody at a time, over all workers; each has a connection", 1, 100),
)
