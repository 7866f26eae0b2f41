"""Which tables of a database others may not write, and for how long."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import psycopg

INTERVAL = 0.02
# The locks with which no row can be written.
STRONG = """
SELECT l.pid, l.virtualtransaction, c.relname FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
WHERE l.granted AND l.pid <> pg_backend_pid() AND c.relkind = 'r'
AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND c.relnamespace = 'public'::regnamespace
AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
"""


@contextmanager
def watching_locks(url: str) -> Iterator[dict[str, float]]:
    """The seconds for which each table was locked at a time, at most, filled while the block runs."""
    longest: dict[str, float] = {}
    ended = Event()

    def watch() -> None:
        since: dict[tuple[int, str, str], float] = {}
        with psycopg.connect(url, autocommit=True) as connection:
            while not ended.wait(INTERVAL):
                now = time.monotonic()
                held = {tuple(row): since.get(tuple(row), now) for row in connection.execute(STRONG)}
                since.clear()
                since.update(held)
                for (_, _, table), begun in held.items():
                    longest[table] = max(longest.get(table, 0.0), now - begun)

    thread = Thread(target=watch, name="locks", daemon=True)
    thread.start()
    try:
        yield longest
    finally:
        ended.set()
        thread.join()
