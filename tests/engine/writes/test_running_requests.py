"""Requests that meet under one idempotency key: one is carried out, and the others are told so or get its answer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from sqlalchemy import text

from app.crm.models import CrmContact
from app.engine.write import idempotency
from app.engine.write.leases import Lease
from app.foundation.clock import now
from app.runtime.embedded import database_url
from app.testing.database import transaction
from app.testing.waiting import await_true
from app.testing.workshop import Workshop
from tests.engine.writes.keys import CONTACTS, REPLAYED, count, is_new, is_replay_of, kept, keyed, new_key

WAITING = """
    SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND pid = ANY(
        SELECT pid FROM pg_locks WHERE NOT granted)"""


@pytest.fixture
def running(app, var_dir):
    """Keeps what changes a row waiting, from when it has begun until the end of the block."""

    @contextmanager
    def hold(path, *request):
        with psycopg.connect(database_url(var_dir)) as holder, ThreadPoolExecutor(1) as pool:
            holder.execute("SELECT 1 FROM crm_contact WHERE id = %s FOR UPDATE", [path.rpartition("/")[2]])
            sent = pool.submit(keyed, *request)
            with psycopg.connect(database_url(var_dir), autocommit=True) as other:
                await_true(lambda: other.execute(WAITING).fetchone()[0] > 0)
            yield sent
            holder.rollback()

    return hold


def test_while_the_first_is_running_the_second_is_told_to_come_back(workshop, running):
    owner, path, key = workshop.owner, workshop.path(CrmContact), new_key()
    request = (owner, "PUT", path, key, {"lastName": "King"})
    with running(path, *request) as first:
        second = keyed(*request)
        assert (second.status_code, second.json["code"]) == (409, "CONFLICT")
        assert second.headers["Retry-After"] == "1"
        assert not first.done()
    assert is_new(first.result())
    assert is_replay_of(keyed(*request), first.result())


def test_another_key_and_another_user_do_not_wait_for_it(cast, workshop, running):
    owner, path, key = workshop.owner, workshop.path(CrmContact), new_key()
    other = cast.user()
    theirs = Workshop(cast, other).body(CrmContact)
    body = workshop.body(CrmContact)
    with running(path, owner, "PUT", path, key, {"lastName": "King"}):
        assert is_new(keyed(owner, "POST", CONTACTS, f"{key}-2", body))
        assert is_new(keyed(other, "POST", CONTACTS, key, theirs))


def test_requests_that_come_at_once_make_one_row_and_get_one_answer(workshop):
    owner, key, body = workshop.owner, new_key(), workshop.body(CrmContact)
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: keyed(owner, "POST", CONTACTS, key, body), range(12)))
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len([answer for answer in answers if is_new(answer)]) == 1
    assert len({answer.data for answer in answers if answer.status_code == 201}) == 1
    assert {answer.json["code"] for answer in answers if answer.status_code == 409} <= {"CONFLICT"}
    assert (count(owner), len(kept(owner))) == (1, 1)


@pytest.fixture
def overtaken(monkeypatch):
    """Has the next look under a key miss the answer that another request has just kept; gives all looks."""
    plain, looks = idempotency.begin, []

    def look(unit, request, **options):
        looks.append(request)
        return plain(unit, request, **options) if len(looks) > 1 else None

    def begin():
        monkeypatch.setattr(idempotency, "begin", look)
        return looks

    return begin


def test_a_write_that_is_overtaken_is_undone_and_answered_by_the_other(workshop, overtaken):
    owner, path, key = workshop.owner, workshop.path(CrmContact), new_key()
    first = keyed(owner, "PUT", path, key, {"lastName": "King"})
    assert owner.put(path, {"lastName": "Queen"}).status_code == 200
    looks = overtaken()
    assert is_replay_of(keyed(owner, "PUT", path, key, {"lastName": "King"}), first)
    assert len(looks) == 2
    assert owner.get(path).json["lastName"] == "Queen"


def test_a_write_that_meets_what_the_other_has_made_is_answered_by_it(workshop, overtaken):
    owner, key, body = workshop.owner, new_key(), workshop.body(CrmContact)
    first = keyed(owner, "POST", CONTACTS, key, body)
    looks = overtaken()
    assert is_replay_of(keyed(owner, "POST", CONTACTS, key, body), first)
    assert len(looks) == 2


def test_a_write_that_is_refused_of_its_own_is_told_so(workshop, overtaken):
    owner, body = workshop.owner, workshop.body(CrmContact)
    assert owner.post(CONTACTS, body).status_code == 201
    looks = overtaken()
    assert keyed(owner, "POST", CONTACTS, new_key(), body).status_code == 409
    assert len(looks) == 1


@pytest.fixture
def batch(workshop):
    """Each part of it is a transaction of its own, so that its key is held by a lease."""
    part = {"method": "POST", "path": CONTACTS, "body": workshop.body(CrmContact)}
    return {"atomic": False, "requests": [part]}


def test_a_key_whose_holder_has_died_is_free_again_after_its_lease(app, workshop, batch, monkeypatch):
    owner, key = workshop.owner, new_key()
    with monkeypatch.context() as patch:
        patch.setattr(idempotency, "remember", die)
        patch.setattr(Lease, "release", die)
        assert keyed(owner, "POST", "/api/v1/_batch", key, batch).status_code == 500
    assert [row["status"] for row in kept(owner)] == ["running"]
    held = keyed(owner, "POST", "/api/v1/_batch", key, batch)
    assert (held.status_code, held.headers["Retry-After"], REPLAYED in held.headers) == (409, "1", False)
    with app.app_context(), transaction() as session:
        session.execute(text("UPDATE platform_idempotency_key SET leased_until = now() WHERE key = :key"), {"key": key})
    assert is_new(keyed(owner, "POST", "/api/v1/_batch", key, batch))


def test_a_key_that_has_just_been_taken_by_lease_is_not_taken_again(workshop, batch, monkeypatch, overtaken):
    owner, key = workshop.owner, new_key()
    with monkeypatch.context() as patch:
        patch.setattr(idempotency, "remember", die)
        patch.setattr(Lease, "release", die)
        assert keyed(owner, "POST", "/api/v1/_batch", key, batch).status_code == 500
    overtaken()
    assert keyed(owner, "POST", "/api/v1/_batch", key, batch).status_code == 409


def die(*_):
    raise SystemError("the process is gone")


def test_a_kept_answer_is_given_while_somebody_holds_the_key(workshop, var_dir):
    owner, path, key = workshop.owner, workshop.path(CrmContact), new_key()
    first = keyed(owner, "PUT", path, key, {"lastName": "King"})
    with psycopg.connect(database_url(var_dir)) as holder:
        wanted = {"owner": f"user:{owner.user_id}", "key": key, "now": now()}
        assert holder.execute(idempotency.HOLD, wanted).fetchone()[0]
        assert is_replay_of(keyed(owner, "PUT", path, key, {"lastName": "King"}), first)
        assert keyed(owner, "PUT", path, key, {"lastName": "Queen"}).status_code == 422
