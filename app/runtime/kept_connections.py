"""Connections on which every statement is a transaction of its own: a few of a pool's stay at hand between requests.

SQLAlchemy's pool takes as long to lend a connection and to take it back as a short statement does. Whoever finds none
at hand, as under load, has one of the pool.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from psycopg import Error
from sqlalchemy import Engine
from sqlalchemy.pool import PoolProxiedConnection

from app.runtime.gevent_support import BoundedConnection

# At most, and never more than a quarter of what the pool keeps: others draw on it, too.
MAX_IDLE = 4


class CheckedOut(NamedTuple):
    """A connection that one request has: what the pool has lent, the driver's, and what tells whether its server has
    said something unasked."""

    held: PoolProxiedConnection
    connection: BoundedConnection
    ending: Any


class AutocommitPool:
    """The connections at hand of the pool of ``engine``, which has ``size``. ``taken`` are those in use, by identity;
    ``noted`` is called whenever that changes. ``commits`` says whether those of the pool commit by themselves; those at
    hand are limited to statements of ``seconds``, where that is given and no pooler shares them with others; ``limit``
    does what else there is to do for that."""

    def __init__(
        self, engine: Engine, taken: dict[int, Any], size: int, *, commits: bool, seconds: float | None = None,
        limit: Callable[[BoundedConnection], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self._engine, self._taken, self._commits, self._seconds = engine, taken, commits, seconds
        self._limit, self._most = limit, min(MAX_IDLE, size // 4)
        self._waiting: list[CheckedOut] = []
        self._limited = 0
        self.noted: Callable[[], None] = lambda: None

    def take(self) -> CheckedOut:
        """A connection that nobody else uses; raises the errors of the driver, and of a pool that has none left."""
        while (lent := self._at_hand()) is not None:
            if not lent.ending.poll(0):
                self._taken[id(lent.connection)] = lent.connection
                self.noted()
                return lent
            self.drop(lent)  # the server ends it
        held = self._engine.raw_connection()
        connection: BoundedConnection = held.driver_connection  # type: ignore[assignment]
        if not connection.autocommit:
            connection.autocommit = True
        return CheckedOut(held, connection, held.info["poll"])

    def give_back(self, lent: CheckedOut) -> None:
        """Take a connection back; one that is broken is closed."""
        connection = lent.connection
        if connection.closed:
            self.drop(lent)
        elif connection.limited or self._limits(lent) or self._has_room(lent):
            self._taken.pop(id(connection), None)
            self.noted()
            self._waiting.append(lent)
        elif not connection.closed:
            connection.autocommit = self._commits
            lent.held.close()

    def _has_room(self, lent: CheckedOut) -> bool:
        """Whether a connection may stay at hand as it is."""
        return (self._seconds is None or not lent.connection.prepares) and len(self._waiting) < self._most

    def _limits(self, lent: CheckedOut) -> bool:
        """Hold a connection to its time from now on, unless there are enough. It never goes back to the pool then."""
        if self._seconds is None or not lent.connection.prepares or self._limited >= self._most:
            return False
        self._limited += 1
        lent.connection.limited = True
        try:
            lent.connection.execute(f"SET statement_timeout = {max(1, round(self._seconds * 1000))}")
            self._limit(lent.connection)
        except BaseException as error:
            self.drop(lent)
            if isinstance(error, Error):
                return False
            raise
        return True

    def drop(self, lent: CheckedOut) -> None:
        """Close a connection that is of no use any more."""
        self._limited -= lent.connection.limited
        lent.held.invalidate()
        lent.held.close()

    def close_with_idle(self, lent: CheckedOut) -> None:
        """Close a connection whose server is gone, and with it all that wait, here and in the pool."""
        self.drop(lent)
        self.close()

    def _at_hand(self) -> CheckedOut | None:
        try:
            return self._waiting.pop()
        except IndexError:
            return None

    def close(self) -> None:
        """Close all that wait, here and in the pool."""
        while (lent := self._at_hand()) is not None:
            self.drop(lent)
        self._engine.dispose()
