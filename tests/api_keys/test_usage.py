"""The record of key use: one row for each check, hourly sums that outlive it, and the series that is answered."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import delete, func, select, update

from app import secrets, usage
from app.clock import now, wire
from app.database import transaction
from app.extensions import db
from app.models.auth.identity import AuthUser
from app.models.auth.keys import AuthApiKey, AuthApiKeyAnalytics
from app.models.internal import AuthApiKeyUsage
from app.usage import sums
from tests.cast import Actor

CONTACTS = "/api/v1/crm/contact"
KEYS = "/api/v1/auth/api-key"
ANALYTICS = "/api/v1/auth/api-key-analytics"


@pytest.fixture
def owner(cast):
    return cast.user()


@pytest.fixture
def key(owner):
    made = owner.post(KEYS).json
    return Actor(owner.app, made["key"], owner.user_id, owner.organization_id), made["id"]


def rows(owner, identifier=None, **filters):
    usage.flush(owner.app)
    query = {"take": 1000} | ({"keyId": identifier} if identifier else {}) | filters
    return owner.get(ANALYTICS, query_string=query).json["data"]


def change(app, identifier, **values):
    with app.app_context(), transaction() as session:
        session.execute(update(AuthApiKey).where(AuthApiKey.id == identifier).values(**values))


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
    probe = Actor(app, secrets.make(secrets.KEY)).get(CONTACTS).headers["X-Request-Id"]
    assert rows(owner, requestId=probe) == []
    (row,) = rows(cast.admin, requestId=probe)
    assert (row["outcome"], row["keyId"], row["userId"], row["statusCode"]) == ("NOT_FOUND", None, None, 401)


def test_sessions_leave_no_rows(owner):
    owner.get(CONTACTS)
    assert rows(owner) == []


def test_rows_are_visible_to_the_owner_of_the_key_over_keys_too(owner, key, cast):
    holder, _ = key
    holder.get(CONTACTS)
    usage.flush(owner.app)
    assert holder.get(ANALYTICS).json["meta"]["count"] >= 1
    assert cast.user().get(ANALYTICS).json["meta"]["count"] == 0


def test_rows_wait_while_the_database_is_away_and_are_written_afterwards(app, owner, key, monkeypatch):
    import psycopg

    holder, identifier = key
    recorder = app.extensions["usage"]
    usage.flush(app)

    def fail(batch):
        raise psycopg.OperationalError

    with monkeypatch.context() as away:
        away.setattr(recorder, "_write", fail)
        holder.get(CONTACTS)
        with pytest.raises(psycopg.OperationalError):
            recorder.flush()
        assert len(recorder.waiting) >= 1
    assert len(rows(owner, identifier)) == 1


def test_more_rows_than_may_wait_are_dropped_and_said_in_the_log(app, caplog, monkeypatch):
    recorder = usage.Recorder(app)
    monkeypatch.setattr(recorder, "_write", lambda batch: None)
    monkeypatch.setattr(recorder, "_start", lambda: None)
    for _ in range(10_002):
        recorder.add({})
    recorder.flush()
    assert "2 rows of key use were dropped" in caplog.text


def test_a_key_that_went_meanwhile_leaves_a_row_without_key(app, cast):
    gone = cast.user()
    made = gone.post(KEYS).json
    probe = Actor(app, made["key"]).get(CONTACTS).headers["X-Request-Id"]
    with app.app_context(), transaction() as session:
        session.execute(delete(AuthApiKey).where(AuthApiKey.id == made["id"]))
    (row,) = rows(cast.admin, requestId=probe)
    assert (row["keyId"], row["outcome"]) == (None, "VALID")


def plant(app, owner, identifier, *times, outcome="VALID", latency=7):
    """Store use of a key at given times."""
    with app.app_context(), transaction() as session:
        for time in times:
            row = AuthApiKeyAnalytics(
                key_id=identifier, user_id=owner.user_id, time=time, outcome=outcome, method="GET", status_code=200,
                request_id="planted-request", latency_ms=latency,
            )  # fmt: skip
            session.add(row)


def series(owner, identifier, **query):
    response = owner.get(f"{KEYS}/{identifier}/usage", query_string=query)
    assert response.status_code == 200, response.json
    return response.json


def used(points):
    return [(point["time"], point["requests"]) for point in points["data"] if point["requests"]]


def test_the_series_counts_by_hour_and_by_day(app, owner, key):
    _, identifier = key
    noon = now().replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=2)
    plant(app, owner, identifier, noon, noon + timedelta(minutes=59), noon + timedelta(hours=1))
    plant(app, owner, identifier, noon, outcome="RATE_LIMITED", latency=300)
    window = {"from": wire(noon - timedelta(hours=12)), "to": wire(noon + timedelta(hours=12))}
    by_hour = series(owner, identifier, **window)
    assert used(by_hour) == [(wire(noon), 3), (wire(noon + timedelta(hours=1)), 1)]
    assert len(by_hour["data"]) == 24
    assert by_hour["meta"] == {**window, "interval": "hour", "requests": 4}
    point = by_hour["data"][12]
    assert point["outcomes"] == {"VALID": 2, "RATE_LIMITED": 1}
    assert point["latencyMs"] == {"average": 104.7, "p50": 10, "p95": 300, "max": 300}
    by_day = series(owner, identifier, interval="day", **window)
    assert used(by_day) == [(wire(noon.replace(hour=0)), 4)]
    assert by_day["data"][0]["latencyMs"]["max"] == 300


@pytest.mark.parametrize(
    "query",
    ["interval=week", "from=yesterday", "to=2026", "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z",
     "from=2000-01-01T00:00:00Z", "interval=hour&interval=day", "since=x", "to=9999-12-31T23:59:59Z"],
)  # fmt: skip
def test_a_bad_range_is_an_invalid_request(owner, key, query):
    response = owner.get(f"{KEYS}/{key[1]}/usage?{query}")
    assert (response.status_code, response.json["error"]) == (400, "Invalid request")


def test_the_series_of_an_unused_key_is_all_zeroes(owner, key):
    points = series(owner, key[1])
    assert points["meta"]["requests"] == 0
    assert points["data"][0]["latencyMs"] == {"average": None, "p50": None, "p95": None, "max": None}


def roll_up(app):
    with app.app_context():
        sums.roll_up()


def test_summing_changes_no_answer_however_often_and_whenever_it_runs(app, owner, key):
    holder, identifier = key
    start = now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=5)
    plant(app, owner, identifier, *(start + timedelta(minutes=20 * number) for number in range(12)))
    holder.get(CONTACTS)
    usage.flush(app)
    before = series(owner, identifier)
    for _ in range(2):
        roll_up(app)
        assert series(owner, identifier) == before
    holder.get(CONTACTS)
    usage.flush(app)
    assert series(owner, identifier)["meta"]["requests"] == before["meta"]["requests"] + 1


def test_rows_that_come_late_are_summed_too(app, owner, key):
    _, identifier = key
    hour = now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=1)
    plant(app, owner, identifier, hour)
    roll_up(app)
    plant(app, owner, identifier, hour + timedelta(minutes=59))
    roll_up(app)
    assert used(series(owner, identifier)) == [(wire(hour), 2)]


def test_single_rows_go_after_ninety_days_and_their_sums_stay(app, owner, key, cast):
    _, identifier = key
    with app.app_context(), transaction() as session:
        session.execute(delete(AuthApiKeyUsage))
    old = now().replace(minute=0, second=0, microsecond=0) - timedelta(days=89)
    plant(app, owner, identifier, old, old + timedelta(minutes=1))
    roll_up(app)
    with app.app_context(), transaction() as session:
        shift = {"time": AuthApiKeyAnalytics.time - timedelta(days=3)}
        session.execute(update(AuthApiKeyAnalytics).where(AuthApiKeyAnalytics.key_id == identifier).values(**shift))
        session.execute(
            update(AuthApiKeyUsage)
            .where(AuthApiKeyUsage.key_id == identifier)
            .values(hour=AuthApiKeyUsage.hour - timedelta(days=3))
        )
    with app.app_context():
        sums.expire()
    assert rows(owner, identifier) == []
    around = {"from": wire(old - timedelta(days=4)), "to": wire(old)}
    assert series(owner, identifier, interval="day", **around)["meta"]["requests"] == 2


def test_deleting_a_user_takes_the_record_of_its_keys_along(app, cast):
    gone = cast.user()
    made = gone.post(KEYS).json
    Actor(app, made["key"]).get(CONTACTS)
    usage.flush(app)
    roll_up(app)
    with app.app_context(), transaction() as session:
        session.execute(db.text("SET CONSTRAINTS ALL DEFERRED"))
        session.delete(session.get_one(AuthUser, gone.user_id))
    with app.app_context(), transaction() as session:
        left = select(func.count()).select_from(AuthApiKeyAnalytics).where(AuthApiKeyAnalytics.user_id == gone.user_id)
        assert session.scalar(left) == 0
