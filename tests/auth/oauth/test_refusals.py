"""Everything that ends a sign-in at a provider: bad tokens, borrowed states, addresses that prove nothing."""

from __future__ import annotations

from base64 import urlsafe_b64decode
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from joserfc.jwk import RSAKey
from sqlalchemy import select, update

from app.auth.models.identity import AuthAccount, AuthUser, AuthVerification
from app.auth.sign_in.oauth.providers import CONSUMERS
from app.foundation.clock import now
from app.testing.database import transaction
from tests.auth.oauth.journey import agree, error_of, start, travel, user_of, visit
from tests.auth.sign_in.visitors import sign_up

TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47"


@pytest.mark.parametrize(
    ("claims", "error"),
    [
        ({"nonce": "another"}, "sign_in_failed"),
        ({"nonce": None}, "sign_in_failed"),
        ({"aud": "somebody-else"}, "sign_in_failed"),
        ({"aud": ["somebody-else"], "azp": "rowgate"}, "sign_in_failed"),
        ({"aud": None}, "sign_in_failed"),
        ({"iss": "https://issuer.evil.example"}, "sign_in_failed"),
        ({"iss": None}, "sign_in_failed"),
        ({"exp": 1}, "sign_in_failed"),
        ({"exp": None}, "sign_in_failed"),
        ({"sub": None}, "sign_in_failed"),
        ({"id_token": None}, "identity_incomplete"),
        ({"email_verified": False}, "email_not_verified"),
        ({"email_verified": "true"}, "email_not_verified"),
        ({"email": None}, "email_not_verified"),
    ],
)
def test_v6_a_token_that_is_not_for_us_now_from_there_signs_nobody_in(google, openid, claims, error):
    openid.claims |= claims
    browser = visit(google)
    response = travel(browser, "google")
    assert error_of(response) == error
    assert response.headers["Location"].startswith("/sign-in?again=1&error=")
    assert user_of(browser) is None


def test_a_token_signed_by_somebody_else_signs_nobody_in(google, openid):
    assert error_of(travel(visit(google), "google")) is None
    openid.published, openid.key = openid.key, RSAKey.generate_key(2048, {"kid": "one"})
    assert error_of(travel(visit(google), "google")) == "sign_in_failed"


@pytest.mark.parametrize("algorithm", ["none", "PS256", "RS512"])
def test_a_token_signed_in_another_way_signs_nobody_in_whatever_discovery_lists(google, openid, algorithm):
    openid.algorithms, openid.algorithm = ["none", "PS256", "RS256", "RS512"], algorithm
    assert error_of(travel(visit(google), "google")) == "sign_in_failed"


def test_a_rotated_key_is_fetched_and_taken(google, openid):
    assert error_of(travel(visit(google), "google")) is None
    openid.rotate()
    assert error_of(travel(visit(google), "google")) is None


def test_v9_the_callback_counts_only_in_the_browser_that_began(google):
    victim, attacker = visit(google), visit(google)
    callback = agree(start(attacker, "google").json["url"])
    response = victim.get(callback)
    assert error_of(response) == "state_mismatch"
    assert user_of(victim) is None


def test_v19_a_callback_counts_once_even_with_the_cookie_put_back(google):
    browser = visit(google)
    callback = agree(start(browser, "google").json["url"])
    cookie = browser.get_cookie("flow").value
    assert error_of(browser.get(callback)) is None
    browser.delete_cookie("session")
    browser.set_cookie("flow", cookie)
    assert error_of(browser.get(callback)) == "state_mismatch"
    assert user_of(browser) is None


def test_the_cookie_of_a_sign_in_under_way_says_nothing_to_who_holds_it(google):
    browser = visit(google)
    state = parse_qs(urlsplit(start(browser, "google").json["url"]).query)["state"][0]
    cookie = browser.get_cookie("flow").value
    raw = [cookie.encode(), *(urlsafe_b64decode(part + "===") for part in cookie.split("."))]
    assert not any(word in each for each in raw for word in (state.encode(), b"verifier", b"nonce"))


def test_a_state_lasts_ten_minutes(google):
    browser = visit(google)
    callback = agree(start(browser, "google").json["url"])
    with google.app_context(), transaction() as session:
        states = AuthVerification.purpose == "oauth_state"
        newest = select(AuthVerification.expires_at).where(states).order_by(AuthVerification.created_at.desc())
        assert session.scalar(newest.limit(1)) <= now() + timedelta(minutes=10)
        session.execute(update(AuthVerification).where(states).values(expires_at=now()))
    assert error_of(browser.get(callback)) == "state_mismatch"


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("error=access_denied", "access_denied"),
        ("error=%3Cscript%3E&error_description=x", "provider_refused"),
        ("", "code_missing"),
        ("code=invented", "sign_in_failed"),
    ],
)
def test_a_callback_without_a_good_code_goes_back_with_an_error_of_ours(google, query, error):
    browser = visit(google)
    state = agree(start(browser, "google").json["url"]).partition("state=")[2].partition("&")[0]
    assert error_of(browser.get(f"/api/auth/oauth/google/callback?state={state}&{query}")) == error


@pytest.mark.parametrize("query", ["", "?state=x&code=y", "?code=y", "?error=access_denied", "?state=" + "x" * 5000])
def test_a_callback_out_of_nowhere_goes_home_with_an_error(google, query):
    assert error_of(visit(google).get(f"/api/auth/oauth/google/callback{query}")) == "state_mismatch"


def test_v2_v3_a_local_account_with_an_unverified_address_is_never_linked(google, openid):
    email = openid.claims["email"]
    attacker, victim = visit(google), visit(google)
    sign_up(attacker, email=email)
    assert error_of(travel(victim, "google")) == "account_not_linked"
    assert user_of(victim) is None
    with google.app_context(), transaction() as session:
        user = session.scalar(select(AuthUser).where(AuthUser.email == email))
        providers = session.scalars(select(AuthAccount.provider_id).where(AuthAccount.user_id == user.id)).all()
    assert providers == ["credential"]


def test_a_local_account_with_a_verified_address_is_linked(google, openid):
    email = openid.claims["email"]
    browser = visit(google)
    made = sign_up(browser, email=email).json["user"]
    with google.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.email == email).values(email_verified=True))
    other = visit(google)
    assert error_of(travel(other, "google")) is None
    assert user_of(other)["id"] == made["id"]


def test_v4_the_start_takes_no_profile(google):
    for extra in ({"email": "victim@example.com"}, {"createData": {"email": "victim@example.com"}}, {"name": "x"}):
        response = start(visit(google), "google", **extra)
        assert (response.status_code, response.json["code"]) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize(
    "path",
    ["https://evil.example", "//evil.example", "/\\evil.example", "evil", "/a\nb", "/a b", "javascript:x", "\\\\e"],
)
def test_nobody_is_sent_to_another_site_afterwards(google, path):
    for name in ("callbackURL", "errorCallbackURL"):
        response = start(visit(google), "google", **{name: path})
        assert (response.status_code, list(response.json["details"]["fields"])) == (400, [name])


@pytest.mark.parametrize("provider", ["github", "microsoft", "facebook", "credential", "__init__"])
def test_a_provider_that_is_not_set_up_is_not_found(google, provider):
    answers = [start(visit(google), provider), visit(google).get(f"/api/auth/oauth/{provider}/callback")]
    for response in answers:
        assert (response.status_code, response.json["code"]) == (404, "PROVIDER_NOT_FOUND")


def test_a_provider_out_of_reach_is_502_and_tried_again_next_time(google, openid):
    openid.reachable = False
    response = start(visit(google), "google")
    assert (response.status_code, response.json["code"]) == (502, "UPSTREAM_ERROR")
    openid.reachable = True
    assert start(visit(google), "google").status_code == 200


def test_a_provider_that_does_not_answer_in_time_sends_back_with_an_error(configured, openid):
    hasty = configured(google=openid.url, oauth_timeout=1)
    browser = visit(hasty)
    started = start(browser, "google")
    openid.delay = 2
    assert error_of(browser.get(agree(started.json["url"]))) == "provider_unreachable"


@pytest.fixture
def microsoft(openid):
    def claim(tenant=TENANT, **claims):
        openid.issuer = f"{openid.url}/{tenant}/v2.0"
        person = {"tid": tenant, "oid": str(uuid4()), "email": f"{uuid4().hex}@ms.example", "email_verified": None}
        openid.claims = person | claims

    claim()
    return claim


@pytest.mark.parametrize(
    ("wanted", "tenant", "admitted"),
    [
        ("common", TENANT, True),
        ("common", CONSUMERS, True),
        ("organizations", TENANT, True),
        ("organizations", CONSUMERS, False),
        ("consumers", CONSUMERS, True),
        ("consumers", TENANT, False),
        (TENANT, TENANT, True),
        (TENANT, CONSUMERS, False),
    ],
)
def test_microsoft_accounts_come_from_the_tenants_that_are_let_in(
    configured, openid, microsoft, wanted, tenant, admitted
):
    microsoft(tenant)
    application = configured(microsoft=openid.url, microsoft_tenant=wanted)
    assert error_of(travel(visit(application), "microsoft")) == (None if admitted else "sign_in_failed")


@pytest.mark.parametrize(
    ("claims", "error"),
    [
        ({"tid": CONSUMERS}, "sign_in_failed"),
        ({"tid": None}, "sign_in_failed"),
        ({"oid": None}, "identity_incomplete"),
        ({"email": None}, "email_missing"),
    ],
)
def test_a_microsoft_token_that_contradicts_itself_signs_nobody_in(configured, openid, microsoft, claims, error):
    openid.claims |= claims
    assert error_of(travel(visit(configured(microsoft=openid.url)), "microsoft")) == error


@pytest.mark.parametrize(
    ("claims", "linked"),
    [
        ({}, False),
        ({"xms_edov": True}, True),
        ({"xms_edov": False}, False),
        ({"verified_primary_email": ["victim"]}, True),
        ({"verified_secondary_email": ["victim"]}, True),
        ({"verified_primary_email": ["other@ms.example"]}, False),
        ({"email_verified": True}, False),
        ({"preferred_username": "victim"}, False),
    ],
)
def test_v8_an_address_that_a_tenant_merely_claims_links_nothing(configured, openid, microsoft, claims, linked):
    victim = openid.claims["email"]
    openid.claims |= {
        name: [victim] if value == ["victim"] else victim if value == "victim" else value
        for name, value in claims.items()
    }
    application = configured(microsoft=openid.url)
    own = sign_up(visit(application), email=victim).json["user"]
    with application.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.id == own["id"]).values(email_verified=True))
    browser = visit(application)
    assert error_of(travel(browser, "microsoft")) == (None if linked else "account_not_linked")
    assert (user_of(browser) is not None) == linked
