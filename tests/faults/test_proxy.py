"""The proxy does to connections what its name for each fault says."""

from __future__ import annotations

import socket
import time
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from app.runtime.embedded import database_url
from app.testing.waiting import await_true
from tests.faults.proxy import FaultProxy

PORT = 5432


@pytest.fixture
def proxy(app, var_dir):
    folder = Path(conninfo_to_dict(database_url(var_dir))["host"])
    with FaultProxy(folder / f".s.PGSQL.{PORT}") as made:
        yield made


@pytest.fixture
def direct(app, var_dir):
    """A connection past the proxy, with a table to write to."""
    with psycopg.connect(database_url(var_dir), autocommit=True) as connection:
        connection.execute("CREATE TABLE faults (number int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        yield connection
        connection.execute("DROP TABLE faults")


@pytest.fixture
def connect(proxy):
    """Connects through the proxy."""
    made = []

    def connected(**options):
        made.append(psycopg.connect(proxy.url, **options))
        return made[-1]

    yield connected
    for connection in made:
        connection.close()


@pytest.fixture
def pool():
    """Threads for what is not answered at once."""
    with ThreadPoolExecutor() as threads:
        yield threads


def one(connection):
    return connection.execute("SELECT 1").fetchone()


def written(direct):
    return [number for (number,) in direct.execute("SELECT number FROM faults ORDER BY number")]


def insert(connection, number=1):
    connection.execute("INSERT INTO faults VALUES (%s)", (number,))


def commit_extended(connection):
    """COMMIT as the extended protocol sends it, first prepared and then run."""
    connection.execute("COMMIT", prepare=True, binary=True)


def test_what_is_asked_is_answered(proxy, connect):
    rows = connect().execute("SELECT repeat('x', 1000), n FROM generate_series(1, 2000) n").fetchall()
    assert [n for _, n in rows] == list(range(1, 2001))
    assert proxy.connections == 1


@pytest.mark.parametrize("commit", [psycopg.Connection.commit, commit_extended])
def test_a_swallowed_commit_is_done_and_its_client_is_not_told(proxy, direct, connect, commit):
    connection = connect()
    insert(connection)
    proxy.swallow_commits()
    with pytest.raises(psycopg.OperationalError):
        commit(connection)
    assert written(direct) == [1]
    assert proxy.swallowed == 1
    insert(second := connect(), 2)
    second.commit()
    assert written(direct) == [1, 2]


def test_the_commits_of_some_transactions_are_swallowed(proxy, direct, connect):
    proxy.swallow_commits(after=b"INTO faults")
    connection = connect()
    connection.execute("SELECT 1")
    connection.commit()
    insert(connection)
    with pytest.raises(psycopg.OperationalError):
        connection.commit()
    assert written(direct) == [1]


def test_a_commit_that_the_server_refuses_is_not_swallowed(proxy, direct, connect):
    connection = connect()
    insert(connection)
    insert(connection)
    proxy.swallow_commits()
    with pytest.raises(psycopg.errors.UniqueViolation):
        connection.commit()
    assert proxy.swallowed == 0


@pytest.mark.parametrize("commit", [psycopg.Connection.commit, commit_extended])
def test_a_dropped_commit_is_not_done(proxy, direct, connect, commit):
    connection = connect()
    insert(connection)
    proxy.drop_commits()
    with pytest.raises(psycopg.OperationalError):
        commit(connection)
    assert written(direct) == []
    assert proxy.dropped == 1


def test_silence_holds_what_is_there_and_what_comes_until_it_ends(proxy, connect, pool):
    connection = connect()
    proxy.silence()
    with pytest.raises(psycopg.errors.ConnectionTimeout):
        psycopg.connect(proxy.url, connect_timeout=2)
    asked = pool.submit(one, connection)
    assert not wait([asked], 0.2).done
    proxy.pass_through()
    assert asked.result(10) == (1,)
    assert connect().execute("SELECT 2").fetchone() == (2,)


def test_silence_of_existing_connections_lets_new_ones_in(proxy, connect, pool):
    silent = connect()
    proxy.silence(existing_only=True)
    assert one(connect()) == (1,)
    assert not wait([pool.submit(one, silent)], 0.2).done
    proxy.pass_through()


def test_a_reset_ends_connections_and_refusing_keeps_others_out(proxy, connect):
    connection = connect()
    with socket.create_connection(("127.0.0.1", proxy.port)) as plain:
        await_true(lambda: proxy.connections == 2, 10)
        proxy.reset()
        with pytest.raises(ConnectionResetError):
            plain.recv(1)
    with pytest.raises(psycopg.OperationalError):
        connection.execute("SELECT 1")
    assert one(connect()) == (1,)
    proxy.refuse()
    with pytest.raises(psycopg.OperationalError, match="refused"):
        psycopg.connect(proxy.url)
    proxy.pass_through()
    assert one(connect()) == (1,)


@pytest.mark.alone
def test_answers_are_delayed_until_the_delay_is_lifted(proxy, connect):
    connection = connect()
    proxy.delay(0.3)
    begun = time.monotonic()
    connection.execute("SELECT 1")
    assert time.monotonic() - begun >= 0.3
    proxy.pass_through()
    begun = time.monotonic()
    connection.execute("SELECT 1")
    assert time.monotonic() - begun < 0.3


def test_a_message_with_a_pattern_is_not_passed_on(proxy, direct, connect):
    connection = connect(autocommit=True)
    proxy.reset_on(b"INTO faults")
    assert connection.execute("SELECT 1").fetchone() == (1,)
    with pytest.raises(psycopg.OperationalError):
        insert(connection)
    assert written(direct) == []
    assert proxy.matched == 1


def test_cancelling_passes(connect, direct, pool):
    connection = connect()
    asked = pool.submit(connection.execute, "SELECT pg_sleep(30)")
    running = "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND wait_event = 'PgSleep'"
    await_true(lambda: direct.execute(running, (connection.info.backend_pid,)).fetchone(), 10)
    connection.cancel_safe(timeout=5)
    with pytest.raises(psycopg.errors.QueryCanceled):
        asked.result(10)
