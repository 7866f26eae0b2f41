"""Keeping the log: partitions are made ahead and dropped behind, and what is removed on request is removed from it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from sqlalchemy import text

from app.ai.models.chats import AiMessage
from app.auth.accounts import deletion
from app.crm.models import CrmCompany
from app.engine.changes import partitions, status
from app.foundation.clock import now
from app.ops.seed import seed
from app.runtime import connections
from app.schema import change_log, histories
from app.testing.database import transaction, unit_of_work
from app.testing.parts import on_own_database

# What stays of an image: whose it was.
KEPT = {"id", "user_id", "organization_id", "visibility"}
ATTACHED = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'platform_change'::regclass"


@pytest.fixture(scope="module")
def schema(app):
    """The name of a database with the schema of today, to be copied."""
    with on_own_database(app, "schema_of_today") as made:
        with made.app_context():
            histories.upgrade()
            connections.close_all()
        yield "schema_of_today"


@pytest.fixture
def own(app, schema):
    """An application with a log of its own."""
    with on_own_database(app, template=schema) as made, made.app_context():
        yield made


@pytest.fixture
def ask(own):
    """Runs a statement in that log, and returns its rows."""
    connection = psycopg.connect(own.config["SETTINGS"].database_url, autocommit=True)

    def run(statement, *values):
        cursor = connection.execute(statement, values)
        return [row[0] for row in cursor.fetchall()] if cursor.description else []

    yield run
    connection.close()


def named(day):
    return f"platform_change_{day:%Y%m%d}"


def test_there_are_partitions_for_a_week_ahead(own, ask):
    today = datetime.now(UTC).date()
    assert {named(today + timedelta(days=ahead)) for ahead in range(8)} <= set(ask(ATTACHED))
    assert status.look().days == 7
    assert not status.look().ends_soon


def test_those_of_days_that_are_over_are_dropped_with_their_positions(own, ask):
    old = datetime.now(UTC) - timedelta(days=40)
    ask(f"CREATE TABLE {named(old)} (LIKE platform_change INCLUDING ALL)")
    day = old.date()
    ask(
        f"ALTER TABLE platform_change ATTACH PARTITION {named(old)}"
        f" FOR VALUES FROM ('{day} 00:00Z') TO ('{day + timedelta(days=1)} 00:00Z')"
    )
    ask("INSERT INTO platform_change_position VALUES (-1, '1', 1, %s)", old)
    partitions.keep()
    assert named(old) not in ask("SELECT relname FROM pg_class WHERE relkind = 'r'")
    assert ask("SELECT count(*) FROM platform_change_position WHERE at <= %s", old) == [0]
    assert named(datetime.now(UTC)) in ask(ATTACHED)


def test_one_that_was_left_on_its_way_out_is_dropped_the_next_time(own, ask):
    old = datetime.now(UTC) - timedelta(days=40)
    ask(f"CREATE TABLE {named(old)} (LIKE platform_change INCLUDING ALL)")
    partitions.keep()
    assert named(old) not in ask("SELECT relname FROM pg_class WHERE relkind = 'r'")


def test_partitions_that_end_soon_are_told_before_nothing_can_be_written(own, ask):
    for ahead in range(3, 8):
        ask(f"DROP TABLE {named(datetime.now(UTC) + timedelta(days=ahead))}")
    assert (status.look().days, status.look().ends_soon) == (2, True)
    told = own.test_client().get("/readyz")
    assert (told.status_code, told.json["status"], told.json["changes"]) == (200, "degraded", "partitions for 2 days")
    partitions.keep()
    assert "changes" not in own.test_client().get("/readyz").json


def test_the_lag_of_what_has_no_position_is_measured(own, ask):
    ask("SELECT rowgate_number_changes()")
    assert status.look().lag == 0
    with unit_of_work() as unit:
        seed(unit)
    assert status.look().lag > 0
    ask("SELECT rowgate_number_changes()")
    assert (status.look().lag, status.look().position > 0) == (0, True)


def test_with_no_days_tables_write_nothing_down(own, ask, monkeypatch):
    settings = own.config["SETTINGS"]
    monkeypatch.setitem(own.config, "SETTINGS", replace(settings, changes_days=0))
    change_log.install()
    assert ask("SELECT count(*) FROM pg_trigger WHERE starts_with(tgname, 'rowgate_log_')") == [0]
    monkeypatch.setitem(own.config, "SETTINGS", settings)
    assert change_log.differences()
    change_log.install()
    assert change_log.differences() == []


def test_rows_out_of_a_backup_are_numbered_once_whatever_their_transactions(own, ask):
    """The server that they come from may have counted further than this one ever will."""
    with unit_of_work() as unit:
        seed(unit)
    ask("UPDATE platform_change SET xact = (xact::text::bigint + 1000000000)::text::xid8")
    change_log.begin_epoch()
    (epoch,) = ask("SELECT epoch FROM platform_change_sequencer")
    (rows,) = ask("SELECT count(*) FROM platform_change")
    assert ask("SELECT rowgate_number_changes()") == [rows]
    assert ask("SELECT rowgate_number_changes()") == [0]
    assert ask("SELECT epoch FROM platform_change_sequencer") != [epoch]
    ask("UPDATE platform_feature_flag SET description = 'Changed'")
    (flags,) = ask("SELECT count(*) FROM platform_feature_flag")
    assert ask("SELECT rowgate_number_changes()") == [flags]


def test_an_account_that_is_deleted_leaves_no_image_of_what_was_its_own(cast, sql):
    person = cast.user()
    company = person.post("/api/v1/crm/company", {"name": "Harbour Works"}).json
    chat = person.post("/api/v1/ai/chat", {"title": "A secret"}).json
    before = person.post("/api/v1/ai/chat", {"title": "Deleted before"}).json
    person.delete(f"/api/v1/ai/chat/{before['id']}")
    person.put(f"/api/v1/ai/chat/{chat['id']}", {"title": "Another"})
    with person.app.app_context():
        with transaction() as session:
            session.execute(
                text("UPDATE auth_user SET delete_after = :past WHERE id = :id"),
                {"past": now() - timedelta(hours=1), "id": person.user_id},
            )
        deletion.carry_out()
    for identifier in (person.user_id, company["id"], chat["id"], before["id"]):
        kept = sql("SELECT operation, image, old FROM platform_change WHERE record_id = %s ORDER BY seq", identifier)
        assert kept[-1][0] == "delete"
        assert {key for _, image, _ in kept for key in image} <= KEPT
        assert all(old == {} for _, _, old in kept)


def test_an_account_that_is_deleted_leaves_what_was_not_its_own(cast, owner, workshop, sql):
    company = workshop.make(CrmCompany)
    kept = sql("SELECT image ->> 'name' FROM platform_change WHERE record_id = %s", company["id"])
    assert kept == [(company["name"],)]


def test_a_deletion_on_request_leaves_no_image_of_the_record_and_of_what_went_with_it(cast, owner, workshop, sql):
    message = workshop.make(AiMessage)
    path = f"/api/v1/ai/chat/{message['chatId']}"
    assert owner.delete(path, query_string={"purge": "maybe"}).status_code == 400
    assert owner.delete(path, query_string={"purge": "true"}).status_code == 200
    for identifier in (message["chatId"], message["id"]):
        images = sql("SELECT image FROM platform_change WHERE record_id = %s", identifier)
        assert images
        assert {key for (image,) in images for key in image} <= KEPT
    restored = owner.post(f"/api/v1/ai/chat/_deleted/{message['chatId']}/_restore")
    assert restored.status_code == 404


def test_records_of_an_organization_are_purged_by_its_managers_alone(cast, owner, workshop):
    company = workshop.make(CrmCompany)
    path = f"/api/v1/crm/company/{company['id']}"
    assert cast.colleague(owner).delete(path, query_string={"purge": "true"}).status_code == 403
    assert owner.get(path).status_code == 200
    assert cast.colleague(owner, role="admin").delete(path, query_string={"purge": "true"}).status_code == 200
