"""Governing API keys: list, read, change, rotate, revoke, and who may do it to whose."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import select, update

from app.auth.models.identity import AuthSession, AuthUser
from app.foundation.clock import now
from app.platform.models import PlatformAuditLog
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.api_keys.keys import CONTACTS, KEYS, make, path, use

RECORD = {
    "id", "name", "start", "scopes", "enabled", "status", "expiresAt", "lastUsedAt", "ipAllowList", "metadata",
    "createdAt", "updatedAt",
}  # fmt: skip
WHOLE = RECORD | {"access"}


def test_the_list_has_the_callers_own_keys_newest_first_in_the_envelope(owner, cast):
    make(cast.user())
    names = [make(owner, name=f"Key {number}")["name"] for number in range(3)]
    answer = owner.get(KEYS, query_string={"take": 2}).json
    assert [key["name"] for key in answer["data"]] == names[:0:-1]
    assert answer["meta"] == {"count": 3, "take": 2, "skip": 0}
    assert set(answer["data"][0]) == RECORD
    assert owner.get(KEYS, query_string={"name": "Key 1"}).json["meta"]["count"] == 1


@pytest.mark.parametrize("query", ["take=0", "take=x", "skip=-1", "nme=x", "userId=x", "keyHash=x", "anonymous=true"])
def test_a_bad_query_is_an_invalid_request(owner, query):
    response = owner.get(f"{KEYS}?{query}")
    assert (response.status_code, response.json["error"]) == (400, "Invalid request")


def test_one_key_is_read_by_its_owner(owner):
    key = make(owner, name="Mine", metadata={"team": "a"}, ipAllowList=["10.0.0.0/8", "2001:db8::/32"])
    shown = owner.get(path(key)).json
    assert set(shown) == WHOLE
    assert shown["start"] == key["key"][: len("rg_key_") + 4]
    assert (shown["status"], shown["enabled"], shown["lastUsedAt"]) == ("active", True, None)
    assert (shown["metadata"], shown["ipAllowList"]) == ({"team": "a"}, ["10.0.0.0/8", "2001:db8::/32"])


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_v22_a_foreign_key_and_no_key_read_the_same(owner, cast, method):
    foreign = make(cast.user())["id"]
    answers = []
    for identifier in (foreign, str(uuid4()), "nonsense"):
        response = owner.send(method, f"{KEYS}/{identifier}", json={} if method in ("PUT", "PATCH") else None)
        answers.append((response.status_code, response.json))
    assert answers == [(404, {"error": "Resource not found", "statusCode": 404})] * 3
    assert owner.post(f"{KEYS}/{foreign}/rotate").json == answers[0][1]
    assert owner.get(f"{KEYS}/{foreign}/usage").json == answers[0][1]


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_without_a_session_key_management_is_401(cast, method):
    response = cast.nobody.send(method, f"{KEYS}/{uuid4()}", json={} if method in ("PUT", "PATCH") else None)
    assert (response.status_code, response.json) == (401, {"error": "Authentication required", "statusCode": 401})
    assert response.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_update_answers_the_changed_record(owner, method):
    key = make(owner, scopes=["read", "write"])
    body = {"name": "New", "scopes": ["read"], "enabled": False, "metadata": {"a": 1}, "ipAllowList": ["192.0.2.1"]}
    answer = owner.send(method, path(key), json=body)
    assert answer.status_code == 200
    assert set(answer.json) == WHOLE
    assert {name: answer.json[name] for name in body} == body
    assert answer.json["status"] == "disabled"


def test_a_key_that_was_read_may_be_sent_back(owner):
    key = make(owner)
    shown = owner.get(path(key)).json
    again = owner.put(path(key), shown)
    assert (again.status_code, again.json) == (200, shown)


@pytest.mark.parametrize(
    "body",
    [
        {"scopes": ["admin"]}, {"scopes": []}, {"name": ""}, {"expiresAt": "2030-01-01T00:00:00Z"}, {"status": "x"},
        {"start": "rg_key_0000"}, {"ipAllowList": ["nowhere"]}, {"anonymous": True}, {"email": "a@example.com"},
        {"keyHash": "0" * 64}, {"revokedAt": None}, {"rateLimitMax": 1000}, {"expiresInDays": 3}, {"key": "x"},
    ],
)  # fmt: skip
def test_a_bad_change_is_an_invalid_request_and_changes_nothing(owner, body):
    key = make(owner)
    before = owner.get(path(key)).json
    response = owner.put(path(key), body)
    assert (response.status_code, response.json["error"]) == (400, "Invalid request")
    assert owner.get(path(key)).json == before


def test_widening_a_key_wants_a_fresh_sign_in_and_narrowing_does_not(app, owner):
    narrow, wide = make(owner), make(owner, scopes=["write"])
    with app.app_context(), transaction() as session:
        long_ago = now() - timedelta(minutes=11)
        own = AuthSession.user_id == owner.user_id
        session.execute(update(AuthSession).where(own).values(authenticated_at=long_ago))
    assert owner.put(path(narrow), {"scopes": ["write"]}).status_code == 403
    assert owner.put(path(wide), {"scopes": ["read"]}).status_code == 200


def test_v18_a_disabled_key_stays_disabled_while_it_is_being_used(app, owner):
    key = make(owner)
    assert use(app, key["key"]) == 200
    owner.put(path(key), {"enabled": False})
    assert [use(app, key["key"]) for _ in range(3)] == [401] * 3
    assert owner.get(path(key)).json["enabled"] is False
    owner.put(path(key), {"enabled": True})
    assert use(app, key["key"]) == 200


def test_use_is_noted_at_most_once_a_minute(app, owner):
    key = make(owner)
    use(app, key["key"])
    first = owner.get(path(key)).json["lastUsedAt"]
    use(app, key["key"])
    assert owner.get(path(key)).json["lastUsedAt"] == first is not None


def test_a_revoked_key_is_refused_and_gone_for_its_owner_but_not_for_the_record(app, owner, cast):
    key = make(owner)
    assert owner.delete(path(key)).json == {"id": key["id"], "deleted": True}
    assert use(app, key["key"]) == 401
    assert owner.get(path(key)).status_code == 404
    assert owner.delete(path(key)).status_code == 404
    assert owner.get(KEYS).json["meta"]["count"] == 0
    assert cast.admin.get(path(key)).json["status"] == "revoked"
    with app.app_context(), transaction() as session:
        rows = select(PlatformAuditLog).where(PlatformAuditLog.target_id == key["id"])
        assert [(row.action, row.actor_id) for row in session.scalars(rows.order_by(PlatformAuditLog.id))] == [
            ("auth.api_key.create", str(owner.user_id)),
            ("auth.api_key.revoke", str(owner.user_id)),
        ]


def test_an_admin_lists_and_revokes_the_keys_of_anybody(app, owner, cast):
    key = make(owner)
    listed = cast.admin.get(KEYS, query_string={"userId": str(owner.user_id)}).json
    assert [row["id"] for row in listed["data"]] == [key["id"]]
    assert key["id"] not in [row["id"] for row in cast.admin.get(KEYS, query_string={"take": 1000}).json["data"]]
    assert cast.admin.delete(path(key)).status_code == 200
    assert use(app, key["key"]) == 401
    assert cast.admin.delete(path(key)).status_code == 404


def test_an_admin_finds_and_revokes_anonymous_keys(app, cast):
    holder = cast.anonymous
    identifier = holder.get(f"{KEYS}/self").json["id"]
    found = cast.admin.get(KEYS, query_string={"anonymous": "true", "take": 1000}).json["data"]
    assert identifier in [row["id"] for row in found]
    for bad in ("anonymous=false", "userId=x", f"anonymous=true&userId={uuid4()}"):
        assert cast.admin.get(f"{KEYS}?{bad}").status_code == 400


def test_an_admin_changes_no_key_of_another(owner, cast):
    key = make(owner)
    for body in ({"scopes": ["write"]}, {"name": "taken"}, {"ipAllowList": ["10.0.0.1"]}, {"enabled": False}):
        response = cast.admin.put(path(key), body)
        assert (response.status_code, response.json["statusCode"]) == (403, 403)


def test_an_allow_list_takes_plain_addresses_and_blocks_only(owner):
    key = make(owner)
    for entry in ("fe80::1%eth0", "::ffff:127.0.0.1", "10.0.0.1/255.255.255.0" + " " * 30, "", "*"):
        assert owner.put(path(key), {"ipAllowList": [entry]}).status_code == 400, entry


def test_a_key_tells_about_itself(app, owner, cast):
    key = make(owner, scopes=["write"])
    told = Actor(app, key["key"]).get(f"{KEYS}/self").json
    assert set(told) == WHOLE | {"anonymous", "userId", "organizationId", "effectiveScopes"}
    assert (told["id"], told["userId"], told["organizationId"]) == (
        key["id"], str(owner.user_id), str(owner.organization_id)
    )  # fmt: skip
    assert (told["scopes"], told["effectiveScopes"], told["anonymous"]) == (["write"], ["read", "write"], False)
    assert cast.anonymous.get(f"{KEYS}/self").json["userId"] is None
    assert owner.get(f"{KEYS}/self").status_code == 403


def test_v28_a_demoted_admins_key_acts_as_a_users(app, cast):
    admin, owner = cast.user(role="admin"), cast.user()
    key = make(admin, scopes=["admin"])
    chat = owner.post("/api/v1/ai/chat", {"title": "Private"}).json["id"]
    holder = Actor(app, key["key"])
    assert holder.get(f"/api/v1/ai/chat/{chat}").status_code == 200
    with app.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.id == admin.user_id).values(role="user"))
    assert holder.get(f"/api/v1/ai/chat/{chat}").status_code == 404
    assert holder.get(f"{KEYS}/self").json["effectiveScopes"] == ["read", "write"]
    assert admin.put(path(key), {"scopes": ["read", "admin"]}).status_code == 400


def test_v32_no_error_body_shows_anything_of_a_key(app, owner, caplog):
    key = make(owner)
    with caplog.at_level(0):
        bodies = [
            Actor(app, key["key"] + "x").get(CONTACTS), Actor(app, key["key"]).post(KEYS, {"name": key["key"]}),
            owner.put(path(key), {"name": key["key"] * 3}), owner.get(f"{KEYS}?name={key['key']}"),
        ]  # fmt: skip
    text = " ".join(response.get_data(as_text=True) for response in bodies)
    assert key["key"] not in text + caplog.text


def test_an_admin_gives_a_key_a_limit_of_its_own(app, owner, cast):
    key = make(owner)
    answered = cast.admin.put(f"{path(key)}/limit", {"requests": 2, "seconds": 3600})
    assert (answered.status_code, answered.json) == (200, {"requests": 2, "seconds": 3600})
    assert [use(app, key["key"]) for _ in range(3)] == [200, 200, 429]
    assert cast.admin.put(f"{path(key)}/limit", {"requests": None}).status_code == 200
    assert use(app, key["key"]) == 200


@pytest.mark.parametrize("body", [{}, {"requests": 0}, {"requests": 100_001}, {"requests": 1, "seconds": 86_401}])
def test_a_limit_that_keys_cannot_have_is_refused(owner, cast, body):
    assert cast.admin.put(f"{path(make(owner))}/limit", body).status_code == 400


def test_nobody_but_an_admin_sets_limits(owner, cast):
    key = make(owner)
    assert owner.put(f"{path(key)}/limit", {"requests": 1}).status_code == 403
    assert cast.user().put(f"{path(key)}/limit", {"requests": 1}).status_code == 403
    assert cast.admin.put(f"{KEYS}/{uuid4()}/limit", {"requests": 1}).status_code == 404
