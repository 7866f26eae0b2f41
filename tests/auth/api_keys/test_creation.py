"""Making API keys: the specification's tables and texts, signed in and anonymously, on one path."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import count

import pytest
from sqlalchemy import func, select

from app.auth.models.keys import AuthApiKey
from app.foundation import crypto
from app.foundation.clock import now, wire
from app.platform import flags
from app.testing.cast import Actor
from app.testing.database import transaction, unit_of_work
from tests.auth.api_keys.keys import KEYS

numbers = count(1)


@pytest.fixture
def anonymous_keys_on(app):
    switch(app, on=True)
    yield
    switch(app, on=False)


def switch(app, *, on):
    with app.app_context(), unit_of_work() as unit:
        flags.switch(unit, flags.ANONYMOUS_KEYS, enabled=on)


def ask(app, body, place=None, **options):
    """Ask for a key without a credential, from an address of one's own."""
    number = next(numbers)
    address = place or f"203.0.113.{number}"
    return Actor(app).post(KEYS, body, environ_base={"REMOTE_ADDR": address}, **options)


def stored(app):
    with app.app_context(), transaction() as session:
        return session.scalar(select(func.count()).select_from(AuthApiKey))


def test_an_anonymous_key_is_answered_with_its_secret_as_apikey(app, anonymous_keys_on):
    response = ask(app, {"anonymous": True})
    assert response.status_code == 201
    assert set(response.json) == {"apiKey", "id", "name", "expiresAt"}
    assert crypto.kind(response.json["apiKey"]) == "rg_anon_"
    assert response.json["name"]
    assert response.headers["Cache-Control"] == "no-store"


def test_an_anonymous_key_lasts_thirty_days_or_as_long_as_asked(app, anonymous_keys_on):
    for body, days in (({}, 30), ({"expiresInDays": 1}, 1), ({"expiresInDays": 365}, 365)):
        ends = datetime.fromisoformat(ask(app, {"anonymous": True} | body).json["expiresAt"])
        assert abs(ends - now() - timedelta(days=days)) < timedelta(minutes=1)


def test_an_anonymous_key_takes_name_email_and_the_scope_read(app, anonymous_keys_on):
    body = {"anonymous": True, "name": "Trial", "email": "who@example.com", "scopes": ["read"], "expiresInDays": 7}
    response = ask(app, body)
    assert (response.status_code, response.json["name"]) == (201, "Trial")


def test_an_anonymous_key_reads_public_rows_and_nothing_else(app, cast, owner, anonymous_keys_on):
    holder = Actor(app, ask(app, {"anonymous": True}).json["apiKey"])
    shown = owner.post("/api/v1/ai/chat", {"title": "Open", "visibility": "public"}).json["id"]
    hidden = owner.post("/api/v1/ai/chat", {"title": "Closed"}).json["id"]
    assert holder.get(f"/api/v1/ai/chat/{shown}").status_code == 200
    assert holder.get(f"/api/v1/ai/chat/{hidden}").status_code == 404
    assert holder.post("/api/v1/ai/chat", {"title": "x"}).json["code"] == "INSUFFICIENT_SCOPE"


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ({"anonymous": True}, 403, "Anonymous API key creation is not enabled"),
        ({"anonymous": True, "scopes": ["admin"]}, 403, "Anonymous API key creation is not enabled"),
        ({}, 401, "Authentication required"),
        ({"anonymous": False}, 401, "Authentication required"),
        ({"anonymous": "true"}, 401, "Authentication required"),
        ({"name": "x"}, 401, "Authentication required"),
    ],
)
def test_with_the_flag_off_nobody_gets_a_key_without_a_session(app, body, status, text):
    before = stored(app)
    response = ask(app, body)
    assert (response.status_code, response.json) == (status, {"error": text, "statusCode": status})
    assert stored(app) == before


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 401),
        ({"name": "x"}, 401),
        ({"anonymous": False}, 401),
        ({"anonymous": "true"}, 400),
        ({"anonymous": 1}, 400),
        ({"anonymous": None}, 400),
        ({"anonymous": True, "scopes": ["write"]}, 400),
        ({"anonymous": True, "scopes": ["read", "admin"]}, 400),
        ({"anonymous": True, "scopes": []}, 400),
        ({"anonymous": True, "expiresInDays": 0}, 400),
        ({"anonymous": True, "expiresInDays": 366}, 400),
        ({"anonymous": True, "expiresInDays": "30"}, 400),
        ({"anonymous": True, "expiresAt": "2030-01-01T00:00:00Z"}, 400),
        ({"anonymous": True, "email": "nobody"}, 400),
        ({"anonymous": True, "name": ""}, 400),
        ({"anonymous": True, "userId": "x"}, 400),
        ([], 400),
    ],
)
def test_with_the_flag_on_a_bad_request_makes_no_key(app, anonymous_keys_on, body, status):
    before = stored(app)
    response = ask(app, body)
    text = {400: "Invalid request", 401: "Authentication required"}[status]
    assert (response.status_code, response.json["error"], response.json["statusCode"]) == (status, text, status)
    assert stored(app) == before


@pytest.mark.parametrize("data", [b"", b"{", b'{"anonymous": NaN}', b'{"anonymous": true, "anonymous": true}'])
def test_malformed_json_is_an_invalid_request(app, anonymous_keys_on, data):
    response = Actor(app).send("POST", KEYS, data=data, content_type="application/json")
    assert (response.status_code, response.json["error"]) == (400, "Invalid request")


def test_anonymous_together_with_a_session_is_invalid(owner, anonymous_keys_on):
    response = owner.post(KEYS, {"anonymous": True})
    assert (response.status_code, response.json["error"]) == (400, "Invalid request")


def test_the_flag_is_switched_over_the_data_api_by_admins_alone(app, cast, owner):
    flag = cast.admin.get("/api/v1/platform/feature-flag?key=auth-anonymous-api-key").json["data"][0]
    path = f"/api/v1/platform/feature-flag/{flag['id']}"
    assert owner.put(path, {"enabled": True}).status_code in (403, 404)
    assert ask(app, {"anonymous": True}).status_code == 403
    assert cast.admin.put(path, {"enabled": True}).status_code == 200
    assert ask(app, {"anonymous": True}).status_code == 201
    assert cast.admin.put(path, {"enabled": False}).status_code == 200
    assert ask(app, {"anonymous": True}).status_code == 403


def test_a_signed_in_users_key_is_answered_with_its_secret_as_key(owner):
    ends = wire(now() + timedelta(days=200))
    response = owner.post(KEYS, {"name": "Export", "expiresAt": ends, "scopes": ["read", "write"]})
    assert response.status_code == 201
    assert set(response.json) == {"id", "name", "key", "expiresAt", "scopes", "createdAt"}
    named = {"name": "Export", "expiresAt": ends, "scopes": ["read", "write"]}
    assert {name: response.json[name] for name in named} == named
    assert crypto.kind(response.json["key"]) == "rg_key_"
    assert response.headers["Cache-Control"] == "no-store"


def test_name_expiry_and_scopes_may_be_left_out(owner):
    response = owner.post(KEYS)
    assert response.status_code == 201
    assert response.json["scopes"] == ["read"]
    assert response.json["name"]
    ends = datetime.fromisoformat(response.json["expiresAt"])
    assert abs(ends - now() - timedelta(days=90)) < timedelta(minutes=1)


@pytest.mark.parametrize(
    "body",
    [
        {"scopes": ["admin"]},
        {"scopes": ["everything"]},
        {"scopes": []},
        {"scopes": "read"},
        {"scopes": None},
        {"expiresAt": "2020-01-01T00:00:00Z"},
        {"expiresAt": "2400-01-01T00:00:00Z"},
        {"expiresAt": "tomorrow"},
        {"expiresAt": "2030-01-01T00:00:00"},
        {"expiresInDays": 30},
        {"name": ""},
        {"name": "x" * 101},
        {"name": 7},
        {"ipAllowList": ["10.0.0.0/33"]},
        {"ipAllowList": ["localhost"]},
        {"ipAllowList": ["10.0.0.1"] * 51},
        {"metadata": []},
        {"metadata": {"x": "y" * 5000}},
        {"enabled": "yes"},
        {"key": "rg_key_chosen"},
        {"prefix": "mine"},
        {"rateLimitMax": 100000},
    ],
)
def test_a_bad_body_is_invalid_by_name_and_makes_no_key(app, owner, body):
    before = stored(app)
    response = owner.post(KEYS, body)
    assert (response.status_code, response.json["error"], response.json["statusCode"]) == (400, "Invalid request", 400)
    assert list(response.json["details"]["fields"]) == list(body)
    assert stored(app) == before


@pytest.mark.parametrize("field", ["userId", "referenceId", "organizationId"])
def test_v1_a_body_never_chooses_the_owner_of_a_key(cast, owner, field):
    other = cast.user()
    value = str(other.organization_id if field == "organizationId" else other.user_id)
    assert owner.post(KEYS, {"name": "x", field: value}).status_code == 400
    assert cast.nobody.post(KEYS, {"name": "x", field: value}).status_code == 401
    assert other.get(KEYS).json["meta"]["count"] == 0
    made = owner.post(KEYS).json["id"]
    assert owner.put(f"{KEYS}/{made}", {field: value}).status_code == 400
    assert cast.nobody.put(f"{KEYS}/{made}", {field: value}).status_code == 401


def test_only_an_admin_makes_an_admin_key(cast):
    assert cast.admin.post(KEYS, {"scopes": ["admin"]}).json["scopes"] == ["admin"]


@pytest.mark.parametrize("scope", ["read", "write", "admin"])
def test_v26_no_key_makes_lists_or_changes_keys(cast, scope):
    key = cast.key(cast.admin, scope)
    made = cast.admin.post(KEYS).json["id"]
    for method, path in (
        ("POST", KEYS), ("GET", KEYS), ("GET", f"{KEYS}/{made}"), ("PUT", f"{KEYS}/{made}"),
        ("DELETE", f"{KEYS}/{made}"), ("POST", f"{KEYS}/{made}/rotate"), ("GET", f"{KEYS}/{made}/usage"),
    ):  # fmt: skip
        response = key.send(method, path, json={} if method in ("POST", "PUT") else None)
        assert (response.status_code, response.json["statusCode"]) == (403, 403), (method, path)


def test_a_key_given_out_works_and_its_secret_is_never_shown_again(app, owner):
    made = owner.post(KEYS, {"name": "Once"}).json
    assert Actor(app, made["key"]).get("/api/v1/crm/contact").status_code == 200
    shown = [
        owner.get(KEYS), owner.get(f"{KEYS}/{made['id']}"), owner.put(f"{KEYS}/{made['id']}", {"name": "x"}),
        owner.delete(f"{KEYS}/{made['id']}"),
    ]  # fmt: skip
    for response in shown:
        text = response.get_data(as_text=True)
        assert made["key"] not in text
        assert '"key"' not in text
        assert "keyHash" not in text


def test_users_make_ten_keys_an_hour(owner, cast):
    answers = [owner.post(KEYS) for _ in range(11)]
    assert [response.status_code for response in answers] == [201] * 10 + [429]
    refused = answers[-1]
    assert refused.json == {"error": "Rate limit exceeded", "statusCode": 429}
    assert 3500 < int(refused.headers["Retry-After"]) <= 3600
    assert refused.headers["RateLimit-Policy"] == '"keys";q=10;w=3600'
    assert refused.headers["X-RateLimit-Limit"] == "10"
    assert cast.user().post(KEYS).status_code == 201


def test_addresses_make_five_anonymous_keys_an_hour(app, anonymous_keys_on):
    answers = [ask(app, {"anonymous": True}, "192.0.2.55") for _ in range(6)]
    assert [response.status_code for response in answers] == [201] * 5 + [429]
    assert answers[-1].json == {"error": "Rate limit exceeded", "statusCode": 429}
    assert ask(app, {"anonymous": True}, "192.0.2.56").status_code == 201


def test_v20_v21_no_disguise_gets_a_sixth_anonymous_key(app, anonymous_keys_on):
    for number in range(5):
        assert ask(app, {"anonymous": True}, f"2001:db8:5:5::{number:x}").status_code == 201
    disguises = [
        ("2001:db8:5:5:ffff:ffff::1", {}),
        ("2001:DB8:5:5::1", {}),
        ("2001:db8:5:5::1", {"X-Forwarded-For": "198.51.100.7"}),
        ("2001:db8:5:5::1", {"X-Real-IP": "198.51.100.7", "Forwarded": "for=198.51.100.7"}),
    ]
    for address, headers in disguises:
        assert ask(app, {"anonymous": True}, address, headers=headers).status_code == 429
    base = {"REMOTE_ADDR": "2001:db8:5:5::1"}
    for path in ("/api/v1/auth//api-key", "//api/v1/auth/api-key", f"{KEYS}/", "/api/v1/AUTH/api-key"):
        response = Actor(app).send("POST", path, json={"anonymous": True}, environ_base=base)
        assert response.status_code in (404, 405)
        assert "apiKey" not in (response.json or {})


def test_behind_a_trusted_proxy_the_last_hop_counts(build, anonymous_keys_on):
    proxied = build(trusted_proxies=1)

    def status(forwarded):
        headers = {"X-Forwarded-For": forwarded}
        return Actor(proxied).post(KEYS, {"anonymous": True}, headers=headers).status_code

    assert [status(f"10.{number}.0.1, 192.0.2.90") for number in range(6)] == [201] * 5 + [429]
    assert status("192.0.2.91") == 201


def test_a_refused_request_is_not_counted_as_a_creation(owner):
    for _ in range(12):
        assert owner.post(KEYS, {"scopes": ["admin"]}).status_code == 400
    assert owner.post(KEYS).status_code == 201
