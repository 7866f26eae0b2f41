"""The locks of migrations: short waits, tried again, so that an upgrade gets through while requests go on.

Requests lock the same tables in orders of their own, and whoever wants a table that a migration waits for waits behind
it. So a migration waits for a moment only, gives back what it has, and begins again a little later. What it had locked
or was waiting for it then locks before anything else, in one order: parents before what refers to them. Of two who wait
for each other, it is the request that gives way, and is done again: PostgreSQL looks for deadlocks on behalf of those
who have waited for a second, and the migration never does.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import Connection, event
from sqlalchemy.exc import DBAPIError

from app.engine.declare.record import metadata
from app.engine.read.database import RETRYABLE
from app.foundation.errors import Failure
from app.runtime import connections
from app.runtime.gevent_support import BoundedConnection
from config import Settings

log = logging.getLogger(__name__)

# Seconds that a lock is waited for at a time, and in all where those who have it wait themselves: for the migration,
# mostly, which ends by itself.
WAIT, INSIST = 0.8, 10.0
# Seconds between two tries, for those who waited behind the migration: at first, and the most.
PAUSE, MAX_PAUSE = 0.2, 3.0
POLL_INTERVAL = 0.1
# Seconds between two lines that say the same.
SAY_EVERY = 10.0
# From the weakest to the strongest, as pg_locks calls them and as LOCK TABLE does.
MODES = {
    "AccessShareLock": "ACCESS SHARE", "RowShareLock": "ROW SHARE", "RowExclusiveLock": "ROW EXCLUSIVE",
    "ShareUpdateExclusiveLock": "SHARE UPDATE EXCLUSIVE", "ShareLock": "SHARE",
    "ShareRowExclusiveLock": "SHARE ROW EXCLUSIVE", "ExclusiveLock": "EXCLUSIVE",
    "AccessExclusiveLock": "ACCESS EXCLUSIVE",
}  # fmt: skip
# Tables that the migration makes itself are not there yet for anybody else.
LOCKED = """
SELECT c.relname, l.mode, l.granted FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
WHERE l.pid = %(pid)s AND l.locktype = 'relation' AND c.relkind IN ('r', 'p')
AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND c.relnamespace = current_schema()::regnamespace
"""
HOLDERS = """
SELECT pid, extract(epoch FROM clock_timestamp() - xact_start)::int, wait_event_type IS NOT DISTINCT FROM 'Lock'
FROM unnest(pg_blocking_pids(%(pid)s)) AS blocking(pid) LEFT JOIN pg_stat_activity USING (pid) ORDER BY pid
"""


class LocksMissed(Failure):
    """A migration whose locks could not be had in time."""


@dataclass
class LockSnapshot:
    """The ``tables`` that a migration has locked or waits for, in which mode; what it waits for, in words; and whether
    all who have that wait for locks as well."""

    tables: dict[str, str] = field(default_factory=dict)
    awaited: str = ""
    all_wait: bool = False


class LockRetries:
    """The tries of migrations on ``connection``, for at most ``settings.database_upgrade_wait`` seconds each."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection, self._most = connection, settings.database_upgrade_wait
        self._driver: BoundedConnection = connection.connection.driver_connection  # type: ignore[assignment]
        self._lookout = LockMonitor(self._driver.info.backend_pid, settings)
        self._said = "", 0.0
        self.succeed()

    def succeed(self) -> None:
        """Take note that a migration is done: the next one has locks and a time of its own."""
        self._learnt: dict[str, str] = {}
        self._number, self._since = 0, 0.0

    def run(self, work: Callable[[], None]) -> None:
        """Call ``work``, and again where it did not get a lock; raises LocksMissed when that takes too long."""
        event.listen(self._connection, "begin", self._begin)
        event.listen(self._connection.engine, "do_execute", self._execute)
        try:
            with self._lookout:
                while not self._has_done(work):
                    pass
        finally:
            event.remove(self._connection.engine, "do_execute", self._execute)

    def _has_done(self, work: Callable[[], None]) -> bool:
        try:
            work()
        except (DBAPIError, psycopg.Error) as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            if getattr(cause, "sqlstate", None) not in RETRYABLE:
                raise
            self._give_way(error)
            return False
        return True

    def _begin(self, _: Connection) -> None:
        """Begin a transaction with what the last try has learnt. Where each statement is a transaction of its own, as
        for an index that is made beside all writes, nobody waits behind it."""
        if self._driver.autocommit:
            return
        self._driver.execute(f"SET LOCAL lock_timeout = {round(WAIT * 1000)}")
        for table in sorted(self._learnt, key=_lock_order):
            mode = sql.SQL(MODES[self._learnt[table]])
            statement = sql.SQL("LOCK TABLE {} IN {} MODE").format(sql.Identifier(table), mode)
            self._insist(partial(self._driver.execute, statement))

    def _execute(self, cursor: Any, statement: Any, parameters: Any, _: Any) -> bool:
        """Execute a statement of a migration; tells SQLAlchemy whether that was done."""
        if cursor.connection is not self._driver or self._driver.autocommit:
            return False
        self._insist(partial(cursor.execute, statement, parameters))
        return True

    def _insist(self, work: Callable[[], object]) -> None:
        """Do ``work``, again while those who have what it waits for wait themselves; what is locked stays so."""
        until = time.monotonic() + INSIST
        while True:
            try:
                with self._driver.transaction():
                    work()
                    return
            except psycopg.errors.LockNotAvailable:
                if not self._lookout.last.all_wait or time.monotonic() > until:
                    raise

    def _give_way(self, error: Exception) -> None:
        """Give back what is locked, and let others go on for a while."""
        self._connection.rollback()
        self._driver.rollback()
        sight, now = self._lookout.last, time.monotonic()
        for table, mode in sight.tables.items():
            self._learnt[table] = _stronger(mode, self._learnt.get(table))
        self._number += 1
        self._since = self._since or now
        awaited = sight.awaited or "a lock"
        if now - self._since > self._most:
            raise LocksMissed(f"It waited {now - self._since:.0f} s in vain for {awaited}") from error
        if self._said[0] != awaited or now - self._said[1] > SAY_EVERY:
            self._said = awaited, now
            log.warning("The migration waits for %s, and tries again", awaited)
        time.sleep(min(PAUSE * self._number, MAX_PAUSE) * random.uniform(0.5, 1.5))  # noqa: S311 - no secret


class LockMonitor:
    """Looks from a connection of its own what the process ``pid`` of the server has locked and waits for: of a
    transaction that did not get a lock, nothing is left to be seen."""

    def __init__(self, pid: int, settings: Settings) -> None:
        self.last = LockSnapshot()
        self._asked = {"pid": pid}
        self._settings = settings
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lookout", daemon=True)

    def __enter__(self) -> LockMonitor:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        # Without it, migrations lock what they come to.
        with suppress(psycopg.Error), closing(connections.connect(self._settings)) as connection:
            connection.autocommit = True
            while not self._over.wait(POLL_INTERVAL):
                self._look(connection)

    def _look(self, connection: BoundedConnection) -> None:
        """Look at a migration that waits; one that does not has nothing to tell."""
        holders = connection.execute(HOLDERS, self._asked).fetchall()
        if not holders:
            return
        sight, awaited = LockSnapshot(), []
        for table, mode, is_granted in connection.execute(LOCKED, self._asked):
            sight.tables[table] = _stronger(mode, sight.tables.get(table))
            awaited += [] if is_granted else [f"the table {table}"]
        by = ", ".join(f"{pid}{'' if age is None else f' for {age} s'}" for pid, age, _ in holders)
        sight.awaited = f"{', '.join(awaited) or 'a lock'}, held by the server process {by}"
        sight.all_wait = all(waits for *_, waits in holders)
        self.last = sight


def _stronger(mode: str, other: str | None) -> str:
    return mode if other is None else max(mode, other, key=list(MODES).index)


def _lock_order(table: str) -> tuple[bool, int, str]:
    """Where a table stands in the one order; those that no model has any more come last."""
    known = [each.name for each in metadata.sorted_tables]
    return table not in known, known.index(table) if table in known else 0, table
