"""The state of the log, for those who run the service."""

from __future__ import annotations

from dataclasses import dataclass

from app.engine.read.statements import autocommit_connection

# Without a partition for today nothing can be written.
DAYS_TO_WARN = 3
# Seconds that a change may wait for its position, and a transaction be open.
MAX_LAG, MAX_OPEN = 120.0, 60.0
STATE = """
SELECT s.position, coalesce((
    SELECT extract(epoch FROM clock_timestamp() - min(c.at)) FROM platform_change AS c
    WHERE c.xact >= pg_snapshot_xmax(s.snapshot) OR c.xact = ANY (ARRAY(SELECT pg_snapshot_xip(s.snapshot)))
), 0)::float8, (
    SELECT min(ahead) - 1 FROM generate_series(0, 60) AS ahead WHERE NOT EXISTS (
        SELECT 1 FROM pg_class AS p JOIN pg_inherits AS i ON i.inhrelid = p.oid
        WHERE p.relname = 'platform_change_' || to_char((now() AT TIME ZONE 'UTC')::date + ahead, 'YYYYMMDD'))
), coalesce((
    SELECT extract(epoch FROM clock_timestamp() - min(xact_start)) FROM pg_stat_activity
    WHERE backend_xid IS NOT NULL AND datname = current_database()
), 0)::float8
FROM platform_change_sequencer AS s
"""


@dataclass(frozen=True)
class LogStatus:
    """The last ``position``, the seconds for which the oldest change has none, for how many ``days`` behind this one
    there are partitions without a gap,
    and how long the oldest transaction that writes has been open, in seconds."""

    position: int
    lag: float
    days: int
    oldest_transaction: float

    @property
    def ends_soon(self) -> bool:
        return self.days < DAYS_TO_WARN

    @property
    def waits(self) -> str:
        """What those who follow the changes wait for, empty where they do not."""
        if self.lag > MAX_LAG:
            return f"changes wait for their positions for {self.lag:.0f} s"
        if self.oldest_transaction > MAX_OPEN:
            return f"a transaction is open for {self.oldest_transaction:.0f} s, of whose changes nobody hears yet"
        return ""


def look() -> LogStatus:
    """Return the state of the log; raises Failure when the database does not say."""
    with autocommit_connection() as connection:
        return LogStatus(*connection.execute(STATE).fetchall()[0])
