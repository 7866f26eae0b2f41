"""What is kept of answers, how much of it and for how long; and writes of many under one idempotency key."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import text

from app.crm.models import CrmContact
from app.engine.declare.principal import SYSTEM
from app.engine.write import idempotency, kept_bytes
from app.engine.write.unit_of_work import run_unit
from app.foundation.clock import now
from app.foundation.errors import Conflict
from app.jobs.registry import PERIODIC
from app.testing.cast import Actor
from app.testing.database import transaction
from app.testing.workshop import Workshop
from tests.engine.writes.keys import CONTACTS, TRUNCATED, count, is_new, is_replay_of, kept, keyed, new_key

KEYS = "/api/v1/auth/api-key"


@pytest.fixture
def body(workshop):
    return workshop.body(CrmContact)


def is_brief_replay_of(answer, first):
    told = [answer.headers.get(name) for name in ("Idempotency-Replayed", TRUNCATED, "ETag")]
    return (answer.status_code, told) == (first.status_code, ["true", "true", first.headers.get("ETag")])


def test_of_a_large_answer_ids_and_versions_are_kept(workshop, body):
    many = [body | {"email": f"{n}@example.com"} for n in range(1000)]
    key = new_key()
    first, again = (keyed(workshop.owner, "POST", CONTACTS, key, many) for _ in range(2))
    assert first.status_code == 201
    assert len(first.data) > 256 * 1024
    assert is_brief_replay_of(again, first)
    assert again.json == {
        "data": [{"id": each["id"], "version": 1} for each in first.json["data"]],
        "meta": {"count": 1000},
    }
    assert count(workshop.owner) == 1000
    assert TRUNCATED in again.headers["Access-Control-Expose-Headers"]


@pytest.mark.parametrize("over", [0, 1])
def test_an_answer_of_just_the_size_is_kept_whole(monkeypatch, workshop, body, over):
    path, key = workshop.path(CrmContact), new_key()
    length = len(workshop.owner.put(path, {"lastName": "King"}).data)
    monkeypatch.setattr(kept_bytes, "MAX_ANSWER_BYTES", length - over)
    first, again = (keyed(workshop.owner, "PUT", path, key, {"lastName": "King"}) for _ in range(2))
    if over:
        assert is_brief_replay_of(again, first)
        assert again.json == {"id": first.json["id"], "version": 2}
    else:
        assert is_replay_of(again, first)


def test_beyond_what_a_user_may_keep_ids_and_versions_are_kept(monkeypatch, cast, workshop, body):
    monkeypatch.setattr(kept_bytes, "MAX_KEPT_BYTES", 1000)
    owner, keys = workshop.owner, [new_key() for _ in range(6)]
    first = [keyed(owner, "POST", CONTACTS, key, body | {"email": f"{key}@example.com"}) for key in keys]
    whole = [not row["truncated"] for row in kept(owner)]
    assert whole == sorted(whole, reverse=True)
    assert (whole[0], whole[-1]) == (True, False)
    assert whole_bytes(owner) <= 1000
    last = keyed(owner, "POST", CONTACTS, keys[-1], body | {"email": f"{keys[-1]}@example.com"})
    assert is_brief_replay_of(last, first[-1])
    other = cast.user()
    theirs = Workshop(cast, other).body(CrmContact)
    keyed(other, "POST", CONTACTS, keys[0], theirs)
    assert not kept(other)[0]["truncated"]


def whole_bytes(owner):
    return sum(row["response_bytes"] for row in kept(owner) if not row["truncated"])


def test_requests_at_the_same_time_keep_no_more_than_one_user_may(monkeypatch, workshop, body):
    """Each with a connection of its own, as in workers of their own."""
    length = len(keyed(workshop.owner, "POST", CONTACTS, new_key(), body).data)
    monkeypatch.setattr(kept_bytes, "MAX_KEPT_BYTES", 5 * length)

    def send(number):
        return keyed(workshop.owner, "POST", CONTACTS, new_key(), body | {"email": f"{number}@at-once.example"})

    with ThreadPoolExecutor(8) as pool:
        assert {answer.status_code for answer in pool.map(send, range(24))} == {201}
    assert 3 * length < whole_bytes(workshop.owner) <= 5 * length
    assert len(kept(workshop.owner)) == 25


def test_room_that_expired_answers_had_is_found_again(app, monkeypatch, workshop, body):
    monkeypatch.setattr(kept_bytes, "MAX_KEPT_BYTES", 1000)
    owner = workshop.owner
    for _ in range(4):
        keyed(owner, "POST", CONTACTS, new_key(), body | {"email": f"{new_key()}@example.com"})
    assert kept(owner)[-1]["truncated"]
    expire(app, owner)
    with app.app_context():
        idempotency.remove_expired()
    keyed(owner, "POST", CONTACTS, new_key(), body | {"email": "soon@example.com"})
    assert kept(owner)[-1]["truncated"]  # it was counted a moment ago
    monkeypatch.setattr(kept_bytes, "RECOUNT_EVERY", timedelta(0))
    keyed(owner, "POST", CONTACTS, new_key(), body | {"email": "later@example.com"})
    assert not kept(owner)[-1]["truncated"]


def counted(app, owner):
    """The bytes that are counted for somebody; None where nothing is."""
    query = text("SELECT bytes FROM platform_kept_bytes WHERE principal = :owner")
    with app.app_context(), transaction() as session:
        return session.scalar(query, {"owner": f"user:{owner.user_id}"})


def test_what_is_undone_takes_no_room(app, workshop, body):
    owner = workshop.owner

    def undone(unit):
        assert kept_bytes.reserve_bytes(unit, f"user:{owner.user_id}", 1000)
        raise Conflict()

    with app.app_context(), pytest.raises(Conflict):
        run_unit(SYSTEM, undone)
    assert counted(app, owner) is None
    assert keyed(owner, "POST", CONTACTS, new_key(), body).status_code == 201
    assert counted(app, owner) == whole_bytes(owner)


def test_a_secret_is_shown_once_and_stored_nowhere(workshop):
    owner, key = workshop.owner, new_key()
    sent = {"name": "Export", "scopes": ["read"]}
    first, again = (keyed(owner, "POST", KEYS, key, sent) for _ in range(2))
    assert first.status_code == again.status_code == 201, again.json
    assert again.json == first.json | {"key": None}
    assert first.json["key"].startswith("rg_")
    assert first.json["key"] not in str(kept(owner))
    assert owner.get(KEYS).json["meta"]["count"] == 1


def test_a_key_is_replaced_once_and_the_second_answer_says_by_which(workshop):
    owner, key = workshop.owner, new_key()
    old = owner.post(KEYS, {"name": "Export", "scopes": ["read"]}).json["id"]
    first, again = (keyed(owner, "POST", f"{KEYS}/{old}/rotate", key, {}) for _ in range(2))
    assert first.status_code == 201, first.json
    assert (again.status_code, again.json) == (201, first.json | {"key": None})
    assert first.json["key"] not in str(kept(owner))


def test_a_key_that_is_revoked_is_answered_again(workshop):
    owner, key = workshop.owner, new_key()
    old = owner.post(KEYS, {"name": "Export", "scopes": ["read"]}).json["id"]
    first, again = (keyed(owner, "DELETE", f"{KEYS}/{old}", key) for _ in range(2))
    assert first.status_code == 200
    assert is_replay_of(again, first)


def expire(app, actor):
    with app.app_context(), transaction() as session:
        ended = text("UPDATE platform_idempotency_key SET expires_at = :now WHERE principal = :owner")
        session.execute(ended, {"now": now() - timedelta(seconds=1), "owner": f"user:{actor.user_id}"})


def test_a_key_whose_time_is_over_may_stand_for_another_request(app, workshop, body):
    owner, key = workshop.owner, new_key()
    assert is_new(keyed(owner, "POST", CONTACTS, key, body))
    expire(app, owner)
    other = body | {"email": "other@example.com"}
    second = keyed(owner, "POST", CONTACTS, key, other)
    assert is_new(second), second.json
    assert is_replay_of(keyed(owner, "POST", CONTACTS, key, other), second)
    assert (count(owner), len(kept(owner))) == (2, 1)


def test_a_job_removes_what_is_over_and_nothing_else(app, cast, workshop, body, monkeypatch):
    monkeypatch.setattr(idempotency, "EXPIRED_BATCH_SIZE", 2)
    owner, other = workshop.owner, cast.user()
    for n in range(5):
        keyed(owner, "POST", CONTACTS, new_key(), body | {"email": f"{n}@example.com"})
    keyed(other, "POST", CONTACTS, new_key(), Workshop(cast, other).body(CrmContact))
    expire(app, owner)
    (job,) = (each for each in PERIODIC if each.work is idempotency.remove_expired)
    with app.app_context():
        job.work()
    assert (kept(owner), len(kept(other))) == ([], 1)


def test_counts_of_those_who_keep_nothing_are_removed_after_a_day(app, workshop, body):
    owner = workshop.owner
    keyed(owner, "POST", CONTACTS, new_key(), body)
    expire(app, owner)
    for age, left in ((0, True), (2, False)):
        with app.app_context(), transaction() as session:
            aged = "UPDATE platform_kept_bytes SET updated_at = :then WHERE principal = :owner"
            session.execute(text(aged), {"then": now() - timedelta(days=age), "owner": f"user:{owner.user_id}"})
        with app.app_context():
            idempotency.remove_expired()
        assert (counted(app, owner) is not None) is left


@pytest.mark.variants
@pytest.mark.parametrize("hours", [1, 24, 720])
def test_answers_are_kept_for_as_long_as_the_setting_says(build, workshop, body, hours):
    owner = workshop.owner
    keyed(Actor(build(idempotency_hours=hours), owner.token), "POST", CONTACTS, new_key(), body)
    (row,) = kept(owner)
    assert row["expires_at"] - row["created_at"] == pytest.approx(timedelta(hours=hours), abs=timedelta(seconds=1))


def test_what_is_kept_is_the_answer_and_nothing_of_the_body_or_the_credential(workshop, body):
    owner = workshop.owner
    sent = keyed(owner, "DELETE", workshop.path(CrmContact), new_key(), query_string={"ifMatch": "1"})
    assert sent.status_code == 200
    (row,) = kept(owner)
    assert json.loads(row["response_body"]) == sent.json
    assert owner.token not in str(row)


MANY = {
    "array": ("POST", CONTACTS, lambda ids, body: [body, body | {"email": "b@example.com"}]),
    "changes": ("PATCH", CONTACTS, lambda ids, body: [{"id": each, "lastName": "King"} for each in ids]),
    "removals": ("DELETE", CONTACTS, lambda ids, body: {"ids": ids}),
    "update": ("POST", f"{CONTACTS}/_matching/_update", lambda ids, body: {
        "where": {"id": {"in": ids}}, "set": {"lastName": "King"}, "max": 9}),
    "delete": ("POST", f"{CONTACTS}/_matching/_delete", lambda ids, body: {"where": {"id": {"in": ids}}, "max": 9}),
    "batch": ("POST", "/api/v1/_batch", lambda ids, body: {"requests": [
        {"method": "POST", "path": CONTACTS, "body": body}, {"method": "DELETE", "path": f"{CONTACTS}/{ids[0]}"}]}),
    "batch apart": ("POST", "/api/v1/_batch", lambda ids, body: {"atomic": False, "requests": [
        {"method": "POST", "path": CONTACTS, "body": body}, {"method": "DELETE", "path": f"{CONTACTS}/{ids[0]}"},
        {"method": "GET", "path": f"{CONTACTS}/{ids[0]}"}]}),
}  # fmt: skip


@pytest.mark.parametrize("kind", MANY)
def test_a_write_of_many_is_done_once_and_answered_twice(workshop, body, kind):
    owner, key = workshop.owner, new_key()
    ids = [owner.post(CONTACTS, body | {"email": f"{n}@example.com"}).json["id"] for n in range(2)]
    method, path, made = MANY[kind]
    sent = made(ids, body | {"email": "new@example.com"})
    first = keyed(owner, method, path, key, sent)
    assert first.status_code in (200, 201), first.json
    after = owner.get(CONTACTS).json
    assert is_replay_of(keyed(owner, method, path, key, sent), first)
    assert owner.get(CONTACTS).json == after
    assert keyed(owner, method, path, key, made(ids[::-1], body | {"phone": "1"})).status_code == 422


def test_a_batch_that_is_refused_is_not_kept(workshop, body):
    owner, key = workshop.owner, new_key()
    parts = [{"method": "POST", "path": CONTACTS, "body": body}, {"method": "DELETE", "path": f"{CONTACTS}/x"}]
    assert keyed(owner, "POST", "/api/v1/_batch", key, {"requests": parts}).status_code == 404
    assert (kept(owner), count(owner)) == ([], 0)
    assert is_new(keyed(owner, "POST", "/api/v1/_batch", key, {"requests": parts[:1]}))


def test_of_a_large_batch_ids_and_versions_are_kept_with_each_status(monkeypatch, workshop, body):
    monkeypatch.setattr(kept_bytes, "MAX_ANSWER_BYTES", 10)
    owner, key = workshop.owner, new_key()
    parts = [{"ref": "a", "method": "POST", "path": CONTACTS, "body": body}, {"method": "GET", "path": CONTACTS}]
    first, again = (keyed(owner, "POST", "/api/v1/_batch", key, {"requests": parts}) for _ in range(2))
    assert is_brief_replay_of(again, first)
    made, listed = again.json["data"]
    identifier = first.json["data"][0]["body"]["id"]
    assert (made["ref"], made["status"], made["body"]) == ("a", 201, {"id": identifier, "version": 1})
    assert [each["id"] for each in listed["body"]["data"]] == [identifier]
