"""What tests of the log share."""

from __future__ import annotations

from uuid import UUID

import psycopg
import pytest

from app.runtime.embedded import database_url


@pytest.fixture
def connect(app):
    """Opens connections to the database, as somebody at psql has them."""
    opened = []

    def open_one(**options):
        opened.append(psycopg.connect(database_url(app.config["SETTINGS"].var_dir), **options))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


@pytest.fixture
def sql(connect):
    """Runs one statement, and returns its rows."""
    connection = connect(autocommit=True)

    def run(statement, *values):
        cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []

    return run


@pytest.fixture
def logged(connect):
    """Returns the rows of the log about one record, oldest first."""
    connection = connect(autocommit=True, row_factory=psycopg.rows.dict_row)

    def read(record_id):
        asked = "SELECT * FROM platform_change WHERE record_id = %s ORDER BY seq"
        return connection.execute(asked, [UUID(str(record_id))]).fetchall()

    return read


@pytest.fixture
def follow():
    """Reads the feed of somebody from now on: each call returns what is new."""
    cursors = {}

    def read(actor, **asked):
        if actor not in cursors:
            cursors[actor] = actor.get("/api/v1/_changes").json["meta"]["next"]
        found, more = [], True
        resync = set()
        while more:
            page = actor.get("/api/v1/_changes", query_string={"since": cursors[actor], "take": 1000} | asked)
            assert page.status_code == 200, page.json
            meta = page.json["meta"]
            cursors[actor], more = meta["next"], meta["more"]
            found += page.json["data"]
            resync |= set(meta.get("resync", ()))
        read.resync = resync
        return found

    return read
