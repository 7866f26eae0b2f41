"""The session: cookie and bearer token, where each counts, and how it ends."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from flask_login import user_loaded_from_request
from sqlalchemy import select, update

from app.auth.credentials import sessions
from app.auth.models.identity import AuthSession, AuthVerification
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.foundation.clock import now
from app.testing.cast import Actor
from app.testing.clock import moved
from app.testing.database import transaction
from tests.auth.sign_in.visitors import CONTACTS, PASSWORD, SAME_ORIGIN, address, cookie_of, session_of, sign_up, visit


def test_the_session_route_tells_who_is_signed_in_by_cookie_and_by_token(browser, app):
    made = sign_up(browser).json
    by_cookie = session_of(browser)
    by_token = session_of(visit(app), Authorization=f"Bearer {made['token']}")
    assert by_cookie == by_token
    assert by_cookie["user"] == made["user"]
    assert set(by_cookie["session"]) == {
        "id", "userId", "expiresAt", "ipAddress", "userAgent", "createdAt", "updatedAt"
    }  # fmt: skip


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer nonsense"}, {"Cookie": "session=rg_sess_x"}])
def test_the_session_route_answers_null_to_nobody(app, headers):
    response = visit(app).get("/api/auth/session", headers=headers)
    assert (response.status_code, response.json) == (200, None)
    assert response.headers["Cache-Control"] == "no-store"


def test_signing_out_ends_the_session_and_takes_the_cookie_back(browser, app):
    token = sign_up(browser).json["token"]
    response = browser.post("/api/auth/signout", headers=SAME_ORIGIN)
    assert response.json == {"success": True}
    assert cookie_of(browser) is None
    assert Actor(app, token).get(CONTACTS).status_code == 401
    assert browser.post("/api/auth/signout").json == {"success": True}


def test_signing_out_with_a_dead_bearer_ends_the_session_of_the_cookie(browser, app):
    dead = sign_up(browser).json["token"]
    alive = browser.post("/api/auth/token", headers=SAME_ORIGIN).json["token"]
    presented = {"Authorization": f"Bearer {dead}"}
    assert browser.post("/api/auth/signout", headers=presented).status_code == 403
    assert Actor(app, alive).get(CONTACTS).status_code == 200
    assert browser.post("/api/auth/signout", headers=presented | SAME_ORIGIN).json == {"success": True}
    assert Actor(app, alive).get(CONTACTS).status_code == 401
    assert cookie_of(browser) is None


def test_v18_after_signing_out_no_key_can_be_made(browser, app):
    token = sign_up(browser).json["token"]
    browser.post("/api/auth/signout", headers=SAME_ORIGIN)
    assert Actor(app, token).post("/api/v1/auth/api-key").status_code == 401


def test_a_cookie_gets_a_bearer_token_that_replaces_the_earlier_one(browser, app):
    first = sign_up(browser).json["token"]
    fresh = browser.post("/api/auth/token", headers=SAME_ORIGIN)
    assert fresh.headers["Cache-Control"] == "no-store"
    assert Actor(app, fresh.json["token"]).get(CONTACTS).status_code == 200
    assert Actor(app, first).get(CONTACTS).status_code == 401
    assert session_of(browser) is not None
    assert visit(app).post("/api/auth/token").status_code == 401


def test_a_token_may_end_before_its_session_does(browser, app):
    sign_up(browser)
    short = browser.post("/api/auth/token?expiresIn=900", headers=SAME_ORIGIN).json
    assert Actor(app, short["token"]).get(CONTACTS).status_code == 200
    with moved() as clock:
        clock.move(minutes=16)
        assert Actor(app, short["token"]).get(CONTACTS).status_code == 401
        assert session_of(browser) is not None


def test_a_token_that_ends_gives_none_that_ends_later(browser, app):
    sign_up(browser)
    short = browser.post("/api/auth/token?expiresIn=900", headers=SAME_ORIGIN).json
    for query in ("", "?expiresIn=86400"):
        short, before = Actor(app, short["token"]).post(f"/api/auth/token{query}").json, short
        assert short["expiresAt"][:19] == before["expiresAt"][:19]
    with moved() as clock:
        clock.move(minutes=16)
        assert Actor(app, short["token"]).get(CONTACTS).status_code == 401


@pytest.mark.parametrize("seconds", ["", "0", "59", "86401", "-60", "1e3", "900.5", "9" * 40, "\u0661\u0662\u0663"])
def test_a_time_that_a_token_cannot_have_is_refused(browser, seconds):
    token = sign_up(browser).json["token"]
    refused = browser.post("/api/auth/token", query_string={"expiresIn": seconds}, headers=SAME_ORIGIN)
    assert refused.status_code == 400
    assert Actor(browser.application, token).get(CONTACTS).status_code == 200


def test_cookies_count_for_nothing_under_v1(browser):
    sign_up(browser)
    assert browser.get(CONTACTS).status_code == 401
    assert browser.post("/api/v1/auth/api-key", json={"name": "x"}, headers=SAME_ORIGIN).status_code == 401


def test_the_cookie_value_is_no_bearer_token_and_the_token_is_no_cookie(browser, app):
    token = sign_up(browser).json["token"]
    assert Actor(app, cookie_of(browser).value).get(CONTACTS).status_code == 401
    other = visit(app)
    other.set_cookie("session", token)
    assert session_of(other) is None


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "http://localhost"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://localhost"}, 403),
        ({}, 403),
    ],
)
def test_an_unsafe_request_with_a_cookie_has_to_come_from_our_own_pages(browser, headers, status):
    sign_up(browser)
    assert browser.post("/api/auth/token", headers=headers).status_code == status


def test_another_site_can_neither_sign_somebody_in_nor_out(browser):
    sign_up(browser)
    foreign = {"Sec-Fetch-Site": "cross-site"}
    body = {"email": address(), "password": PASSWORD}
    before = session_of(browser)
    for path in ("signup", "signin"):
        assert "Set-Cookie" not in browser.post(f"/api/auth/{path}", json=body, headers=foreign).headers
    assert browser.post("/api/auth/signout", json={}, headers=foreign).status_code == 403
    assert session_of(browser) == before


def age(browser):
    """Let the cookie be one of another day."""
    token, _, day = cookie_of(browser).value.partition(".")
    browser.set_cookie("session", f"{token}.{day and '20260101'}")


def test_the_cookie_is_renewed_on_the_first_request_of_a_day_that_brings_it(browser):
    sign_up(browser)
    assert "Set-Cookie" not in browser.get("/api/auth/session").headers
    age(browser)
    assert "Set-Cookie" in browser.get("/api/auth/session").headers
    assert cookie_of(browser).max_age == 7 * 24 * 3600
    assert "Set-Cookie" not in browser.get("/api/auth/session").headers


def test_an_unremembered_cookie_ends_with_the_browser_and_stays_so(browser):
    sign_up(browser, rememberMe=False)
    assert cookie_of(browser).max_age is None
    age(browser)
    assert "Set-Cookie" not in browser.get("/api/auth/session").headers
    assert session_of(browser) is not None


def test_signing_out_everywhere_else_keeps_this_session(browser, app):
    email = address()
    first = sign_up(browser, email=email).json["token"]
    other = visit(app)
    other.post("/api/auth/signin", json={"email": email, "password": PASSWORD})
    assert other.post("/api/auth/revoke-other-sessions", headers=SAME_ORIGIN).json == {"success": True}
    assert Actor(app, first).get(CONTACTS).status_code == 401
    assert session_of(browser) is None
    assert session_of(other) is not None


def test_signing_out_while_the_session_is_being_read_never_fails(app):
    for _ in range(4):
        token = sign_up(visit(app)).json["token"]
        actor = Actor(app, token)
        calls = [("POST", "signout"), *[("GET", "session"), ("POST", "token")] * 3, ("POST", "signout")]
        with ThreadPoolExecutor(8) as pool:
            answers = pool.map(actor.send, *zip(*((verb, f"/api/auth/{name}") for verb, name in calls), strict=True))
            statuses = {answer.status_code for answer in answers}
        assert statuses <= {200, 401}


def test_over_https_the_cookie_is_bound_to_the_host(build):
    secure = visit(build(base_url="https://api.example.test"))
    sign_up(secure)
    cookie = secure.get_cookie("__Host-session", "localhost")
    assert cookie.secure
    assert cookie.http_only
    assert cookie.path == "/"


def test_sign_in_routes_take_sessions_only(cast):
    key = cast.key(cast.user(), "write")
    for method, path in (("GET", "session"), ("POST", "signout"), ("POST", "token")):
        assert key.send(method, f"/api/auth/{path}").status_code == 403
    assert cast.nobody.get("/api/auth/session", query_string={"api_key": key.token}).status_code == 400


def test_sessions_are_listed_without_secrets_and_revoked_one_by_one(browser, app):
    email = address()
    first = Actor(app, sign_up(browser, email=email).json["token"])
    second = visit(app).post("/api/auth/signin", json={"email": email, "password": PASSWORD}).json["token"]
    listed = first.get("/api/v1/auth/session").json["data"]
    assert len(listed) == 2
    assert not any("oken" in name or "ash" in name for row in listed for name in row)
    newest = listed[0]
    assert first.delete(f"/api/v1/auth/session/{newest['id']}").status_code == 200
    assert Actor(app, second).get(CONTACTS).status_code == 401
    assert first.get(CONTACTS).status_code == 200


def test_expired_sessions_and_proofs_are_forgotten(app, cast):
    ended, alive = cast.user(), cast.user()
    with app.app_context():
        with transaction() as session:
            own = AuthSession.user_id == ended.user_id
            session.execute(update(AuthSession).where(own).values(expires_at=now()))
            proof = {"purpose": "oauth_state", "identifier": uuid4().hex * 2, "value": "0" * 64, "expires_at": now()}
            session.add(AuthVerification(**proof))
        run_unit(SYSTEM, sessions.forget_expired)
        with transaction() as session:
            proofs = select(AuthVerification.id).where(AuthVerification.identifier == proof["identifier"])
            assert session.scalar(proofs) is None
            assert session.scalar(select(AuthSession.id).where(AuthSession.user_id == ended.user_id)) is None
    assert alive.get(CONTACTS).status_code == 200


def test_v17_no_request_writes_columns_of_a_session(cast):
    actor = cast.user()
    own = actor.get("/api/v1/auth/session").json["data"][0]
    for body in ({"impersonatedBy": own["userId"]}, {"activeOrganizationId": own["userId"]}, {"expiresAt": "2030"}):
        assert actor.put(f"/api/v1/auth/session/{own['id']}", body).status_code == 405


def test_a_session_acts_in_the_organization_its_user_chooses_among_the_own(cast):
    host = cast.user()
    member = cast.colleague(host)
    path = "/api/auth/session/organization"
    assert member.post(path, {"organizationId": str(host.organization_id)}).status_code == 200
    key = member.post("/api/v1/auth/api-key", {"name": "k"}).json["key"]
    seen = Actor(member.app, key).get("/api/v1/auth/api-key/self").json
    assert seen["organizationId"] == str(host.organization_id)
    stranger = cast.user()
    refused = member.post(path, {"organizationId": str(stranger.organization_id)})
    assert (refused.status_code, refused.json["code"]) == (400, "FOREIGN_KEY_VIOLATION")


@pytest.mark.parametrize("path", ["/api/auth/session", "/api/documents", "/api/v1/crm/contact"])
def test_nothing_but_our_own_cookie_is_read_or_set(app, cast, path):
    owner = cast.user()
    answered = owner.get(path, headers={"Cookie": "session=x; remember_token=1|x"})
    assert answered.status_code == 200
    assert "Set-Cookie" not in answered.headers
    assert "Cookie" not in answered.headers.get("Vary", "")


def test_data_routes_do_not_ask_who_is_signed_in(app, cast):
    owner, asked = cast.user(), []
    with user_loaded_from_request.connected_to(lambda *_, **user: asked.append(user), app):
        assert owner.get("/api/v1/crm/contact").status_code == 200
        assert asked == []
        assert owner.get("/api/documents").status_code == 200
        assert [each["user"].get_id() for each in asked] == [str(owner.user_id)]
