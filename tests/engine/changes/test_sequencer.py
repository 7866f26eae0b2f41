"""The sequencer: positions follow commits, without gaps, whoever writes for how long and whoever numbers."""

from __future__ import annotations

import random
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import psycopg
import pytest

from app.crm.models import CrmCompany
from app.engine.changes import sequencer
from app.schema.histories import upgrade
from bench.log_size import FILL, ORGANIZATIONS

NUMBER = "SELECT rowgate_number_changes()"
NUMBERED = """
SELECT p.position, c.record_id, c.seq FROM platform_change_position AS p
JOIN platform_change AS c ON c.xact = p.xact AND c.seq = p.seq WHERE p.position > %s ORDER BY p.position
"""
LAST = "SELECT position FROM platform_change_sequencer"
RENAME = "UPDATE crm_company SET name = %s WHERE id = %s"
WRITERS, TRANSACTIONS = 50, 4


@pytest.fixture
def number(sql):
    """Numbers what is committed, and returns the records whose changes got a position, in their order."""
    sql(NUMBER)
    reached = [sql(LAST)[0][0]]

    def run():
        sql(NUMBER)
        rows = sql(NUMBERED, reached[0])
        reached[0] = rows[-1][0] if rows else reached[0]
        return [str(record) for _, record, _ in rows]

    return run


@pytest.fixture
def companies(workshop):
    """Returns the ids of so many companies."""
    return lambda many: [workshop.make(CrmCompany)["id"] for _ in range(many)]


def test_positions_follow_commits_and_not_beginnings(connect, companies, sql):
    first, second = companies(2)
    sql(NUMBER)
    (since,) = sql(LAST)[0]
    early, late = connect(), connect()
    early.execute(RENAME, ["Early", first])
    late.execute(RENAME, ["Late", second])
    late.commit()
    sql(NUMBER)
    assert [str(record) for _, record, _ in sql(NUMBERED, since)] == [second]
    early.commit()
    sql(NUMBER)
    assert [str(record) for _, record, _ in sql(NUMBERED, since)] == [second, first]


def test_a_transaction_that_is_open_delays_nobody(connect, companies, number):
    slow, quick = companies(2)
    number()
    holder = connect()
    holder.execute(RENAME, ["Slow", slow])
    for turn in range(3):
        with connect() as connection:
            connection.execute(RENAME, [f"Quick {turn}", quick])
        assert number() == [quick]
    holder.commit()
    assert number() == [slow]


def test_what_is_rolled_back_has_no_position_and_leaves_no_gap(connect, companies, number, sql):
    kept, lost = companies(2)
    number()
    (before,) = sql(LAST)[0]
    connection = connect()
    connection.execute(RENAME, ["Lost", lost])
    connection.rollback()
    connection.execute(RENAME, ["Kept", kept])
    connection.commit()
    assert number() == [kept]
    assert sql(LAST)[0][0] == before + 1


def test_a_sequencer_that_dies_leaves_nothing_half(connect, companies, number):
    (company,) = companies(1)
    number()
    with connect() as connection:
        connection.execute(RENAME, ["Renamed", company])
    dying = connect()
    assert dying.execute(NUMBER).fetchone()[0] == 1
    pid = dying.info.backend_pid
    with connect(autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
    with suppress(psycopg.OperationalError):
        dying.close()
    assert number() == [company]


def test_whoever_does_not_get_the_turn_numbers_nothing(app, connect, companies):
    companies(1)
    holder = connect()
    holder.execute(NUMBER)
    with app.app_context():
        assert sequencer.number_changes() is None
    holder.rollback()
    with app.app_context():
        assert sequencer.number_changes() is not None


def test_another_server_begins_another_epoch_and_keeps_what_is_numbered(companies, number, sql):
    (company,) = companies(1)
    number()
    (epoch,) = sql("SELECT epoch FROM platform_change_sequencer")[0]
    sql(RENAME, "Renamed", company)
    sql("UPDATE platform_change_sequencer SET server = 'another'")
    assert number() == [company]
    assert sql("SELECT epoch FROM platform_change_sequencer")[0][0] != epoch
    sql(RENAME, "Again", company)
    assert number() == [company]


@pytest.mark.full
def test_fifty_writers_at_once_are_numbered_once_each_in_their_order(app, companies, connect, sql):
    """Transactions of mixed length, some of which come to nothing, numbered by three at once beside a reader."""
    known = companies(8)
    sql(NUMBER)
    (since,) = sql(LAST)[0]
    stopped = threading.Event()
    read: list[tuple[int, uuid.UUID, int]] = []

    def write(writer):
        chance = random.Random(writer)
        connection = connect()
        for turn in range(TRANSACTIONS):
            for company in sorted(chance.sample(known, chance.randint(1, 4))):
                connection.execute(RENAME, [f"{writer} {turn}", company])
                if chance.random() < 0.3:
                    connection.execute("SELECT pg_sleep(0.002)")
            (connection.rollback if chance.random() < 0.2 else connection.commit)()

    def give_numbers():
        connection = connect(autocommit=True)
        while not stopped.is_set():
            connection.execute(NUMBER)

    def follow():
        connection = connect(autocommit=True)
        while not stopped.is_set():
            read.extend(connection.execute(NUMBERED, [read[-1][0] if read else since]).fetchall())

    with ThreadPoolExecutor(WRITERS + 4) as threads:
        others = [threads.submit(give_numbers) for _ in range(3)] + [threads.submit(follow)]
        for writer in [threads.submit(write, each) for each in range(WRITERS)]:
            writer.result()
        stopped.set()
        for other in others:
            other.result()
    sql(NUMBER)
    read.extend(sql(NUMBERED, read[-1][0] if read else since))
    assert [position for position, _, _ in read] == list(range(since + 1, since + 1 + len(read)))
    written = sql("SELECT count(*) FROM platform_change WHERE record_id = ANY (%s) AND operation = 'update'", known)
    assert len([record for _, record, _ in read if str(record) in known]) == written[0][0] > 0
    for company in known:
        seqs = [seq for _, record, seq in read if str(record) == company]
        assert seqs == sorted(seqs)
    assert len({seq for _, _, seq in read}) == len(read)


READ = "SELECT sum(seq_tup_read)::int FROM pg_stat_user_tables WHERE relname LIKE 'platform_change\\_2%'"


@pytest.mark.full
def test_numbering_takes_as_long_as_what_is_new_whatever_the_statistics_say(empty):
    with empty.app_context():
        upgrade()
    # A third of them are deletions, each of which could be the parent of any other for all that the planner knows.
    many = 60_000
    asked = {"first": 1, "last": many, "rows": many, "organizations": ORGANIZATIONS}
    url, within = empty.config["SETTINGS"].database_url, "-c statement_timeout=60s"
    with psycopg.connect(url, autocommit=True, options=within) as connection:
        connection.execute(FILL, asked)
        assert connection.execute(NUMBER).fetchall() == [(many,)]
        connection.execute("ANALYZE platform_change")
        connection.execute(FILL, asked | {"last": 1})
        before = read_rows(connection)
        assert connection.execute(NUMBER).fetchall() == [(1,)]
        assert read_rows(connection) - before < many


def read_rows(connection):
    """How many rows of the log were read by looking at all of a partition."""
    connection.execute("SELECT pg_stat_force_next_flush()")
    return connection.execute(READ).fetchall()[0][0]
