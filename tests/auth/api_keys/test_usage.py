"""The record of key use: one row for each check, hourly sums that outlive it, and the series that is answered."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import psycopg
import pytest
from sqlalchemy import delete
from uuid_utils.compat import uuid7

from app.auth.keys import key_usage
from app.auth.keys.key_usage import recorder
from app.auth.models.keys import AuthApiKey
from app.foundation import crypto
from app.foundation.clock import now
from app.foundation.errors import DatabaseFailure
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.api_keys.keys import ANALYTICS, CONTACTS, KEYS, change, rows


def test_a_check_becomes_a_row_with_template_and_without_query(app, owner, key):
    holder, identifier = key
    chat = owner.post("/api/v1/ai/chat", {"title": "x"}).json["id"]
    response = holder.get(f"/api/v1/ai/chat/{chat}", headers={"User-Agent": "probe/1"})
    (row,) = rows(owner, identifier)
    wanted = {
        "keyId": identifier, "userId": str(owner.user_id), "organizationId": str(owner.organization_id),
        "requestId": response.headers["X-Request-Id"], "outcome": "VALID", "method": "GET",
        "route": "/api/v1/ai/chat/{id}", "statusCode": 200, "requiredScope": "read", "credentialSource": "header",
        "ipAddress": "127.0.0.1", "userAgent": "probe/1", "spentCredits": 0, "tags": [],
    }  # fmt: skip
    assert {name: row[name] for name in wanted} == wanted
    assert row["latencyMs"] >= 0


def test_a_key_in_the_query_is_recorded_as_such_and_its_text_nowhere(app, owner, key, caplog):
    holder, identifier = key
    with caplog.at_level(0):
        Actor(app).get(CONTACTS, query_string={"api_key": holder.token})
    (row,) = rows(owner, identifier)
    assert (row["credentialSource"], row["route"]) == ("query", CONTACTS)
    assert holder.token not in str(row) + caplog.text


OUTCOMES = {
    "DISABLED": {"enabled": False},
    "EXPIRED": {"expires_at": now() - timedelta(days=1)},
    "REVOKED": {"revoked_at": now()},
    "FORBIDDEN": {"ip_allow_list": ["192.0.2.1"]},
    "RATE_LIMITED": {"rate_limit_enabled": True, "rate_limit_max": 1, "rate_limit_time_window": 60_000},
}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_each_refusal_has_its_outcome(app, owner, key, outcome):
    holder, identifier = key
    change(app, identifier, **OUTCOMES[outcome])
    if outcome == "RATE_LIMITED":
        holder.get(CONTACTS)
    status = holder.get(CONTACTS).status_code
    row = rows(owner, identifier)[0]
    assert (row["outcome"], row["statusCode"]) == (outcome, status)
    assert status == (429 if outcome == "RATE_LIMITED" else 401)


def test_a_missing_scope_and_a_route_for_sessions_have_theirs(owner, key):
    holder, identifier = key
    holder.post("/api/v1/ai/chat", {"title": "x"})
    holder.get(KEYS)
    found = [(row["outcome"], row["requiredScope"], row["statusCode"]) for row in rows(owner, identifier)]
    assert found == [("FORBIDDEN", "read", 403), ("INSUFFICIENT_PERMISSIONS", "write", 403)]


def test_an_unknown_key_leaves_a_row_for_admins_alone(app, owner, cast):
    probe = Actor(app, crypto.make(crypto.KEY)).get(CONTACTS).headers["X-Request-Id"]
    assert rows(owner, requestId=probe) == []
    (row,) = rows(cast.admin, requestId=probe)
    assert (row["outcome"], row["keyId"], row["userId"], row["statusCode"]) == ("NOT_FOUND", None, None, 401)


def test_sessions_leave_no_rows(owner):
    owner.get(CONTACTS)
    assert rows(owner) == []


def test_rows_are_visible_to_the_owner_of_the_key_over_keys_too(owner, key, cast):
    holder, _ = key
    holder.get(CONTACTS)
    key_usage.flush(owner.app)
    assert holder.get(ANALYTICS).json["meta"]["count"] >= 1
    assert cast.user().get(ANALYTICS).json["meta"]["count"] == 0


def test_rows_wait_while_the_database_is_away_and_are_written_afterwards(app, owner, key, monkeypatch):
    holder, identifier = key
    own = app.extensions["usage"]
    key_usage.flush(app)

    def fail(batch):
        raise psycopg.OperationalError

    with monkeypatch.context() as away:
        away.setattr(own, "_write", fail)
        holder.get(CONTACTS)
        with pytest.raises(psycopg.OperationalError):
            own.flush()
        assert len(own.waiting) >= 1
    assert len(rows(owner, identifier)) == 1


def test_rows_wait_while_the_table_cannot_be_written_to(app, owner, key, monkeypatch):
    holder, identifier = key
    own = app.extensions["usage"]
    key_usage.flush(app)
    with monkeypatch.context() as broken:
        broken.setattr(recorder, "INSERT", "INSERT INTO there_is_no_such_table VALUES (%s)")
        holder.get(CONTACTS)
        with pytest.raises(DatabaseFailure):
            own.flush()
        assert len(own.waiting) >= 1
    assert len(rows(owner, identifier)) == 1


def test_a_row_that_is_not_fit_does_not_hold_up_the_others(app, owner, key):
    holder, identifier = key
    own = app.extensions["usage"]
    with own._flushing:
        holder.get(CONTACTS)
        own.waiting.appendleft(own.waiting[-1] | {"id": uuid7(), "ip_address": "x" * 60})
    assert len(rows(owner, identifier)) == 1
    assert not own.waiting


def test_an_address_that_is_none_is_not_recorded(build, owner, key):
    holder, identifier = key
    proxied = build(trusted_proxies=1)
    for said in ("x" * 60, "unknown", "1.2.3.4:80"):
        assert Actor(proxied, holder.token).get(CONTACTS, headers={"X-Forwarded-For": said}).status_code == 200
    key_usage.flush(proxied)
    assert [row["ipAddress"] for row in rows(owner, identifier)] == [None] * 3


def test_closing_waits_for_a_batch_that_is_under_way(app, monkeypatch):
    own = key_usage.Recorder(app)
    monkeypatch.setattr(own, "_start", lambda: None)
    writing, may_end, written = Event(), Event(), []

    def write(batch):
        writing.set()
        assert may_end.wait(10)
        written.extend(batch)

    monkeypatch.setattr(own, "_write", write)
    own.add({})
    with ThreadPoolExecutor(2) as pool:
        pool.submit(own.flush)
        assert writing.wait(10)
        closing = pool.submit(own.close)
        assert not closing.done()
        may_end.set()
        closing.result(10)
    assert written == [{}]


def test_more_rows_than_may_wait_are_dropped_and_said_in_the_log(app, caplog, monkeypatch):
    own = key_usage.Recorder(app)
    monkeypatch.setattr(own, "_write", lambda batch: None)
    monkeypatch.setattr(own, "_start", lambda: None)
    for _ in range(10_002):
        own.add({})
    own.flush()
    assert "2 rows of key use were dropped" in caplog.text


def test_a_key_that_went_meanwhile_leaves_a_row_without_key(app, cast):
    gone = cast.user()
    made = gone.post(KEYS).json
    probe = Actor(app, made["key"]).get(CONTACTS).headers["X-Request-Id"]
    with app.app_context(), transaction() as session:
        session.execute(delete(AuthApiKey).where(AuthApiKey.id == made["id"]))
    (row,) = rows(cast.admin, requestId=probe)
    assert (row["keyId"], row["outcome"]) == (None, "VALID")
