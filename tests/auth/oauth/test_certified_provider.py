"""Sign-in from end to end with a certified OpenID provider, in the shapes of Google and of Microsoft."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from sqlalchemy import select

from app.auth.models.identity import AuthAccount, AuthSession
from app.testing.database import transaction
from tests.auth.oauth.journey import PUBLIC, carried, error_of, start, travel, user_of, verify, visit
from tests.auth.people import join
from tests.auth.sign_in.visitors import sign_up

TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47"


@pytest.fixture
def application(certified, configured):
    return configured(**{certified.shape: certified.url})


@pytest.fixture
def ada(certified):
    """Somebody whom the provider knows, with an address that it has verified."""
    person = {
        "sub": uuid4().hex, "email": f"ada-{uuid4().hex[:8]}@openid.example", "email_verified": True, "name": "Ada",
        "tid": TENANT, "oid": str(uuid4()), "xms_edov": True,
    }  # fmt: skip
    certified.sign_in_as(**person)
    return person


def test_a_new_person_gets_an_account_and_a_session(application, certified, ada):
    browser = visit(application)
    response = travel(browser, certified.shape)
    assert response.headers["Location"] == "/welcome?tab=1"
    user = user_of(browser)
    assert (user["email"], user["name"], user["emailVerified"]) == (ada["email"], "Ada", True)
    with application.app_context(), transaction() as session:
        account = session.scalar(select(AuthAccount).where(AuthAccount.user_id == user["id"]))
        named = (ada["sub"], certified.url) if certified.shape == "google" else (
            ada["oid"], f"{certified.url}/{TENANT}/v2.0"
        )  # fmt: skip
        assert (account.account_id, account.issuer) == named
        assert account.access_token.startswith("gAAAA"), "encrypted at rest"
        assert session.scalar(select(AuthSession.sign_in_method).where(AuthSession.user_id == user["id"])) == "oauth"


@pytest.mark.variants
def test_the_same_person_comes_back_to_the_same_account_with_another_address(application, certified, ada):
    first, second = visit(application), visit(application)
    travel(first, certified.shape)
    certified.sign_in_as(**ada | {"email": "moved@openid.example"})
    travel(second, certified.shape)
    assert user_of(first) == user_of(second)
    assert user_of(second)["email"] == ada["email"]


def test_v9_the_request_carries_pkce_state_and_nonce_and_the_configured_redirect(application, certified, ada):
    forged = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
    browser = visit(application)
    response = browser.post(f"/api/auth/oauth/{certified.shape}", json={}, headers=forged)
    asked = {name: values[0] for name, values in parse_qs(urlsplit(response.json["url"]).query).items()}
    assert asked["code_challenge_method"] == "S256"
    assert len(asked["state"]) >= 20
    assert len(asked["nonce"]) >= 20
    assert asked["redirect_uri"] == f"{PUBLIC}/api/auth/oauth/{certified.shape}/callback"
    assert response.json["redirect"] is True


def test_a_signed_in_user_links_a_further_way_and_may_unlink_it(application, certified, ada, cast):
    browser = visit(application)
    made = sign_up(browser)
    verify(application, made)
    assert error_of(travel(browser, certified.shape)) is None
    assert user_of(browser)["id"] == made.json["user"]["id"]
    token = browser.post("/api/auth/token", headers={"Origin": PUBLIC}).json["token"]
    bearer = {"Authorization": f"Bearer {token}"}
    accounts = visit(application).get("/api/v1/auth/account", headers=bearer).json["data"]
    assert {account["providerId"] for account in accounts} == {"credential", certified.shape}
    assert not any("oken" in name or "assword" in name or name == "issuer" for name in accounts[0])
    for left, account in ((1, accounts[0]), (0, accounts[1])):
        gone = visit(application).delete(f"/api/v1/auth/account/{account['id']}", headers=bearer)
        assert gone.status_code == (200 if left else 409)


def test_a_start_without_its_end_leaves_nobody_signed_in(application, certified, ada):
    browser = visit(application)
    start(browser, certified.shape)
    assert user_of(browser) is None


def test_v11_whoever_has_a_second_factor_is_asked_for_it_and_then_signed_in(application, certified, ada, clock):
    person = join(application, clock)
    certified.sign_in_as(**ada | {"email": person.email})
    person.switch_on()
    browser = visit(application)
    assert travel(browser, certified.shape).headers["Location"] == "/account/second-factor"
    assert user_of(browser) is None
    assert person.answer(carried(browser)[0], browser).status_code == 200
    assert user_of(browser)["email"] == person.email
