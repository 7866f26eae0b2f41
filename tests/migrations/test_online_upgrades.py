"""Upgrades step by step: they come to the same schema, from wherever they were stopped, while others write."""

from __future__ import annotations

import subprocess
from functools import partial
from threading import Timer
from types import SimpleNamespace

import psycopg
import pytest
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from flask_migrate import check, downgrade
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, ProgrammingError

from app.extensions import db
from app.schema import histories, online
from app.schema.histories import MigrationFailed
from app.schema.online import OnlineImpl
from app.testing.database import transaction
from app.testing.waiting import await_true
from config import ROOT
from tests.end_to_end.service import FLASK, environment
from tests.migrations.conftest import SECRET
from tests.migrations.lock_watch import watching_locks
from tests.migrations.writers import writing

# More than are read or written in a second.
ROWS = 1_000_000
MANY_CONTACTS = """
INSERT INTO crm_contact (id, created_at, updated_at, organization_id, company_id, first_name, last_name, email)
SELECT gen_random_uuid(), now(), now(), company.organization_id, company.id,
    'A', n::text, 'a' || n || '@example.com'
FROM (SELECT * FROM crm_company ORDER BY id LIMIT 1) AS company, generate_series(1, %(rows)s) n
"""
OWN_STRONG_LOCKS = """
SELECT relation::regclass::text FROM pg_locks WHERE pid = pg_backend_pid() AND mode = 'AccessExclusiveLock'
AND locktype = 'relation'
"""
OLD_BUT_ONE = "CASE WHEN n > 1 THEN 'old' END"
# Steps after which an upgrade is stopped; no two stops are at the same step of a migration.
STRIDE = 23
COUNT = "ix_crm_contact_organization_id_count"


class Stopped(Exception):
    """Somebody stops the upgrade."""


def failure_of(work):
    try:
        work()
    except MigrationFailed as failure:
        return failure
    return None


def is_present(app):
    with app.app_context():
        check()
    return app.test_client().get("/readyz").json["migrations"] == "ok"


def test_the_steps_from_nothing_come_to_the_same_schema(empty):
    with empty.app_context():
        histories.upgrade(online=True)
    assert is_present(empty)


@pytest.mark.full
@pytest.mark.parametrize("online_at_last", [True, False])
def test_an_upgrade_that_is_stopped_at_any_step_goes_on(served, monkeypatch, online_at_last):
    commit, commits = OnlineImpl._commit, []

    def stop_now_and_then(self):
        commit(self)
        commits.append(1)
        if len(commits) % STRIDE == 0:
            raise Stopped

    stops = 0
    with served.app_context(), monkeypatch.context() as patch:
        patch.setattr(OnlineImpl, "_commit", stop_now_and_then)
        while (failure := failure_of(partial(histories.upgrade, online=online_at_last or not stops))) is not None:
            assert isinstance(failure.__cause__, Stopped), failure.text
            stops += 1
    assert stops > 3
    assert is_present(served)


@pytest.mark.full
def test_half_an_index_is_made_anew(served):
    with served.app_context():
        with transaction() as session:
            session.execute(text(f"CREATE INDEX {COUNT} ON crm_contact (organization_id)"))
            session.execute(text(f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass('{COUNT}')"))
        histories.upgrade(online=True)
        with transaction() as session:
            assert "WHERE" in session.scalar(text(f"SELECT pg_get_indexdef(to_regclass('{COUNT}'))"))
    assert is_present(served)


@pytest.mark.full
def test_steps_under_load_lose_nobodys_write(served, facts):
    url = served.config["SETTINGS"].database_url
    with writing(url, facts["organization"]) as writers:
        await_true(lambda: all(each.failure or each.added for each in writers))
        with served.app_context():
            histories.upgrade(online=True)
    assert [each.failure for each in writers] == [None] * len(writers)
    with psycopg.connect(url) as connection:
        stored = [name for (name,) in connection.execute("SELECT name FROM crm_company WHERE name LIKE 'written %'")]
    assert sorted(stored) == sorted(name for each in writers for name in each.added)
    assert is_present(served)


def test_the_command_says_what_it_applied_and_goes_to_the_head_alone(served):
    run = served.test_cli_runner().invoke
    with served.app_context():
        refused = run(args=["db", "upgrade", "--online", "0009"])
        done = run(args=["db", "upgrade", "--online"])
    assert (refused.exit_code, refused.output) == (
        1, "Error: --online goes to the head: give no revision and no --sql\n",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "Applied 0011 of Rowgate" in done.output
    assert is_present(served)


@pytest.fixture
def operations(empty):
    """Operations on a table that has rows, carried out step by step."""
    with empty.app_context(), db.engine.connect() as connection:
        connection.execute(text("CREATE TABLE gadget (id int PRIMARY KEY, size text, parent_id int)"))
        connection.execute(text(f"INSERT INTO gadget SELECT n, {OLD_BUT_ONE}, 1 FROM generate_series(1, 6) n"))
        connection.commit()
        said = SimpleNamespace(print_stdout=[].append)
        migration = MigrationContext.configure(
            connection, environment_context=SimpleNamespace(config=said), opts={"transaction_per_migration": True}
        )
        OnlineImpl.install(migration, "gadgets", lambda: None)
        migration.impl.start_migrations()
        with migration.begin_transaction(_per_migration=True):
            yield Operations(migration)


def ask(operations, question):
    return operations.get_bind().scalar(text(question))


def test_rows_that_are_there_are_changed_some_at_a_time(operations, monkeypatch):
    monkeypatch.setattr(online, "BATCH", 2)
    operations.backfill("gadget", "size = 'new'", "size = 'old'")
    assert ask(operations, "SELECT count(*) FROM gadget WHERE size = 'new'") == 5
    told = operations.migration_context.config.print_stdout.__self__
    assert told == ["gadget: 2 rows changed", "gadget: 4 rows changed", "gadget: 5 rows changed"]


def test_a_backfill_is_one_statement_in_a_plain_upgrade(empty):
    with empty.app_context(), db.engine.connect() as connection:
        connection.execute(text("CREATE TABLE gadget (id int, size text)"))
        connection.execute(text("INSERT INTO gadget VALUES (1, 'old'), (2, 'old'), (3, 'new')"))
        Operations(MigrationContext.configure(connection)).backfill("gadget", "size = 'new'", "size = 'old'")
        assert connection.scalar(text("SELECT count(*) FROM gadget WHERE size = 'new'")) == 3


def test_what_has_to_be_unique_keeps_its_options(operations):
    operations.create_unique_constraint(
        "uq_gadget_size", "gadget", ["id", "size"], deferrable=True, initially="DEFERRED",
        postgresql_nulls_not_distinct=True,
    )  # fmt: skip
    found = ask(operations, "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'uq_gadget_size'")
    assert found == "UNIQUE NULLS NOT DISTINCT (id, size) DEFERRABLE INITIALLY DEFERRED"


def test_constraints_hold_for_the_rows_that_are_there(operations):
    operations.create_check_constraint("ck_gadget_id", "gadget", "id > 0")
    operations.create_foreign_key("fk_gadget_parent_id", "gadget", "gadget", ["parent_id"], ["id"])
    are_valid = (
        "SELECT array_agg(convalidated) FROM pg_constraint WHERE conname IN ('ck_gadget_id', 'fk_gadget_parent_id')"
    )
    assert ask(operations, are_valid) == [True, True]
    with pytest.raises(IntegrityError):
        operations.create_check_constraint("ck_gadget_parent_id", "gadget", "parent_id > 1")


def test_a_column_that_may_not_be_empty_leaves_no_rule_behind(operations):
    operations.execute("UPDATE gadget SET size = 'new'")
    operations.alter_column("gadget", "size", nullable=False, new_column_name="extent")
    assert ask(
        operations, "SELECT attnotnull FROM pg_attribute WHERE attrelid = 'gadget'::regclass AND attname = 'extent'"
    )
    assert ask(operations, "SELECT count(*) FROM pg_constraint WHERE conname LIKE 'set_%'") == 0


def test_a_column_that_is_not_there_is_refused(operations):
    with pytest.raises(ProgrammingError, match="does not exist"):
        operations.alter_column("gadget", "colour", nullable=False)


def test_a_migration_may_leave_its_transaction_by_itself(operations):
    with operations.get_context().autocommit_block():
        operations.create_index("ix_gadget_size", "gadget", ["size"], postgresql_concurrently=True)
        operations.execute("CREATE INDEX CONCURRENTLY ix_gadget_parent ON gadget (parent_id)")
    assert ask(operations, "SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'ix_gadget_%'") == 2


@pytest.mark.full
def test_nothing_else_changes_a_schema_that_is_half_way(served, monkeypatch, caplog):
    commit = OnlineImpl._commit

    def stop(self):
        commit(self)
        raise Stopped

    with served.app_context():
        with monkeypatch.context() as patch:
            patch.setattr(OnlineImpl, "_commit", stop)
            assert failure_of(partial(histories.upgrade, online=True)) is not None
        with pytest.raises(SystemExit):
            downgrade(revision="0005")
        assert "flask db upgrade goes on with it" in caplog.text
        histories.upgrade()
    assert is_present(served)


@pytest.mark.full
def test_two_upgrades_at_once_take_turns(served):
    """Whoever waits is in no transaction, which indexes that are made beside all writes would wait for."""
    settings = {"DATABASE_URL": served.config["SETTINGS"].database_url, "SECRET_KEY": SECRET}
    command = [*FLASK, "db", "upgrade", "--online"]
    with subprocess.Popen(command, cwd=ROOT, env=environment(**settings), stdout=subprocess.PIPE, text=True) as other:
        with served.app_context():
            applied = histories.upgrade(online=True)
        said = other.communicate(timeout=120)[0]
    assert other.returncode == 0
    assert ("Applied 0011" in said) != any("0011" in each for each in applied)
    assert is_present(served)


@pytest.mark.full
def test_locks_that_were_missed_are_not_kept_while_rows_are_looked_at(served, monkeypatch):
    """A step that did not get its lock begins with it; the next one does not."""
    begun, url = [], served.config["SETTINGS"].database_url
    validate = OnlineImpl._exec

    def look(self, construct, *arguments, **options):
        if isinstance(construct, str) and "VALIDATE CONSTRAINT" in construct:
            begun.append(self._query(OWN_STRONG_LOCKS).scalars().all())
        return validate(self, construct, *arguments, **options)

    monkeypatch.setattr(OnlineImpl, "_exec", look)
    with psycopg.connect(url) as connection, served.app_context():
        connection.execute("SELECT FROM auth_user LIMIT 1")
        Timer(3.0, connection.close).start()
        histories.upgrade(online=True)
    assert begun
    assert set(map(tuple, begun)) == {()}
    assert is_present(served)


@pytest.mark.full
@pytest.mark.alone
def test_no_step_keeps_others_from_a_large_table_for_longer_than_a_second(served):
    """Steps may lock a table as strongly as they like, but look at no rows meanwhile."""
    settings = served.config["SETTINGS"]
    with psycopg.connect(settings.database_url, autocommit=True) as connection:
        connection.execute(MANY_CONTACTS, {"rows": ROWS})
        with watching_locks(settings.database_url) as held, connection.transaction():
            connection.execute("LOCK TABLE crm_contact IN SHARE MODE")
            connection.execute("SELECT pg_sleep(1.2)")
    assert held["crm_contact"] > 1.0, "such a step would be seen"
    with served.app_context(), watching_locks(settings.database_url) as held:
        histories.upgrade(online=True)
    assert is_present(served)
    assert {table: seconds for table, seconds in held.items() if seconds > 1.0} == {}
    assert held, "the locks were looked at"
