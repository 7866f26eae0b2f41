"""Statements that are asked again and again, run through libpq without a cursor.

psycopg's cursors take five times as long as the statement itself: they look anew at what they did the last time. Here
its own classes dump parameters and load rows, and what is between them is left out. Everything else goes through
cursors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from psycopg import Connection, errors, pq
from psycopg._connection_base import BaseConnection
from psycopg._preparing import PrepareManager
from psycopg.abc import PQGen
from psycopg.adapt import PyFormat, Transformer
from psycopg.generators import execute

Row = tuple[Any, ...]
# How often a statement is asked before the server is told to remember it, as psycopg has it, and how many it remembers.
THRESHOLD, MAX_STATEMENTS = 5, 100
PLACEHOLDER = re.compile(r"%\((\w+)\)s|%%")
# The tables of a statement have changed under it; the server does not know it.
OUTDATED, FORGOTTEN = "0A000", "26000"
IDLE, TUPLES = pq.TransactionStatus.IDLE, pq.ExecStatus.TUPLES_OK

Key = tuple[str, tuple[int, ...]]


class PreparedStatements:
    """The statements that the server remembers for one connection."""

    def __init__(self) -> None:
        self._names: dict[Key, bytes] = {}
        self._asked: dict[Key, int] = {}
        self._outdated: list[bytes] = []
        self._number = 0

    def rows(self, connection: Connection[Any], sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        """The rows of ``sql``; raises psycopg's errors."""
        transformer = Transformer(connection)
        text, names, formats = with_numbered_parameters(sql)
        values = transformer.dump_sequence([parameters[name] for name in names], formats)
        key = sql, transformer.types or ()
        name = self._names.get(key)
        if name is None:
            name = self._remembered(connection, key, text)
            if name is None:
                return connection.execute(sql, parameters).fetchall()
        connection.pgconn.send_query_prepared(name, values, transformer.formats)
        (result,) = connection.wait(execute(connection.pgconn))
        if result.status != TUPLES:
            error = errors.error_from_result(result, encoding="utf-8")
            if error.sqlstate == FORGOTTEN:
                self._names.pop(key, None)
            elif error.sqlstate == OUTDATED and key in self._names:
                self._outdated.append(self._names.pop(key))
            raise error
        transformer.set_pgresult(result)
        return transformer.load_rows(0, result.ntuples, tuple)

    def forget(self) -> None:
        """Take notice that the server remembers none of them any more."""
        self._names.clear()
        self._outdated.clear()

    def _remembered(self, connection: Connection[Any], key: Key, text: bytes) -> bytes | None:
        """The name of a statement, once it was asked often enough."""
        asked = self._asked.pop(key, 0) + 1
        if asked <= THRESHOLD:
            if len(self._asked) >= 2 * MAX_STATEMENTS:
                self._asked.clear()
            self._asked[key] = asked
            return None
        while self._outdated:
            connection.execute(b"DEALLOCATE " + self._outdated.pop())
        self._number += 1
        name = b"rowgate_%d" % self._number
        connection.pgconn.send_prepare(name, text, key[1])
        (result,) = connection.wait(execute(connection.pgconn))
        if result.status != pq.ExecStatus.COMMAND_OK:
            raise errors.error_from_result(result, encoding="utf-8")
        self._names[key] = name
        if len(self._names) > MAX_STATEMENTS:
            oldest = next(iter(self._names))
            connection.execute(b"DEALLOCATE " + self._names.pop(oldest))
        return name


class DriverPrepareManager(PrepareManager):
    """The statements that psycopg prepares itself. After ROLLBACK and DROP it has the server forget all there are."""

    def __init__(self, beside: PreparedStatements) -> None:
        super().__init__()
        self._beside = beside

    def maintain_gen(self, conn: BaseConnection[Any]) -> PQGen[None]:
        """Tell the server what it may forget; without a name, that is everything."""
        is_everything = None in self._to_flush
        yield from super().maintain_gen(conn)
        if is_everything:
            self._beside.forget()


@lru_cache(maxsize=1024)
def with_numbered_parameters(sql: str) -> tuple[bytes, tuple[str, ...], tuple[PyFormat, ...]]:
    """A statement with its parameters by number, as the server reads it, their names in this order, and as many
    formats: which one is left to psycopg."""
    places: dict[str, int] = {}

    def place(found: re.Match[str]) -> str:
        return "%" if found[1] is None else f"${places.setdefault(found[1], len(places) + 1)}"

    text = PLACEHOLDER.sub(place, sql)
    return text.encode(), tuple(places), (PyFormat.AUTO,) * len(places)
