"""The use of a key over time: hours and days, from single rows and from sums that outlive them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import delete, func, select, update

from app.auth.keys import key_usage
from app.auth.keys.key_usage import sums
from app.auth.keys.key_usage.models import AuthApiKeyUsage
from app.auth.models.identity import AuthUser
from app.auth.models.keys import AuthApiKeyAnalytics
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.extensions import db
from app.foundation.clock import now, wire
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.api_keys.keys import CONTACTS, KEYS, rows


def plant(app, owner, identifier, *times, outcome="VALID", latency=7):
    """Store use of a key at given times."""
    with app.app_context(), transaction() as session:
        for time in times:
            row = AuthApiKeyAnalytics(
                key_id=identifier, user_id=owner.user_id, time=time, outcome=outcome, method="GET", status_code=200,
                request_id="planted-request", latency_ms=latency,
            )  # fmt: skip
            session.add(row)


@pytest.fixture(autouse=True)
def _nothing_summed(app):
    """What other tests have summed, on clocks of theirs, would tell up to when all is."""
    with app.app_context(), transaction() as session:
        session.execute(delete(AuthApiKeyUsage))


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
        run_unit(SYSTEM, sums.roll_up)


def test_summing_changes_no_answer_however_often_and_whenever_it_runs(app, owner, key):
    holder, identifier = key
    start = now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=5)
    plant(app, owner, identifier, *(start + timedelta(minutes=20 * number) for number in range(12)))
    holder.get(CONTACTS)
    key_usage.flush(app)
    before = series(owner, identifier)
    for _ in range(2):
        roll_up(app)
        assert series(owner, identifier) == before
    holder.get(CONTACTS)
    key_usage.flush(app)
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
    key_usage.flush(app)
    roll_up(app)
    with app.app_context(), transaction() as session:
        session.execute(db.text("SET CONSTRAINTS ALL DEFERRED"))
        session.delete(session.get_one(AuthUser, gone.user_id))
    with app.app_context(), transaction() as session:
        left = select(func.count()).select_from(AuthApiKeyAnalytics).where(AuthApiKeyAnalytics.user_id == gone.user_id)
        assert session.scalar(left) == 0
