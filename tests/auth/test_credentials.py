"""Who the caller is: tokens, where they may stand, and when they stop working."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from app.auth.models.identity import AuthSession, AuthUser
from app.auth.models.keys import AuthApiKey
from app.auth.models.organizations import AuthMember
from app.extensions import db
from app.foundation import crypto
from app.foundation.clock import now
from app.testing.cast import Actor
from app.testing.database import transaction

PATH = "/api/v1/crm/contact"


def change(app, model, condition, **values):
    with app.app_context(), transaction() as session:
        session.execute(update(model).where(condition).values(**values))


def key_of(owner, app):
    with app.app_context(), transaction() as session:
        return session.query(AuthApiKey.id).filter(AuthApiKey.user_id == owner.user_id).scalar()


GARBAGE = [
    "", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "Bearer x", "Bearer rg_key_", "bearer rg_sess_" + "0" * 49,
    "Bearer \u00e9", "Bearer rg_key_" + "a" * 5000, "Token abc", "Bearer a b c", "Bearer rg_other_" + "0" * 49,
]  # fmt: skip


@pytest.mark.parametrize("header", GARBAGE)
def test_v29_a_garbage_header_is_refused_and_never_fails(app, header):
    response = Actor(app).get(PATH, headers={"Authorization": header.encode().decode("latin-1")})
    assert response.status_code == 401
    assert response.json == {"error": "Authentication required", "code": "UNAUTHENTICATED", "details": {}}
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_without_a_credential_the_challenge_names_no_error(cast):
    assert cast.nobody.get(PATH).headers["WWW-Authenticate"] == "Bearer"


def test_a_wrong_checksum_is_refused_without_asking_the_database(app, monkeypatch):
    token = crypto.make(crypto.KEY)
    wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
    monkeypatch.setattr("app.auth.credentials.lookup.autocommit_connection", None)
    assert Actor(app, wrong).get(PATH).status_code == 401


def test_a_token_of_good_form_that_nobody_holds_is_refused(app):
    for prefix in crypto.PREFIXES:
        assert Actor(app, crypto.make(prefix)).get(PATH).status_code == 401


def test_a_key_works_in_the_header_and_in_the_query(cast, owner, app):
    key = cast.key(owner, "read")
    assert key.get(PATH).status_code == 200
    response = Actor(app).get(PATH, query_string={"api_key": key.token})
    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "private, no-store"
    assert response.headers["Referrer-Policy"] == "no-referrer"


def test_two_credentials_at_once_are_refused(cast, owner):
    key = cast.key(owner, "read")
    assert key.get(PATH, query_string={"api_key": key.token}).status_code == 400
    assert owner.get(f"{PATH}?api_key={key.token}").status_code == 400


def test_a_session_token_does_not_travel_in_the_query(app, owner):
    assert Actor(app).get(PATH, query_string={"api_key": owner.token}).status_code == 401


def test_a_key_reads_with_read_and_writes_with_write(cast, owner):
    company = {"name": "Acme"}
    refused = cast.key(owner, "read").post("/api/v1/ai/chat", {"title": "x"})
    assert (refused.status_code, refused.json["code"]) == (403, "INSUFFICIENT_SCOPE")
    assert refused.json["details"] == {"scope": "write"}
    assert cast.key(owner, "write").post("/api/v1/crm/company", company).status_code == 201


def test_an_admin_acts_as_one_with_the_scope_admin_only_and_never_from_the_query(cast, app, owner):
    chat = owner.post("/api/v1/ai/chat", {"title": "Private"}).json
    path = f"/api/v1/ai/chat/{chat['id']}"
    admin_key = cast.key(cast.admin, "admin")
    assert admin_key.get(path).status_code == 200
    assert cast.key(cast.admin, "write").get(path).status_code == 404
    assert Actor(app).get(path, query_string={"api_key": admin_key.token}).status_code == 404


@pytest.mark.parametrize("state", ["revoked", "disabled", "expired", "out of grace"])
def test_a_key_that_is_no_longer_live_is_refused_on_the_next_request(cast, app, owner, state):
    key = cast.key(owner, "read")
    assert key.get(PATH).status_code == 200
    values = {
        "revoked": {"revoked_at": now()},
        "disabled": {"enabled": False},
        "expired": {"expires_at": now() - timedelta(seconds=1)},
        "out of grace": {"grace_expires_at": now() - timedelta(seconds=1)},
    }[state]
    change(app, AuthApiKey, AuthApiKey.user_id == owner.user_id, **values)
    assert key.get(PATH).status_code == 401


def test_v28_a_ban_ends_sessions_and_keys_at_the_next_request(cast, app, owner):
    key = cast.key(owner, "read")
    assert cast.admin.put(f"/api/v1/auth/user/{owner.user_id}", {"banned": True}).status_code == 200
    assert (owner.get(PATH).status_code, key.get(PATH).status_code) == (401, 401)
    change(app, AuthUser, AuthUser.id == owner.user_id, ban_expires=now() - timedelta(minutes=1))
    assert (owner.get(PATH).status_code, key.get(PATH).status_code) == (401, 200), "sessions do not come back"


def test_v28_a_change_of_role_asks_for_a_new_sign_in(cast, owner):
    assert cast.admin.put(f"/api/v1/auth/user/{owner.user_id}", {"role": "admin"}).status_code == 200
    assert owner.get(PATH).status_code == 401


def test_v28_a_deleted_users_session_and_key_are_refused_at_the_next_request(cast, owner):
    key = cast.key(owner, "read")
    assert cast.admin.delete(f"/api/v1/auth/user/{owner.user_id}").status_code == 200
    assert (owner.get(PATH).status_code, key.get(PATH).status_code) == (401, 401)


def test_v28_a_demoted_admin_sees_no_more_than_others(cast, app, owner):
    admin = cast.user(role="admin")
    chat = owner.post("/api/v1/ai/chat", {"title": "Private"}).json
    assert admin.get(f"/api/v1/ai/chat/{chat['id']}").status_code == 200
    change(app, AuthUser, AuthUser.id == admin.user_id, role="user")
    assert admin.get(f"/api/v1/ai/chat/{chat['id']}").status_code == 404


def test_a_key_ends_with_the_membership_of_its_owner(cast, app, owner):
    key = cast.key(owner, "read")
    change(app, AuthMember, AuthMember.user_id == owner.user_id, user_id=cast.user().user_id)
    assert key.get(PATH).status_code == 401


def test_a_key_acts_in_one_organization(cast, owner):
    other = cast.user()
    made = other.post("/api/v1/crm/company", {"name": "Elsewhere"}).json
    member = cast.colleague(other)
    assert member.get(f"/api/v1/crm/company/{made['id']}").status_code == 200
    assert cast.key(member, "read").get(f"/api/v1/crm/company/{made['id']}").status_code == 404


@pytest.mark.parametrize(
    ("blocks", "address", "status"),
    [
        (["10.0.0.0/8"], "10.1.2.3", 200),
        (["10.0.0.0/8"], "11.1.2.3", 401),
        (["192.0.2.7"], "192.0.2.7", 200),
        (["192.0.2.7"], "192.0.2.70", 401),
        (["2001:db8::/32"], "2001:db8::1", 200),
        (["2001:db8::/32"], "2001:db9::1", 401),
        (["10.0.0.0/8"], "::ffff:10.1.2.3", 200),
        (["0.0.0.0/0", "::/0"], "unknown", 401),
        (["0.0.0.0/0", "::/0"], "10.1.2.3:4567", 401),
        (["0.0.0.0/0", "::/0"], "", 401),
    ],
)
def test_v27_an_allow_list_takes_addresses_and_blocks(cast, owner, blocks, address, status):
    key = cast.key(owner, "read", ip_allow_list=blocks)
    assert key.get(PATH, environ_base={"REMOTE_ADDR": address}).status_code == status


def test_a_session_ends_when_it_expires_and_slides_with_use(cast, app, owner):
    own = AuthSession.user_id == owner.user_id
    soon = now() + timedelta(hours=1)
    change(app, AuthSession, own, expires_at=soon, last_seen_at=now() - timedelta(minutes=2))
    assert owner.get(PATH).status_code == 200
    with app.app_context(), transaction() as session:
        assert session.query(AuthSession.expires_at).filter(own).scalar() > now() + timedelta(days=6)
    change(app, AuthSession, own, expires_at=now())
    assert owner.get(PATH).status_code == 401


def test_a_session_never_outlives_thirty_days(cast, app, owner):
    own = AuthSession.user_id == owner.user_id
    began, soon = now() - timedelta(days=29), now() + timedelta(hours=1)
    change(app, AuthSession, own, created_at=began, expires_at=soon, last_seen_at=None)
    assert owner.get(PATH).status_code == 200
    with app.app_context(), transaction() as session:
        assert session.query(AuthSession.expires_at).filter(own).scalar() == began + timedelta(days=30)


def test_signing_out_by_deleting_the_session_ends_it(cast, owner):
    session = owner.get("/api/v1/auth/session").json["data"][0]
    assert owner.delete(f"/api/v1/auth/session/{session['id']}").status_code == 200
    assert owner.get(PATH).status_code == 401


def test_v16_nobody_reads_or_ends_the_session_of_another_by_its_id(cast, owner):
    session = owner.get("/api/v1/auth/session").json["data"][0]
    path = f"/api/v1/auth/session/{session['id']}"
    stranger = cast.user()
    assert (stranger.get(path).status_code, stranger.delete(path).status_code) == (404, 404)
    assert owner.get(PATH).status_code == 200


def test_v23_two_tenants_with_the_same_names_do_not_meet(cast):
    first, second = cast.user(), cast.user()
    for owner in (first, second):
        owner.post("/api/v1/crm/company", {"name": "Same"})
        cast.key(owner, "read", name="Same")
    for owner in (first, second):
        assert cast.key(owner, "read").get("/api/v1/crm/company").json["total"] == 1
        assert owner.get("/api/v1/auth/api-key?name=Same").json["meta"]["count"] == 1


@pytest.mark.parametrize(
    "path",
    [
        "session?tokenHash=x", "session?cookieHash=x", "account?password=x", "account?issuer=local",
        "account?accessToken=x", "api-key?keyHash=x", "api-key?userId=x", "api-key?revokedAt=x",
        "invitation?secretHash=x", "user?banReason=x",
    ],
)  # fmt: skip
def test_v25_nobody_asks_about_secret_columns_through_filters(owner, path):
    assert owner.get(f"/api/v1/auth/{path}").status_code == 400


def test_v26_no_key_gets_where_a_session_is_needed(cast):
    admin_key = cast.key(cast.admin, "admin")
    for segment in ("session", "account", "verification", "two-factor", "passkey"):
        response = admin_key.get(f"/api/v1/auth/{segment}")
        assert (response.status_code, response.json["code"]) == (403, "FORBIDDEN")


def test_an_admin_key_may_write_users_and_a_plain_key_may_not(cast, owner):
    body = {"name": "New", "email": f"new-{owner.user_id}@example.com"}
    assert cast.key(cast.admin, "admin").post("/api/v1/auth/user", body).status_code == 201
    assert cast.key(owner, "write").put(f"/api/v1/auth/user/{owner.user_id}", {"name": "x"}).status_code == 403
    assert owner.put(f"/api/v1/auth/user/{owner.user_id}", {"name": "x"}).status_code == 200


def test_v31_no_secret_reaches_a_log_or_an_answer(cast, owner, caplog):
    key = cast.key(owner, "read")
    with caplog.at_level(0):
        bodies = [
            key.get(PATH).data,
            cast.nobody.get(PATH, query_string={"api_key": key.token}).data,
            cast.nobody.get(f"{PATH}?api_key={key.token}x").data,
        ]
    assert key.token not in caplog.text
    assert all(key.token.encode() not in body for body in bodies)


def test_hidden_and_write_only_fields_never_leave(cast, owner):
    provider = cast.admin.post(
        "/api/v1/ai",
        {
            "slug": f"p-{owner.user_id}",
            "name": "P",
            "kind": "openai_compatible",
            "defaultModel": "m",
            "baseUrl": "https://models.example.com",
            "apiKey": "sk-very-secret",
        },
    )
    assert provider.json["hasApiKey"] is True
    shown = [provider, cast.admin.get(f"/api/v1/ai/{provider.json['id']}"), owner.get("/api/v1/auth/session")]
    text = " ".join(response.get_data(as_text=True) for response in shown)
    assert not any(word in text for word in ("sk-very-secret", 'apiKey"', "tokenHash", "cookieHash"))
    plain = owner.get(f"/api/v1/ai/{provider.json['id']}").json
    assert not {"baseUrl", "hasApiKey", "lastError"} & set(plain)
    assert owner.get("/api/v1/ai?baseUrl=x").status_code == 400


def test_a_provider_secret_is_encrypted_at_rest_and_null_removes_it(cast, app, owner):
    body = {"slug": f"q-{owner.user_id}", "name": "Q", "kind": "builtin", "defaultModel": "m", "apiKey": "sk-plain"}
    made = cast.admin.post("/api/v1/ai", body).json
    with app.app_context(), transaction() as session:
        stored = session.execute(db.text("SELECT api_key FROM ai_provider WHERE id = :id"), {"id": made["id"]}).scalar()
        assert "sk-plain" not in stored
        assert crypto.vault().decrypt(stored) == "sk-plain"
    cleared = cast.admin.put(f"/api/v1/ai/{made['id']}", {"apiKey": None})
    assert cleared.json["hasApiKey"] is False
