"""flask doctor: content with a healthy service, and plain about what is wrong."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import text

from app.engine.read.concurrency import default_slots
from app.jobs import queue, registry
from app.testing.database import transaction, unit_of_work
from config import Settings


@pytest.fixture
def looked(app):
    def looked(application=app):
        ran = application.test_cli_runner().invoke(args=["doctor", "--json"])
        assert ran.output.startswith("["), (ran.output, ran.exception)
        return ran.exit_code, {each["part"]: each for each in json.loads(ran.output)}

    return looked


@pytest.fixture
def without_jobs(app):
    """No job has failed, or waits."""
    with app.app_context(), transaction() as session:
        session.execute(text("DELETE FROM procrastinate_periodic_defers"))
        session.execute(text("DELETE FROM procrastinate_jobs"))


def test_a_healthy_service_has_nothing_wrong(app, looked, without_jobs):
    registry.work(app, concurrency=1, until_empty=True)
    status, parts = looked()
    assert status == 0, parts
    assert list(parts) == [
        "settings", "database", "timeouts", "bounds", "grants", "extensions", "text", "migrations", "redis", "storage",
        "clock", "jobs", "changes", "mail", "admins",
    ]  # fmt: skip


def test_a_database_that_is_away_is_named_and_the_rest_is_still_looked_at(build, looked):
    status, parts = looked(build(database_url="postgresql://nobody@127.0.0.1:1/none"))
    wrong = {name for name, part in parts.items() if part["state"] == "wrong"}
    assert (status, wrong) == (
        1,
        {
            "database", "timeouts", "bounds", "grants", "extensions", "text", "migrations", "clock", "jobs", "changes",
            "admins",
        },
    )  # fmt: skip
    assert "DATABASE_URL" in parts["database"]["note"]
    assert {parts[name]["note"] for name in wrong} == {parts["database"]["note"]}
    assert parts["storage"]["state"] == "ok"


def test_a_table_says_once_what_is_the_trouble_of_several_parts(build):
    application = build(database_url="postgresql://nobody@127.0.0.1:1/none")
    table = application.test_cli_runner().invoke(args=["doctor"]).output
    assert (table.count("DATABASE_URL"), table.count("see database")) == (1, 10)


def test_jobs_that_have_failed_are_named(app, cast, looked, without_jobs):
    with app.app_context(), unit_of_work() as unit:
        queue.defer(unit, "compute_report", cast.user().user_id)
        unit.session.execute(text("UPDATE procrastinate_jobs SET status = 'failed'"))
    status, parts = looked()
    assert (status, parts["jobs"]["state"]) == (1, "wrong")
    assert "compute_report (1)" in parts["jobs"]["note"]


def test_a_role_without_limits_behind_a_pooler_is_named(build, looked):
    status, parts = looked(build(database_pooler=True))
    assert (status, parts["timeouts"]["state"]) == (1, "wrong")
    assert "statement_timeout" in parts["timeouts"]["note"]


def test_redis_away_is_named(build, looked):
    application = build(redis_url="redis://127.0.0.1:1/0")
    status, parts = looked(application)
    assert (status, parts["redis"]["state"]) == (1, "wrong")


def test_a_setting_that_a_library_cannot_read_is_named(build, looked):
    status, parts = looked(build(s3_bucket="files", s3_endpoint_url="minio:9000"))
    assert (status, parts["storage"]["state"]) == (1, "wrong")
    assert "minio:9000" in parts["storage"]["note"]


def test_production_wants_its_own_parts(build, looked):
    application = build(environment="production", secret_key="x" * 40, base_url="http://app.example.com")
    status, parts = looked(application)
    assert (status, parts["settings"]["state"]) == (1, "wrong")
    assert "BASE_URL" in parts["settings"]["note"]


def test_a_setting_that_is_misspelt_is_named(looked, monkeypatch):
    monkeypatch.setenv("DATABSE_URL", "postgresql://db.example.com/rowgate")
    _, found = looked()
    assert found["settings"]["note"] == "DATABSE_URL is no setting; did you mean DATABASE_URL?"


def test_settings_that_let_one_caller_stop_the_others_are_named(build, looked):
    tight = {
        "query_seconds": 10.0,
        "default_limit": "100 per second",
        "queries_at_once": 1,
        "queries_per_user": 0,
        "exports_per_user": 0,
    }
    _, parts = looked(build(**tight))
    assert parts["bounds"]["state"] == "ok"
    _, parts = looked(build(**{**tight, "queries_per_user": 50, "default_limit": "101 per second"}))
    assert parts["bounds"]["state"] == "warning"
    assert f"QUERIES_PER_USER is 50 ({default_slots(Settings()).each})" in parts["bounds"]["note"]
    assert "DEFAULT_LIMIT is 101 per second (6000 per minute)" in parts["bounds"]["note"]
    assert "QUERY_SECONDS" not in parts["bounds"]["note"]
