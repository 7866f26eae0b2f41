"""Every wait for PostgreSQL ends: for locks, for statements, and for a server that says nothing."""

from __future__ import annotations

import logging
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select, text

from app import factory
from app.extensions import db
from app.foundation.errors import Unavailable
from app.runtime import logs
from app.runtime.connections import SLACK, in_use
from app.storage.models import StorageDocument
from app.testing.cast import Actor
from app.testing.database import transaction
from app.testing.waiting import await_true

DOCUMENTS = "/api/v1/storage/document"
LIST = "/api/v1/crm/contact"
# A statement may take a second, and the server so much longer to say that it did.
BOUND = 1.0 + SLACK + 1.0


@pytest.fixture
def document(owner):
    return owner.post(DOCUMENTS, {"title": "Plan"}).json["id"]


def test_a_lock_that_is_held_too_long_is_503_and_changes_nothing(app, owner, unlucky, document):
    with app.app_context(), transaction() as session:
        session.execute(select(StorageDocument).where(StorageDocument.id == document).with_for_update())
        answer = unlucky.put(f"{DOCUMENTS}/{document}", {"title": "Other"})
    assert (answer.status_code, answer.json["code"]) == (503, "UNAVAILABLE")
    assert int(answer.headers["Retry-After"]) >= 1
    assert owner.get(f"{DOCUMENTS}/{document}").json["title"] == "Plan"


def test_a_lock_that_is_free_again_soon_is_waited_for(app, unlucky, document):
    with ThreadPoolExecutor(1) as pool, app.app_context():
        with transaction() as session:
            session.execute(select(StorageDocument).where(StorageDocument.id == document).with_for_update())
            write = pool.submit(unlucky.put, f"{DOCUMENTS}/{document}", {"title": "Other"})
            await_true(lambda: session.scalar(text("SELECT clock_timestamp() > now() + interval '0.5 s'")))
        assert write.result().status_code == 200


def test_a_statement_that_takes_too_long_is_503_and_the_next_is_served(app, build, owner):
    impatient = Actor(build(database_statement_timeout=0.2, database_lock_timeout=10.0), owner.token)
    body = {"title": "Plan", "content": "First this."}
    with app.app_context(), transaction() as session:
        session.execute(text("LOCK TABLE storage_document"))
        answer = impatient.post(DOCUMENTS, body)
    assert (answer.status_code, answer.json["code"]) == (503, "UNAVAILABLE")
    assert impatient.post(DOCUMENTS, body).status_code == 201


def test_a_transaction_that_does_nothing_for_too_long_gives_its_locks_back(build, owner, document):
    with build(database_idle_timeout=0.3).app_context(), pytest.raises(Unavailable):
        _lock_and_rest(owner, document)


def _lock_and_rest(owner, document):
    with transaction() as session:
        session.execute(select(StorageDocument).where(StorageDocument.id == document).with_for_update())
        assert owner.put(f"{DOCUMENTS}/{document}", {"title": "Other"}).status_code == 200
        session.execute(select(func.now()))


@pytest.mark.alone
def test_a_server_that_says_nothing_is_503_within_a_bound_and_its_connections_are_thrown_away(unlucky, proxy):
    with ThreadPoolExecutor(8) as pool:
        assert {each.status_code for each in pool.map(lambda _: unlucky.get(LIST), range(24))} == {200}
        proxy.silence(existing_only=True)
        begun = time.monotonic()
        answers = [each.status_code for each in pool.map(lambda _: unlucky.get(LIST), range(8))]
        assert set(answers) <= {200, 503}
        assert time.monotonic() - begun < BOUND
        assert {each.status_code for each in pool.map(lambda _: unlucky.get(LIST), range(24))} == {200}


@pytest.mark.alone
def test_one_connection_that_falls_silent_empties_all_pools(unlucky, proxy):
    company = unlucky.post("/api/v1/crm/company", {"name": "Harbour Works"}).json["id"]

    def use_all(_=None):
        """A read, a query, a write of one statement and one of several, each on connections of its own."""
        return [
            unlucky.get(f"/api/v1/crm/company/{company}").status_code,
            unlucky.get("/api/v1/crm/company?name=Harbour%20Works").status_code,
            unlucky.patch(f"/api/v1/crm/company/{company}", {"industry": "Cranes"}).status_code,
            unlucky.post("/api/v1/crm/company", [{"name": "Quay"}, {"name": "Crane"}]).status_code,
        ]

    with ThreadPoolExecutor(4) as pool:
        used = [status for each in pool.map(use_all, range(8)) for status in each]
    assert set(used) == {200, 201}
    proxy.silence(existing_only=True)
    first, *others = use_all()
    assert first == 503
    assert set(others) == {200, 201}


@pytest.mark.full
def test_a_write_that_was_given_up_does_not_reach_the_database_any_more(unlucky, owner, proxy, app):
    path = f"/api/v1/crm/company/{unlucky.post('/api/v1/crm/company', {'name': 'Harbour Works'}).json['id']}"
    assert unlucky.patch(path, {"industry": "Cranes"}).status_code == 200
    before = sessions(app)
    proxy.silence(existing_only=True)
    assert unlucky.patch(path, {"industry": "Ships"}).status_code == 503
    await_true(lambda: before - sessions(app))
    assert owner.patch(path, {"industry": "Quays"}).status_code == 200
    proxy.pass_through()
    assert unlucky.get(path).json["industry"] == "Quays"


def sessions(app):
    with app.app_context(), transaction() as session:
        return set(session.scalars(text("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")))


@pytest.mark.alone
@pytest.mark.parametrize("path", ["/readyz", "/metrics"])
def test_what_watches_the_service_is_answered_within_two_seconds_while_the_database_says_nothing(unlucky, proxy, path):
    proxy.silence()
    begun = time.monotonic()
    answer = Actor(unlucky.app).get(path)
    assert time.monotonic() - begun < 2.0
    assert answer.status_code == (503 if path == "/readyz" else 200)


@pytest.mark.full
def test_whoever_asks_for_readiness_shares_one_look(unlucky, proxy):
    proxy.silence()
    before = proxy.connections
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: Actor(unlucky.app).get("/readyz").status_code, range(20)))
    assert set(answers) == {503}
    assert proxy.connections <= before + 1


def test_a_connection_that_the_server_has_ended_is_not_lent(app, unlucky, proxied, proxy):
    with proxied.app_context():
        served = [_served_by(engine) for engine in db.engines.values()]
    open_before = proxy.connections
    end = text("SELECT pg_terminate_backend(pid) FROM unnest(CAST(:served AS int[])) AS pid")
    with app.app_context(), transaction() as session:
        assert session.scalars(end, {"served": served}).all() == [True, True]
    await_true(lambda: proxy.connections == open_before - len(served), 10)  # the ends have passed the proxy
    assert unlucky.get(LIST).status_code == 200
    assert unlucky.post("/api/v1/crm/company", {"name": "Harbour Works"}).status_code == 201


def _served_by(engine):
    with engine.connect() as connection:
        return connection.scalar(text("SELECT pg_backend_pid()"))


def test_lost_connections_leave_none_in_use(unlucky, proxied, proxy):
    for _ in range(3):
        proxy.reset()
        unlucky.get(LIST)
        unlucky.post("/api/v1/crm/company", {"name": "Harbour Works"})
    assert in_use(proxied) == {"reads": {}, "writes": {}}


def test_an_outage_is_a_line_a_second_and_no_traceback(unlucky, proxy, caplog, monkeypatch):
    monkeypatch.setattr(factory, "expected", logs.Throttle())  # the outage of an earlier test is not this one
    proxy.refuse()
    with caplog.at_level(logging.WARNING, "rowgate"):
        assert {unlucky.get(LIST).status_code for _ in range(20)} == {503}
    lines = [record for record in caplog.records if record.name == "rowgate"]
    assert 1 <= len(lines) <= 3
    assert all(record.exc_info is None for record in lines)
