"""gevent support: waiting on PostgreSQL connections, and a thread pool for long computations.

psycopg gives way to other green threads by itself, through gevent's stand-in for ``select.poll``; but that sets up and
tears down a poll object for every answer, which costs a short statement as much as all the rest of the driver. So a
connection here waits on watchers of the event loop that it keeps. Every wait ends.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

import psycopg
from gevent import GreenletExit, Timeout, get_hub, monkey
from gevent.threadpool import ThreadPool
from psycopg import errors, generators
from psycopg.pq import ExecStatus
from psycopg.waiting import READY_R, READY_RW, READY_W, WAIT_R, WAIT_RW, WAIT_W

from app.runtime import change_context
from app.runtime.prepared import IDLE, DriverPrepareManager, PreparedStatements

T = TypeVar("T")

# The event loop goes first, and what computes still gets a third of a processor that is in demand.
NICENESS = 5
CANCEL_TIMEOUT = 1.0

# What psycopg waits for, as libev's events (1 to read, 2 to write), and what it is told when that came true.
EVENTS = {WAIT_R: (1, READY_R), WAIT_W: (2, READY_W), WAIT_RW: (3, READY_RW)}


class BoundedConnection(psycopg.Connection[Any]):
    """A connection that waits ``patience`` seconds for an answer, and is lost after that: a server that is frozen, or a
    network that swallows packets, keeps a connection open and answers nothing."""

    patience: float | None = None
    # Behind a pooler, the next transaction may come to another server, which knows nothing of what was prepared.
    prepares = True
    # Whether its statements are held to the time of a query of a caller.
    limited = False
    # Called, with the number of the server's process, when that said nothing for too long: other connections are likely
    # to be as silent, and what it has not read yet may reach it after all.
    on_silence: Callable[[int], None] | None = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._remembered = PreparedStatements()
        self._prepared = DriverPrepareManager(self._remembered)

    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """The rows of a statement that is asked again and again; raises psycopg's errors."""
        begins = self.pgconn.transaction_status == IDLE and not self.autocommit
        if begins or not self.prepares or self.pgconn.pipeline_status:
            return self.execute(sql, parameters).fetchall()
        return self._remembered.rows(self, sql, parameters)

    def _start_query(self) -> Any:
        """Begin a transaction where none runs, and tell in the same round trip who changes rows in it."""
        told = b"" if self.autocommit or self.pgconn.transaction_status != IDLE else change_context.command()
        if not told or self.pgconn.pipeline_status:
            yield from super()._start_query()
            if told:
                yield from self._exec_command(told)
            return
        self._check_connection_ok()
        self.pgconn.send_query(self._get_tx_start_command() + b"; " + told)
        for result in (yield from generators.execute(self.pgconn)):
            if result.status == ExecStatus.FATAL_ERROR:
                raise errors.error_from_result(result, encoding=self.pgconn._encoding)

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Drive ``gen`` to its end; raises OperationalError, and closes the connection, when that takes too long."""
        if timeout is not None:  # the driver's own limit, which it heeds itself
            return super().wait(gen, interval=interval, timeout=timeout)
        try:
            return self._driven(gen, interval)
        except errors._WaitTimeout:
            number = self.pgconn.backend_pid
            self.close()
            if self.on_silence is not None:
                self.on_silence(number)
            raise psycopg.OperationalError("The server does not answer") from None

    def _driven(self, gen: Any, interval: float) -> Any:
        return super().wait(gen, interval=interval, timeout=self.patience)


class GreenConnection(BoundedConnection):
    """A connection whose waiting lets other green threads run."""

    _hub: Any = None
    _watchers: dict[int, Any]

    def _driven(self, gen: Any, interval: float) -> Any:
        hub = get_hub()
        try:
            with Timeout(self.patience, errors._WaitTimeout):
                wanted = next(gen)
                while True:
                    events, ready = EVENTS[wanted]
                    hub.wait(self._watcher(hub, events))
                    wanted = gen.send(ready)
        except StopIteration as done:
            return done.value
        except GreenletExit:
            # The process ends: nobody waits for the statement, and the server need not go on with it.
            with suppress(psycopg.Error):
                self.cancel_safe(timeout=CANCEL_TIMEOUT)
            self.close()
            raise

    def close(self) -> None:
        self._drop_watchers()
        super().close()

    def _watcher(self, hub: Any, events: int) -> Any:
        if hub is not self._hub:
            self._drop_watchers()
            self._hub, self._watchers = hub, {}
        if events not in self._watchers:
            self._watchers[events] = hub.loop.io(self.pgconn.socket, events)
        return self._watchers[events]

    def _drop_watchers(self) -> None:
        for watcher in self._watchers.values() if self._hub is not None else ():
            watcher.close()
        self._hub = None


@cache
def _threads() -> ThreadPool:
    # One at a time: the other processor is for the requests that do not compute.
    return ThreadPool(1)


def run_in_thread(work: Callable[..., T], *arguments: Any) -> T:
    """Compute ``work`` on a thread of the operating system where gevent runs the process, so that its other green
    threads go on meanwhile. One piece of work at a time in each process; the others wait their turn."""
    if not monkey.is_module_patched("threading"):
        return work(*arguments)
    return _threads().apply(_politely, (work, *arguments))


def _politely(work: Callable[..., T], *arguments: Any) -> T:
    """Let the event loop go first where both want the processor. On Linux this is about the calling thread alone."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, 0, NICENESS)
    return work(*arguments)


def connect(url: str, **options: Any) -> BoundedConnection:
    """Connect to ``url``, waiting green where gevent runs the process."""
    kind = GreenConnection if monkey.is_module_patched("select") else BoundedConnection
    return kind.connect(url, **options)
