"""The partitions of the log, one for each day: made ahead, and dropped once their days are over."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import psycopg
from flask import current_app
from psycopg import sql

from app.engine.read.database import RETRYABLE
from app.engine.read.statements import autocommit_connection
from app.foundation.clock import now

DAYS_AHEAD = 7
PREFIX = "platform_change_"
MAKE = "SELECT rowgate_make_change_partitions(%(days)s)"
# With whether they are attached, and whether they are about to be detached.
PARTITIONS = """
SELECT c.relname, i.inhrelid IS NOT NULL, coalesce(i.inhdetachpending, false)
FROM pg_class AS c LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
WHERE c.relname ~ '^platform_change_[0-9]{8}$' AND c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
ORDER BY c.relname
"""
FORGET = """
DELETE FROM platform_change_position WHERE position IN (
    SELECT position FROM platform_change_position
    WHERE position <= (SELECT max(position) FROM platform_change_position WHERE at < %(before)s) LIMIT %(most)s)
"""
BATCH = 10_000
# A statement that took too long, as somebody reads the partition, and one that is on its way out already.
LATER = ("57014", "55000")


def keep() -> None:
    """Make the partitions of the next days, and drop those whose changes are kept no longer, as periodic work."""
    kept = current_app.config["SETTINGS"].changes_days
    with autocommit_connection("writes") as connection:
        if not kept:
            return
        connection.execute(MAKE, {"days": DAYS_AHEAD})
        oldest = (now() - timedelta(days=kept)).date()
        before = datetime.combine(oldest, datetime.min.time(), now().tzinfo)
        while connection.execute(FORGET, {"before": before, "most": BATCH}).rowcount == BATCH:
            pass
        for name, is_attached, is_pending in connection.execute(PARTITIONS).fetchall():
            if _day(name) < oldest:
                _drop(connection, name, is_attached=is_attached, is_pending=is_pending)


def _drop(connection: Any, name: str, *, is_attached: bool, is_pending: bool) -> None:
    """Detach a partition beside all writes, and drop it; what is in use now is for the next time."""
    table = sql.Identifier(name)
    how = sql.SQL("FINALIZE") if is_pending else sql.SQL("CONCURRENTLY")
    try:
        if is_attached:
            connection.execute(sql.SQL("ALTER TABLE platform_change DETACH PARTITION {} {}").format(table, how))
        connection.execute(sql.SQL("DROP TABLE {}").format(table))
    except psycopg.Error as error:
        if error.sqlstate not in (*RETRYABLE, *LATER):
            raise


def _day(name: str) -> date:
    return datetime.strptime(name.removeprefix(PREFIX), "%Y%m%d").date()
