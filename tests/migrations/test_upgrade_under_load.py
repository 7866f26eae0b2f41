"""An upgrade while others write: it comes to its end, nobody's write is lost, and it says what it waits for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import psycopg
import pytest

from app.commands.groups import unreachable
from app.schema import histories
from app.schema.histories import MigrationFailed
from app.testing.waiting import await_true
from tests.migrations.writers import writing

pytestmark = pytest.mark.full

NAMES = "SELECT name FROM crm_company WHERE name LIKE 'written %'"


@pytest.fixture
def holder(served):
    """Somebody who reads in a transaction of their own."""
    with psycopg.connect(served.config["SETTINGS"].database_url) as connection:
        connection.execute("SELECT FROM crm_company")
        yield connection


def test_an_upgrade_under_load_ends_well_and_loses_nobodys_write(served, facts):
    url = served.config["SETTINGS"].database_url
    with writing(url, facts["organization"]) as writers:
        await_true(lambda: all(each.failure or each.added for each in writers))
        with served.app_context():
            histories.upgrade()
        before = [len(each.added) for each in writers]
        goes_on = [
            lambda each=each, some=some: len(each.added) > some for each, some in zip(writers, before, strict=True)
        ]
        await_true(lambda: all(each() for each in goes_on) or any(each.failure for each in writers))
    assert [each.failure for each in writers] == [None] * len(writers)
    assert served.test_client().get("/readyz").json["migrations"] == "ok"
    with psycopg.connect(url) as connection:
        stored = [name for (name,) in connection.execute(NAMES)]
    assert sorted(stored) == sorted(name for each in writers for name in each.added)


def test_an_upgrade_says_what_it_waits_for_and_goes_on_when_it_is_free(served, holder, caplog):
    def go_on():
        with served.app_context():
            histories.upgrade()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(go_on)
        await_true(lambda: "waits for" in caplog.text or done.done())
        holder.rollback()
        done.result()
    assert f"waits for the table crm_company, held by the server process {holder.info.backend_pid} for" in caplog.text
    assert "SELECT" not in caplog.text
    assert served.test_client().get("/readyz").json["migrations"] == "ok"


def test_an_upgrade_that_waits_too_long_says_for_whom_and_keeps_the_migrations_before(served, holder, monkeypatch):
    monkeypatch.setitem(served.config, "SETTINGS", replace(served.config["SETTINGS"], database_upgrade_wait=0.1))
    with served.app_context(), pytest.raises(MigrationFailed) as failed:
        histories.upgrade()
    assert "The migration 0009 of Rowgate failed (It waited" in failed.value.text
    assert f"crm_company, held by the server process {holder.info.backend_pid}" in failed.value.text
    assert failed.value.text.endswith("nothing of it was kept: run flask db upgrade once that has ended")
    with served.app_context():
        assert histories.stored(histories.TRUNK) == ["0008"]


@pytest.mark.parametrize("lost", [psycopg.errors.DeadlockDetected, psycopg.errors.LockNotAvailable])
def test_a_command_that_did_not_get_a_lock_does_not_blame_the_address_of_the_database(lost):
    assert unreachable(lost("lock")) == "The database was busy (lock), and nothing was done: try again"
