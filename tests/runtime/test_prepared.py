"""Statements run through libpq directly, beside what a cursor of psycopg answers."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.runtime import prepared
from app.runtime.connections import connect
from app.runtime.prepared import MAX_STATEMENTS, THRESHOLD, with_numbered_parameters

ENOUGH = THRESHOLD + 2


@pytest.fixture
def connection(settings):
    with connect(settings) as connection:
        connection.autocommit = True
        yield connection


def names(connection):
    return [
        name for (name,) in connection.execute("SELECT name FROM pg_prepared_statements WHERE name LIKE 'rowgate%'")
    ]


VALUES = {
    "none": ("text", None), "true": ("bool", True), "small": ("int", 7), "large": ("bigint", 2**40),
    "huge": ("numeric", 2**70), "float": ("float8", 1.5), "decimal": ("numeric", Decimal("1.230")),
    "text": ("text", "it's 100 % ☃"), "empty": ("text", ""), "uuid": ("uuid", uuid4()),
    "day": ("date", date(2027, 1, 2)),
    "uuids": ("uuid[]", [uuid4(), uuid4()]), "no_uuids": ("uuid[]", []), "bytes": ("bytea", b"\x00\xff"),
    "moment": ("timestamptz", datetime(2027, 1, 2, 3, 4, 5, 678901, UTC)), "texts": ("text[]", ["a", None, "b,c"]),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_values_come_back_as_from_a_cursor(connection, name):
    kind, value = VALUES[name]
    sql, parameters = f"SELECT %(given)s::{kind}, %(given)s::{kind} IS NULL, 5 %% 3", {"given": value}
    expected = connection.execute(sql, parameters).fetchall()
    for _ in range(ENOUGH):
        assert connection.rows(sql, parameters) == expected
    assert len(names(connection)) == 1


def test_documents_and_arrays_come_back_as_from_a_cursor(connection):
    sql = """SELECT '{"a": 1e3}'::jsonb, ARRAY[gen_random_uuid()] IS NOT NULL, ARRAY['x', NULL], now() IS NULL"""
    expected = connection.execute(sql, {}).fetchall()
    assert [connection.rows(sql, {}) for _ in range(ENOUGH)] == [expected] * ENOUGH


def test_a_parameter_of_another_type_is_another_statement(connection):
    sql = "SELECT %(given)s::text"
    for value in (1, "one", 2**40, None, UUID(int=1)):
        for _ in range(ENOUGH):
            assert connection.rows(sql, {"given": value}) == connection.execute(sql, {"given": value}).fetchall()


def test_a_statement_that_is_asked_rarely_is_not_remembered(connection):
    for _ in range(THRESHOLD):
        connection.rows("SELECT 1", {})
    assert names(connection) == []


def test_the_server_remembers_no_more_than_so_many(connection):
    for number in range(MAX_STATEMENTS + 5):
        for _ in range(ENOUGH):
            assert connection.rows(f"SELECT {number}", {}) == [(number,)]
    assert len(names(connection)) == MAX_STATEMENTS


def test_what_was_asked_once_is_forgotten(connection, monkeypatch):
    monkeypatch.setattr(prepared, "MAX_STATEMENTS", 2)
    for number in range(50):
        connection.rows(f"SELECT {number}", {})
    assert len(connection._remembered._asked) <= 4


def test_errors_are_those_of_the_driver(connection):
    for _ in range(ENOUGH):
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.rows("SELECT 1 / %(given)s::int", {"given": 0})
        assert connection.rows("SELECT 1 / %(given)s::int", {"given": 1}) == [(1,)]


def test_statements_that_fail_again_and_again_are_prepared_once(connection):
    for _ in range(10 * ENOUGH):
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.rows("SELECT 1 / %(given)s::int", {"given": 0})
    assert len(names(connection)) == 1


def test_a_statement_whose_table_has_changed_is_made_anew(connection):
    connection.execute("CREATE TEMP TABLE changing (a int)")
    for _ in range(ENOUGH):
        connection.rows("SELECT * FROM changing", {})
    connection.execute("ALTER TABLE changing ALTER a TYPE text, ADD b int")
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        connection.rows("SELECT * FROM changing", {})
    for _ in range(ENOUGH):
        assert connection.rows("SELECT * FROM changing", {}) == []
    assert len(names(connection)) == 1


def test_a_transaction_is_begun_as_a_cursor_does(connection):
    connection.autocommit = False
    for _ in range(ENOUGH):
        connection.rows("SELECT txid_current()", {})
    assert len({connection.rows("SELECT txid_current()", {})[0] for _ in range(ENOUGH)}) == 1
    connection.rollback()
    assert connection.info.transaction_status == prepared.IDLE


@pytest.mark.parametrize("ending", ["ROLLBACK TO SAVEPOINT here", "ROLLBACK"])
def test_what_the_driver_has_the_server_forget_is_made_anew(connection, ending):
    connection.execute("BEGIN; SAVEPOINT here")
    for _ in range(ENOUGH):
        connection.execute("SELECT 1")
        connection.rows("SELECT 2", {})
    connection.execute(ending)
    connection.execute("SELECT 1")
    assert names(connection) == []
    for _ in range(ENOUGH):
        assert connection.rows("SELECT 2", {}) == [(2,)]
    assert len(names(connection)) == 1


def test_nothing_is_remembered_behind_a_pooler(connection):
    connection.prepares = False
    for _ in range(ENOUGH):
        connection.rows("SELECT 1", {})
    assert names(connection) == []


def test_a_pipeline_is_left_to_the_driver(connection):
    for _ in range(ENOUGH):
        connection.rows("SELECT 1", {})
    with connection.pipeline():
        assert connection.rows("SELECT 1", {}) == [(1,)]


@given(st.lists(st.sampled_from(["a", "b", "c", "%%", " x "]), max_size=12))
def test_parameters_get_their_numbers_in_the_order_they_come(words):
    sql = "".join(f"%({word})s" if len(word) == 1 else word for word in words)
    text, found, formats = with_numbered_parameters(sql)
    assert list(found) == list(dict.fromkeys(word for word in words if len(word) == 1))
    assert len(formats) == len(found)
    expected = "".join(f"${found.index(word) + 1}" if len(word) == 1 else word.replace("%%", "%") for word in words)
    assert text.decode() == expected
