"""The schema: built from nothing, gone back to nothing, and without drift against the models."""

from __future__ import annotations

from importlib.resources import files

import pytest
from alembic.script import ScriptDirectory
from flask_migrate import check, downgrade, upgrade
from sqlalchemy import text

from app.engine.declare.record import metadata
from app.extensions import db
from config import ROOT


def tables(app):
    with app.app_context(), db.engine.connect() as connection:
        query = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S')"
        return set(connection.execute(text(query)).scalars())


def test_the_history_builds_the_schema_shows_no_drift_and_goes_back_to_nothing(empty):
    with empty.app_context():
        upgrade()
        check()
    ours = {name for name in tables(empty) if not name.startswith(("procrastinate_", "platform_change"))}
    assert ours == {*metadata.tables, "alembic_version", "notification_sequence"}
    with empty.app_context():
        downgrade(revision="base")
    assert tables(empty) == {"alembic_version"}
    with empty.app_context():
        upgrade()
    assert empty.test_client().get("/readyz").json["migrations"] == "ok"


@pytest.mark.full
def test_a_revision_that_was_taken_back_can_be_made_again(empty):
    with empty.app_context():
        upgrade()
        downgrade(revision="0005")
        upgrade()
        check()


def test_the_schema_of_the_job_queue_is_the_one_that_the_history_takes():
    newest = max(
        path.name for path in (files("procrastinate") / "sql" / "migrations").iterdir() if path.name.endswith(".sql")
    )
    assert newest == history("0002").PROCRASTINATE_SCHEMA, "add a revision with the later migrations of the library"


def history(revision):
    return ScriptDirectory(str(ROOT / "migrations")).get_revision(revision).module
