"""Connections to PostgreSQL: their options and time limits, and the count of those in use."""

from __future__ import annotations

import re
import select
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any
from weakref import ref

import orjson
import psycopg
from flask import Flask, current_app
from gevent import monkey
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.json import set_json_loads
from sqlalchemy import Engine, event, text
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.orm import Session

from app.extensions import READS, db
from app.runtime import embedded, gevent_support
from app.runtime.cluster import Cluster
from app.runtime.kept_connections import AutocommitPool
from config import Settings

# gevent's stand-in gives way to other green threads, and has an event loop to set up for that.
poll = monkey.get_original("select", "poll")

# The server ends a statement that takes too long; a server that has not answered so much later is lost.
SLACK = 2.0
CANCEL_TIMEOUT = 1.0
# How long the server may take to end a session that is given up, in seconds.
END_TIMEOUT = 2
# A session that began later is another one, which has got the process id.
END_SESSION = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE pid = %(number)s AND backend_start < clock_timestamp() - make_interval(secs => %(age)s)
"""
# What a pool tells of a connection; one that was lost is not always checked in.
RETURN_EVENTS = ("checkin", "invalidate", "close", "detach")
CHANGES = ("checkout", *RETURN_EVENTS)
# A peer that is gone without a word is noticed after about this time, also while nothing is asked of it.
KEEPALIVE: dict[str, Any] = {
    "keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 2, "tcp_user_timeout": 15_000,
}  # fmt: skip


def server_url(settings: Settings) -> str:
    """Where the database of ``settings`` is, as libpq reads it. The embedded one tells that only while it runs."""
    url = settings.database_url or embedded.database_url(settings.var_dir)
    return re.sub(r"^postgres(ql)?(\+psycopg)?://", "postgresql://", url)


def timeouts(settings: Settings) -> dict[str, float]:
    """The limits of PostgreSQL on a connection, in seconds."""
    return {
        "statement_timeout": settings.database_statement_timeout,
        "lock_timeout": settings.database_lock_timeout,
        "idle_in_transaction_session_timeout": settings.database_idle_timeout,
    }


def session_commands(settings: Settings) -> str:
    """The SQL that begins every connection. Behind a pooler, connections are shared with others and the limits are
    settings of the role; of what is set here a pooler keeps the time zone."""
    limits = {} if settings.database_pooler else timeouts(settings)
    # A statement that several processes work on would take their processors from the statements of others.
    alone = [] if settings.database_pooler else ["SET max_parallel_workers_per_gather TO 0"]
    return "; ".join(["SET timezone TO 'UTC'", *alone, *(_set(name, seconds) for name, seconds in limits.items())])


def options(settings: Settings) -> dict[str, Any]:
    """The parameters of every connection, of requests and of jobs; what the address says itself wins."""
    url = server_url(settings)
    given = {"connect_timeout": settings.database_connect_timeout, "application_name": "rowgate", **KEEPALIVE}
    return {"conninfo": url} | {name: value for name, value in given.items() if name not in conninfo_to_dict(url)}


def connect(settings: Settings) -> gevent_support.BoundedConnection:
    """A connection for a pool of requests; raises psycopg's OperationalError."""
    parameters = options(settings)
    connection = gevent_support.connect(
        parameters.pop("conninfo"),
        autocommit=True,
        **({"prepare_threshold": None} if settings.database_pooler else {}),
        **parameters,
    )
    try:
        connection.patience = settings.database_statement_timeout + SLACK
        connection.prepares = not settings.database_pooler
        connection.execute(session_commands(settings))
        connection.autocommit = False
    except BaseException:
        connection.close()
        raise
    # PostgreSQL writes a large float as a long row of digits, which has to come back as the float it was.
    set_json_loads(orjson.loads, connection)
    return connection


def allow_time(session: Session) -> None:
    """Give the statements of this transaction as long as those of jobs may take."""
    settings: Settings = current_app.config["SETTINGS"]
    session.execute(text(_set("LOCAL statement_timeout", settings.job_statement_timeout)))
    connection = session.connection().connection.driver_connection
    connection.patience = settings.job_statement_timeout + SLACK  # type: ignore[union-attr]


def init_app(app: Flask) -> None:
    """Keep account of the connections of ``app`` that are taken from its pools, and some at hand."""
    settings: Settings = app.config["SETTINGS"]
    app.extensions["connections_in_use"] = {"reads": {}, "writes": {}}
    usual = settings.database_statement_timeout + SLACK
    with app.app_context():
        for pool, engine in (("reads", db.engines[READS]), ("writes", db.engine)):
            _watch(engine, in_use(app)[pool], usual)
            event.listen(engine, "connect", partial(_empty_when_silent, ref(app)))
        size, reads, writes = settings.database_pool_size, db.engines[READS], db.engine
        app.extensions["kept_connections"] = {
            "reads": AutocommitPool(reads, in_use(app)["reads"], size, commits=True),
            "queries": AutocommitPool(
                reads,
                in_use(app)["reads"],
                size,
                commits=True,
                seconds=settings.query_timeout,
                limit=partial(lower_priority, settings),
            ),
            "writes": AutocommitPool(writes, in_use(app)["writes"], size, commits=False),
        }


def lower_priority(settings: Settings, connection: gevent_support.BoundedConnection) -> None:
    """Have what takes long go behind all else on the embedded server, which shares the processors with those who
    serve, until it ends. On any other server this is up to whoever runs that."""
    if not settings.database_url:
        Cluster(Path(settings.var_dir).resolve() / "postgres").lower_priority(connection.info.backend_pid)


def kept(purpose: str) -> AutocommitPool:
    """Connections of the running application that commit each statement, for ``reads``, ``queries`` of callers, which
    are held to their time, or ``writes``."""
    return current_app.extensions["kept_connections"][purpose]


def close_all() -> None:
    """Close the connections of the running application that nobody uses."""
    _close_all(current_app)


def _close_all(app: Flask) -> None:
    for each in app.extensions["kept_connections"].values():
        each.close()


def _empty_when_silent(app: ref[Flask], connection: gevent_support.BoundedConnection, _: Any) -> None:
    """Have all pools emptied once a connection falls silent, so that nobody waits in vain for another one, and have the
    server end its session. What listens to an engine is kept for ever, so it must not keep the application."""

    def give_up(number: int) -> None:
        found = app()
        if found is not None:
            _close_all(found)
            Thread(target=_end_session, args=(found.config["SETTINGS"], number), daemon=True).start()

    connection.on_silence = give_up


def _end_session(settings: Settings, number: int) -> None:
    """Have the server end a session that is given up, by the number of its process. A statement may still be on its way
    there: who has sent it was told that it failed, and may have written something else by then."""
    if settings.database_pooler:
        return  # whose sessions are those of others, too
    parameters = options(settings) | {"connect_timeout": END_TIMEOUT, "autocommit": True}
    with (
        suppress(psycopg.Error, OSError),
        gevent_support.connect(parameters.pop("conninfo"), **parameters) as connection,
    ):
        connection.patience = END_TIMEOUT
        connection.execute(END_SESSION, {"number": number, "age": settings.database_statement_timeout})


def in_use(app: Flask) -> dict[str, dict[int, Any]]:
    """The connections that are taken from each pool, by their identity."""
    return app.extensions["connections_in_use"]


def cancel_all(app: Flask) -> None:
    """Cancel whatever statements are running on connections that are taken."""
    taken = [connection for pool in in_use(app).values() for connection in list(pool.values())]
    with ThreadPoolExecutor(max(1, len(taken))) as canceller:
        list(canceller.map(_cancel, taken))


def _cancel(connection: psycopg.Connection[Any]) -> None:
    with suppress(psycopg.Error, OSError):
        connection.cancel_safe(timeout=CANCEL_TIMEOUT)


def _watch(engine: Engine, taken: dict[int, Any], usual: float) -> None:
    def lend(connection: Any, record: Any, _: Any) -> None:
        if _has_ended(connection, record):
            raise InvalidatePoolError()  # the pool makes a new one, and forgets those that are as old
        taken[id(connection)] = connection

    def take_back(connection: Any, *_: Any) -> None:
        taken.pop(id(connection), None)
        if connection is not None:
            connection.patience = usual

    event.listen(engine, "checkout", lend)
    for ending in RETURN_EVENTS:
        event.listen(engine, ending, take_back)


def _has_ended(connection: Any, record: Any) -> bool:
    """Whether the server has said something while nothing was asked: that it ends the connection. This asks the
    operating system alone, where a query would cost a round trip."""
    if "poll" not in record.info:
        record.info["poll"] = poll()
        record.info["poll"].register(connection.pgconn.socket, select.POLLIN)
    return bool(record.info["poll"].poll(0))


def _set(name: str, seconds: float) -> str:
    return f"SET {name} = {max(1, round(seconds * 1000))}"
