"""The tap counts what goes by, whichever program sends it."""

from __future__ import annotations

import psycopg
import pytest
import redis

from app.runtime.embedded import database_url, redis_url
from bench.tap import Reading, Tap, counts_file

SOCKET = ".s.PGSQL.5432"


@pytest.fixture
def postgres_tap(var_dir, tmp_path_factory):
    path = tmp_path_factory.mktemp("t") / SOCKET
    made = Tap(path, f"{database_url(var_dir).partition('host=')[2]}/{SOCKET}", is_postgres=True)
    yield made, f"postgresql://postgres@/postgres?host={path.parent}", path
    made.close()


@pytest.fixture
def connected(postgres_tap):
    made, url, _ = postgres_tap
    with psycopg.connect(url, autocommit=True) as connection:
        yield made, connection


def test_a_statement_is_one_round_trip(connected):
    tap, connection = connected
    before = tap.counts()
    assert connection.execute("SELECT 1").fetchone() == (1,)
    assert tap.counts().since(before)[::2] == (1, 1)


def test_statements_with_and_without_parameters_count_alike(connected):
    tap, connection = connected
    before = tap.counts()
    for number in range(10):
        connection.execute("SELECT %s::int", (number,), prepare=False)
    assert tap.counts().since(before)[::2] == (10, 10)


def test_a_transaction_has_two_statements_more(connected):
    tap, connection = connected
    before = tap.counts()
    with connection.transaction():
        connection.execute("SELECT 1")
    assert tap.counts().since(before)[::2] == (3, 3)


def test_statements_in_a_pipeline_share_a_round_trip(connected):
    tap, connection = connected
    before = tap.counts()
    with connection.pipeline():
        for _ in range(5):
            connection.execute("SELECT 1")
    counted = tap.counts().since(before)
    assert counted.statements == 5
    assert counted.round_trips < 5


def test_a_long_statement_counts_once_with_all_its_bytes(connected):
    tap, connection = connected
    before = tap.counts()
    connection.execute("SELECT length(%s)", ("x" * 1_000_000,))
    counted = tap.counts().since(before)
    assert (counted.statements, counted.round_trips) == (1, 1)
    assert 1_000_000 < counted.bytes_sent < 1_001_000


def test_other_processes_read_the_same_counts(connected, postgres_tap):
    tap, connection = connected
    connection.execute("SELECT 1")
    assert Reading(counts_file(postgres_tap[2])).now() == tap.counts()


def test_a_command_to_redis_is_one_round_trip(var_dir, tmp_path_factory):
    path = tmp_path_factory.mktemp("t") / "redis.sock"
    tap = Tap(path, redis_url(var_dir).removeprefix("unix://"), is_postgres=False)
    client = redis.Redis(unix_socket_path=str(path))
    client.ping()
    before = tap.counts()
    client.ping()
    with client.pipeline(transaction=False) as pipeline:
        for _ in range(5):
            pipeline.ping()
        pipeline.execute()
    client.close()
    tap.close()
    assert tap.counts().since(before).round_trips == 2
