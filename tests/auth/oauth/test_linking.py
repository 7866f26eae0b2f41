"""Whose account an identity is: linked by a session, by an address that both sides have verified, or not at all."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import func, select, update

from app.auth.models.identity import AuthSession, AuthUser
from app.foundation.clock import now
from app.testing.database import transaction
from tests.auth.oauth.journey import agree, error_of, start, travel, user_of, verify, visit
from tests.auth.sign_in.visitors import sign_up


def people(app, email):
    with app.app_context(), transaction() as session:
        return session.scalar(select(func.count()).select_from(AuthUser).where(AuthUser.email == email))


def test_v2_an_account_with_an_unverified_address_links_nothing(google, openid):
    attacker, owner = visit(google), visit(google)
    sign_up(attacker, email="victim-of-linking@openid.example")
    assert error_of(travel(attacker, "google")) == "account_not_verified"
    openid.claims |= {"sub": uuid4().hex, "email": f"{uuid4().hex}@openid.example"}
    assert error_of(travel(owner, "google")) is None


def test_where_addresses_must_be_verified_a_provider_that_does_not_vouch_opens_no_session(configured, openid):
    tenant = str(uuid4())
    openid.issuer = f"{openid.url}/{tenant}/v2.0"
    openid.claims = {"tid": tenant, "oid": uuid4().hex, "email": f"{uuid4().hex}@ms.example", "email_verified": None}
    strict = configured(microsoft=openid.url, require_email_verification=True)
    browser = visit(strict)
    assert error_of(travel(browser, "microsoft")) == "account_not_verified"
    assert user_of(browser) is None


def test_one_person_in_two_tabs_at_once_gets_one_account(google, openid):
    browsers = [visit(google) for _ in range(4)]
    callbacks = [agree(start(browser, "google").json["url"]) for browser in browsers]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda pair: pair[0].get(pair[1]), zip(browsers, callbacks, strict=True)))
    assert [error_of(answer) for answer in answers] == [None] * 4
    assert people(google, openid.claims["email"]) == 1


@pytest.mark.parametrize(
    ("claims", "error"),
    [
        ({"name": ["a"]}, None),
        ({"name": {"first": "a"}}, None),
        ({"name": "a\x00b"}, None),
        ({"name": "\u202eevil"}, None),
        ({"picture": 5}, None),
        ({"picture": "javascript:alert(1)"}, None),
        ({"email": ["a@b.example"]}, "email_missing"),
        ({"email": 7}, "email_missing"),
        ({"email": "a" * 300 + "@b.example"}, "email_missing"),
        ({"sub": "x" * 400}, "identity_incomplete"),
        ({"sub": "a\x00b"}, "identity_incomplete"),
        ({"sub": 7}, "sign_in_failed"),
    ],
)
def test_odd_claims_are_left_out_or_end_the_sign_in(google, openid, claims, error):
    openid.claims |= claims
    assert error_of(travel(visit(google), "google")) == error


def test_an_error_goes_before_the_fragment_of_where_it_is_sent(google, openid):
    openid.claims |= {"email_verified": False}
    response = travel(visit(google), "google", errorCallbackURL="/app?x=1#sign-in")
    assert response.headers["Location"] == "/app?x=1&error=email_not_verified#sign-in"


def test_looking_ahead_with_head_does_not_use_the_state_up(google):
    browser = visit(google)
    callback = agree(start(browser, "google").json["url"])
    browser.head(callback)
    assert error_of(browser.get(callback)) is None


def test_v7_a_forged_host_has_no_effect_on_links_and_trust(google):
    forged = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
    browser = visit(google)
    answer = browser.post("/api/auth/oauth/google", json={}, headers=forged)
    assert "evil" not in answer.get_data(as_text=True)
    sign_up(browser)
    trusted = browser.post("/api/auth/token", headers=forged | {"Origin": "http://evil.example"})
    assert trusted.status_code in (401, 403)


def test_a_session_that_has_ended_meanwhile_links_nothing(google, openid):
    browser = visit(google)
    user = sign_up(browser).json["user"]
    callback = agree(start(browser, "google").json["url"])
    with google.app_context(), transaction() as session:
        session.execute(update(AuthSession).where(AuthSession.user_id == user["id"]).values(expires_at=now()))
    assert error_of(browser.get(callback)) == "session_ended"
    assert people(google, openid.claims["email"]) == 0


def test_linking_wants_a_fresh_sign_in(google):
    browser = visit(google)
    user = sign_up(browser).json["user"]
    with google.app_context(), transaction() as session:
        long_ago = now() - timedelta(minutes=11)
        session.execute(update(AuthSession).where(AuthSession.user_id == user["id"]).values(authenticated_at=long_ago))
    assert error_of(travel(browser, "google")) == "reauthentication_required"


def test_an_identity_of_one_user_is_not_linked_to_another(google):
    travel(visit(google), "google")
    other = visit(google)
    verify(google, sign_up(other))
    assert error_of(travel(other, "google")) == "account_linked_elsewhere"


def test_v28_a_banned_user_does_not_get_in_through_a_provider(google):
    browser = visit(google)
    travel(browser, "google")
    user = user_of(browser)
    with google.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.id == user["id"]).values(banned=True))
    assert error_of(travel(visit(google), "google")) == "account_not_available"
