"""COPY of a statement to a client: rows in blocks, on a connection that no request waits for.

An export lasts as long as its client reads. So it takes no connection from the pools, and somebody watches it: a client
that goes away or reads nothing any more, a caller who may not have it any more, and an export that takes too long, end
the statement.
"""

from __future__ import annotations

import ctypes
import select
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import psycopg
from flask import current_app
from psycopg import ClientCursor, generators, pq
from psycopg.waiting import WAIT_R

from app.engine.declare.principal import Principal
from app.engine.read.concurrency import export_slot
from app.engine.read.database import translated
from app.foundation.errors import QueryTimeout
from app.runtime import connections, gevent_support
from config import Settings

BLOCK_BYTES = 64 * 1024
# Seconds between two looks at the client, and between two questions to the database about the caller.
LOOK_EVERY, ASK_EVERY = 0.25, 2.0
CANCEL_TIMEOUT = 1.0
# An address of no family is as long as that of a peer, and all zeros.
ADDRESS_BYTES = 16
# The other end has closed; macOS tells that of a whole connection only.
GONE = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR

# Behind a pooler the session belongs to others, too: what is set here ends with the transaction.
PREPARE = "SELECT set_config('statement_timeout', %s, true), set_config('datestyle', 'ISO', true)"

Rows = Sequence[memoryview]


class ClientGone(BrokenPipeError):
    """Nobody reads the export any more, or may; the server closes the connection without a word."""


@dataclass(frozen=True, slots=True)
class Client:
    """Who reads an export: the connection that it goes over, and whether its caller may still have it, which another
    thread asks."""

    socket: socket.socket
    may_read: Callable[[], bool]


@contextmanager
def copied(
    sql: str, parameters: Mapping[str, Any], principal: Principal, client: Client | None
) -> Iterator[Iterator[Rows]]:
    """The rows of a COPY in one snapshot, without the end of their lines, in blocks; at the end of the context its
    statement ends. ``client`` is who reads them, where that can be watched.

    Raises RateLimited where too many exports run, QueryTimeout, ClientGone, and other failures of the database.
    """
    settings: Settings = current_app.config["SETTINGS"]
    with ExitStack() as ending:
        ending.enter_context(export_slot(principal))
        connection = ending.enter_context(_connected(settings))
        _limit(connection, settings)
        watch = Watch(connection, client, settings)
        ending.callback(watch.stop)
        yield _blocks(connection, sql, parameters, watch)


@contextmanager
def _connected(settings: Settings) -> Iterator[gevent_support.BoundedConnection]:
    """A connection of its own; its statement is cancelled where it still runs at the end."""
    try:
        connection = connections.connect(settings)
        connections.lower_priority(settings, connection)
    except psycopg.Error as error:
        raise translated(error) from error
    try:
        yield connection
    finally:
        if connection.pgconn.transaction_status == pq.TransactionStatus.ACTIVE:
            cancel(connection)
        connection.close()


def cancel(connection: psycopg.Connection[Any]) -> None:
    """Cancel the statement that runs, if one does."""
    with suppress(psycopg.Error, OSError):
        connection.cancel_safe(timeout=CANCEL_TIMEOUT)


def _limit(connection: gevent_support.BoundedConnection, settings: Settings) -> None:
    connection.patience = settings.export_timeout + connections.SLACK
    try:
        connection.execute(PREPARE, (str(round(settings.export_timeout * 1000)),))
    except psycopg.Error as error:
        raise translated(error) from error


def _blocks(
    connection: gevent_support.BoundedConnection, sql: str, parameters: Mapping[str, Any], watch: Watch
) -> Iterator[Rows]:
    """COPY takes no parameters: the driver writes them into the text, quoted for this connection."""
    try:
        connection.pgconn.send_query(ClientCursor(connection).mogrify(sql, parameters).encode())
        (begun,) = connection.wait(generators.execute(connection.pgconn))
        _require(begun, pq.ExecStatus.COPY_OUT)
        end = None
        while end is None:
            rows, end = connection.wait(_block(connection.pgconn))
            with watch.handing_out():
                yield rows
            # Where the client reads as fast as rows come nothing else would ever wait, and others want their turn.
            time.sleep(0)
        _require(end, pq.ExecStatus.COMMAND_OK)
    except psycopg.errors.QueryCanceled as error:
        raise ClientGone() if watch.has_ended_it else QueryTimeout() from error
    except psycopg.Error as error:
        raise ClientGone() if watch.has_ended_it else translated(error) from error


def _block(pgconn: Any) -> Generator[Any, Any, tuple[list[memoryview], Any]]:
    """As many rows as make a block, and the result of the statement behind the last one. One wait for all of them: the
    driver's own reading waits for each row, which takes four times as long."""
    rows: list[memoryview] = []
    size = 0
    while size < BLOCK_BYTES:
        count, row = pgconn.get_copy_data(1)
        if count > 0:
            rows.append(row[:-1])
            size += count
        elif count == 0:
            yield WAIT_R
            pgconn.consume_input()
        else:
            return rows, pgconn.get_result()
    return rows, None


def _require(result: Any, status: pq.ExecStatus) -> None:
    if result.status != status:
        raise psycopg.errors.error_from_result(result)


class Watch:
    """Ends an export from outside: its own thread may wait for the statement, or for the client."""

    def __init__(self, connection: psycopg.Connection[Any], client: Client | None, settings: Settings) -> None:
        self.has_ended_it = False
        self._connection, self._client = connection, client
        self._asked_at = time.monotonic()
        self._until, self._stall = self._asked_at + settings.export_timeout, settings.export_stall
        self._handed_out: float | None = None
        self._over = threading.Event()
        if client is not None:
            threading.Thread(target=self._run, name="export", daemon=True).start()

    @contextmanager
    def handing_out(self) -> Iterator[None]:
        """The client has a block to read."""
        self._handed_out = time.monotonic()
        yield
        self._handed_out = None

    def stop(self) -> None:
        self._over.set()

    def _run(self) -> None:
        while not self._over.wait(LOOK_EVERY):
            if self._is_late() or self._is_gone() or self._is_refused():
                # The question may have taken longer than the rest of the export; its connection serves others then.
                if self._over.is_set():
                    return
                self.has_ended_it = True
                self._hang_up()
                cancel(self._connection)
                return

    def _is_late(self) -> bool:
        now, since = time.monotonic(), self._handed_out
        return now > self._until or (since is not None and now > since + self._stall)

    def _is_gone(self) -> bool:
        """This asks the operating system alone, and takes nothing of a request that may follow."""
        client: Any = self._client
        if client.socket.fileno() < 0:
            return True
        poll = connections.poll()
        poll.register(client.socket.fileno(), GONE)
        return bool(poll.poll(0))

    def _is_refused(self) -> bool:
        if time.monotonic() < self._asked_at + ASK_EVERY:
            return False
        client: Any = self._client
        is_refused = not client.may_read()
        self._asked_at = time.monotonic()
        return is_refused

    def _hang_up(self) -> None:
        """Whoever writes to the client is told that it is gone."""
        client: Any = self._client
        reset(client.socket)


def reset(client: Any) -> None:
    """Reset a connection in the middle of an answer: to a client that reads to its end, one that is closed is whole.
    To connect to no address does that on Linux, and wakes whoever writes; elsewhere the connection is shut down."""
    with suppress(OSError):
        if _libc().connect(client.fileno(), bytes(ADDRESS_BYTES), ADDRESS_BYTES):
            client.shutdown(socket.SHUT_RDWR)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)
