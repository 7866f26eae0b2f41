"""Key and sign-in routes while Redis or the database is away."""

from __future__ import annotations

import pytest

from app.auth.credentials import throttling
from app.testing.cast import Actor
from tests.auth.sign_in.visitors import PASSWORD, address, sign_up, visit

KEYS = "/api/v1/auth/api-key"
CONTACTS = "/api/v1/crm/contact"


@pytest.fixture
def without_redis(app, build):
    return build(redis_url="redis://127.0.0.1:1/0")


@pytest.fixture
def without_database(app, build):
    return build(database_url="postgresql://nobody@127.0.0.1:1/none", database_pool_timeout=1.0)


def test_with_redis_away_keys_are_validated_and_their_limit_counted_in_the_process(without_redis, cast, caplog):
    key = cast.key(cast.user(), "read", rate_limit_enabled=True, rate_limit_max=3)
    holder = Actor(without_redis, key.token)
    assert [holder.get(CONTACTS).status_code for _ in range(4)] == [200, 200, 200, 429]
    assert "Redis is away" in caplog.text


def test_with_redis_away_users_still_make_ten_keys(without_redis, cast):
    owner = Actor(without_redis, cast.user().token)
    assert [owner.post(KEYS).status_code for _ in range(11)] == [201] * 10 + [429]


def test_with_redis_away_failed_sign_ins_are_still_counted(without_redis, monkeypatch):
    monkeypatch.setattr(throttling, "FIRST", 60)
    email = address()
    client = visit(without_redis)
    sign_up(client, email=email)
    body = {"email": email, "password": PASSWORD}
    assert client.post("/api/auth/signin", json=body).status_code == 200
    for _ in range(5):
        assert client.post("/api/auth/signin", json=body | {"password": "not this one"}).status_code == 401
    assert client.post("/api/auth/signin", json=body).status_code == 401


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_with_the_database_away_the_key_routes_answer_503_in_their_shape(without_database, cast, method):
    response = Actor(without_database, cast.user().token).send(method, KEYS, json={} if method == "POST" else None)
    assert response.status_code == 503
    assert response.json == {"error": "The service is temporarily unavailable", "statusCode": 503}
    assert int(response.headers["Retry-After"]) >= 1


def test_with_the_database_away_anonymous_creation_and_validation_answer_503(without_database, cast):
    assert Actor(without_database).post(KEYS, {"anonymous": True}).status_code == 503
    key = cast.key(cast.user(), "read")
    assert Actor(without_database, key.token).get(CONTACTS).status_code == 503


@pytest.mark.parametrize("route", ["signup", "signin"])
def test_with_the_database_away_nobody_is_signed_in_or_up(without_database, route):
    body = {"email": address(), "password": PASSWORD}
    response = visit(without_database).post(f"/api/auth/{route}", json=body)
    assert (response.status_code, response.json["code"]) == (503, "UNAVAILABLE")
    assert "Set-Cookie" not in response.headers
