"""The connections that stay at hand between requests."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import psycopg
import pytest
from sqlalchemy import text

from app.engine.read.database import reading
from app.engine.read.statements import autocommit_connection
from app.extensions import READS, db
from app.foundation.errors import Unavailable
from app.runtime import connections
from app.runtime.cluster import NICENESS, Cluster
from app.runtime.connections import in_use, kept

PROCESS = "SELECT pg_backend_pid()"


@pytest.fixture
def inside(build):
    application = build(database_pool_size=8, database_pool_overflow=0, database_pool_timeout=0.2, query_timeout=0.3)
    with application.app_context():
        yield application
        connections.close_all()


def asked():
    with autocommit_connection() as connection:
        return connection.execute(PROCESS).fetchone()[0]


def test_one_after_the_other_has_the_same_connection_and_the_pool_is_not_asked(inside):
    first = asked()
    pool = db.engines[READS].pool
    taken = pool.checkedout()
    assert [asked() for _ in range(3)] == [first] * 3
    assert pool.checkedout() == taken == 1
    assert in_use(inside)["reads"] == {}


def test_those_at_the_same_time_have_connections_of_their_own(inside):
    with autocommit_connection() as one, autocommit_connection() as other:
        assert one is not other
        assert len(in_use(inside)["reads"]) == 2
    assert in_use(inside)["reads"] == {}


@pytest.mark.full
def test_most_of_the_pool_is_left_to_others(inside):
    lent = [kept("reads").take() for _ in range(8)]
    for each in lent:
        kept("reads").give_back(each)
    assert db.engines[READS].pool.checkedout() == 2


def test_a_pool_of_one_keeps_none_at_hand(build):
    application = build(database_pool_size=1, database_pool_overflow=0, database_pool_timeout=0.2)
    with application.app_context():
        asked()
        assert db.engines[READS].pool.checkedout() == 0
        connections.close_all()


def test_more_than_the_pool_has_wait_no_longer_than_that(inside):
    lent = [kept("reads").take() for _ in range(8)]
    with pytest.raises(Unavailable), autocommit_connection():
        pass
    for each in lent:
        kept("reads").give_back(each)


def test_a_connection_that_the_server_has_ended_is_not_lent(inside):
    ended = asked()
    with db.engine.connect() as other:
        other.exec_driver_sql(f"SELECT pg_terminate_backend({ended}, 1000)")
    assert asked() != ended
    assert in_use(inside)["reads"] == {}


def test_a_reader_that_was_interrupted_leaves_its_connection_to_nobody(inside):
    first = asked()
    with pytest.raises(KeyboardInterrupt), autocommit_connection():
        raise KeyboardInterrupt
    assert asked() != first
    assert in_use(inside)["reads"] == {}


def test_what_is_at_hand_goes_with_the_pool(inside):
    first = asked()
    connections.close_all()
    with db.engine.connect() as other:
        alive = other.exec_driver_sql("SELECT count(*) FROM pg_stat_activity WHERE pid = %s", (first,)).scalar()
    assert alive == 0


def test_those_for_queries_are_held_to_their_time_from_the_second_use_on(inside):
    with autocommit_connection("queries") as first:
        assert not first.limited
    with autocommit_connection("queries") as connection:
        assert connection is first
        assert connection.limited
        assert connection.execute("SHOW statement_timeout").fetchone() == ("300ms",)
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("SELECT pg_sleep(5)")
    with autocommit_connection() as other:
        assert not other.limited
        assert other.execute("SHOW statement_timeout").fetchone() != ("300ms",)


def test_many_queries_at_once_leave_the_pool_to_others_and_their_time_to_themselves(inside):
    limited = [kept("queries").take() for _ in range(2)]
    for each in limited:
        kept("queries").give_back(each)
    first = [kept("queries").take() for _ in range(8)]
    for each in reversed(first):
        kept("queries").give_back(each)
    assert sum(each.connection.limited for each in first) == 2
    assert db.engines[READS].pool.checkedout() == 2
    with reading() as session:
        assert session.execute(text("SHOW statement_timeout")).scalar() != "300ms"
    again = [kept("queries").take() for _ in range(3)]
    assert [each.connection.limited for each in again] == [True, True, False]
    for each in again:
        kept("queries").drop(each)
    with autocommit_connection("queries") as connection:
        assert not connection.limited


def test_returns_at_the_same_time_keep_no_more_than_so_many(inside):
    lent = [kept("queries").take() for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(kept("queries").give_back, lent))
    assert db.engines[READS].pool.checkedout() == 2


def test_the_embedded_server_answers_queries_of_callers_behind_all_else(inside):
    with autocommit_connection("queries") as connection:
        process = psutil.Process(connection.info.backend_pid)
    with autocommit_connection("queries") as again, autocommit_connection() as read:
        assert again.info.backend_pid == process.pid
        assert process.nice() == psutil.Process(read.info.backend_pid).nice() + NICENESS


def test_no_process_but_the_embedded_server_s_own_is_put_behind(var_dir):
    own = psutil.Process().nice()
    Cluster(Path(var_dir).resolve() / "postgres").lower_priority(os.getpid())
    assert psutil.Process().nice() == own
