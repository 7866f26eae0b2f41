"""Sign-in through a provider, of people whose accounts ask for a second factor."""

from __future__ import annotations

from uuid import uuid4

import pytest
from sqlalchemy import func, select

from app.auth.credentials import challenge_cookie
from app.mail.models import PlatformMail
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.oauth.journey import carried, error_of, travel, user_of, visit
from tests.auth.people import join

PAGE = "/account/second-factor"


@pytest.fixture
def ada(google, openid, clock):
    """Somebody with a second factor whom the provider knows."""
    person = join(google, clock)
    openid.claims |= {"email": person.email}
    assert error_of(travel(person.client, "google")) is None
    person.switch_on()
    return person


def test_v11_a_provider_proves_one_factor_only(ada, google):
    browser = visit(google)
    back = travel(browser, "google")
    assert (back.status_code, back.headers["Location"]) == (302, PAGE)
    assert browser.get_cookie("session") is None
    assert user_of(browser) is None


def test_v11_the_challenge_travels_in_a_cookie_that_only_the_pages_of_the_account_get(ada, google):
    browser = visit(google)
    back = travel(browser, "google")
    cookie = browser.get_cookie("challenge", path="/account")
    assert (cookie.path, cookie.http_only, cookie.same_site) == ("/account", True, "Lax")
    assert cookie.max_age == 600
    challenge, then, remember = carried(browser)
    assert (then, remember) == ("/welcome?tab=1", True)
    assert challenge not in str(back.headers)


def test_v11_the_code_opens_the_session_that_the_provider_began(ada, google):
    browser = visit(google)
    travel(browser, "google")
    opened = ada.answer(carried(browser)[0], browser)
    assert opened.status_code == 200
    assert user_of(browser)["email"] == ada.email
    rows = Actor(google, opened.json["token"]).get("/api/v1/auth/session").json["data"]
    assert rows[0]["signInMethod"] == "oauth"


def test_v11_an_address_that_is_linked_for_the_first_time_is_asked_too(google, openid, clock):
    person = join(google, clock)
    person.switch_on()
    openid.claims |= {"email": person.email}
    browser = visit(google)
    assert travel(browser, "google").headers["Location"] == PAGE
    assert user_of(browser) is None


def accounts_of(person):
    rows = person.get("/api/v1/auth/account").json["data"]
    return sorted(row["providerId"] for row in rows)


@pytest.fixture
def unlinked(google, openid, clock):
    """Somebody with a second factor whose verified address the provider knows, and vouches for."""
    person = join(google, clock)
    person.switch_on()
    openid.claims |= {"email": person.email}
    return person


def test_an_identity_is_linked_by_the_second_factor_and_not_before(unlinked, google):
    browser = visit(google)
    travel(browser, "google")
    assert (accounts_of(unlinked), unlinked.mails("sign-in-linked")) == (["credential"], [])
    assert unlinked.answer(carried(browser)[0], browser).status_code == 200
    assert accounts_of(unlinked) == ["credential", "google"]
    (mail,) = unlinked.mails("sign-in-linked")
    assert "signing in with Google" in mail
    assert len(unlinked.noted("auth.account.create")) == 2


def test_without_the_second_factor_nothing_is_linked(unlinked, google):
    browser = visit(google)
    travel(browser, "google")
    challenge = carried(browser)[0]
    for _ in range(6):
        assert unlinked.answer(challenge, browser, code="00000000").status_code in (400, 401)
    assert accounts_of(unlinked) == ["credential"]


def test_a_session_that_links_an_identity_gives_the_second_factor_first(unlinked, google):
    unlinked.client.set_cookie("session", "")
    opened = unlinked.answer(unlinked.challenge())
    unlinked.token = opened.json["token"]
    unlinked.clock.forward()
    travel(unlinked.client, "google")
    assert accounts_of(unlinked) == ["credential"]
    unlinked.answer(carried(unlinked.client)[0])
    assert accounts_of(unlinked) == ["credential", "google"]


def test_an_identity_that_went_to_somebody_else_meanwhile_opens_nothing(unlinked, google, openid):
    browser = visit(google)
    travel(browser, "google")
    openid.claims |= {"email": f"{uuid4().hex}@openid.example"}
    assert error_of(travel(visit(google), "google")) is None
    assert unlinked.answer(carried(browser)[0], browser).status_code == 401
    assert accounts_of(unlinked) == ["credential"]


def test_on_a_trusted_device_an_identity_is_linked_at_once(unlinked):
    unlinked.trust()
    travel(unlinked.client, "google")
    assert accounts_of(unlinked) == ["credential", "google"]


def test_a_new_account_is_not_told_of_the_provider_that_made_it(google, openid):
    address = f"{uuid4().hex}@openid.example"
    openid.claims |= {"sub": uuid4().hex, "email": address}
    assert error_of(travel(visit(google), "google")) is None
    with google.app_context(), transaction() as session:
        assert session.scalar(select(func.count()).where(PlatformMail.to == address)) == 0


def test_unlinking_is_told_by_mail(google, openid, clock):
    person = join(google, clock)
    openid.claims |= {"email": person.email}
    assert error_of(travel(person.client, "google")) is None
    for account in person.get("/api/v1/auth/account").json["data"]:
        if account["providerId"] == "google":
            assert person.send("DELETE", f"/api/v1/auth/account/{account['id']}").status_code == 200
    assert len(person.mails("sign-in-linked")) == 1
    (mail,) = person.mails("sign-in-unlinked")
    assert "can no longer be opened with Google" in mail


def test_a_trusted_device_goes_through_a_provider_without_a_code(ada):
    ada.trust()
    assert travel(ada.client, "google").headers["Location"] == "/welcome?tab=1"
    assert user_of(ada.client)["email"] == ada.email


@pytest.mark.parametrize("sealed", ["", "nonsense", "gAAAAABnonsense"])
def test_a_cookie_that_is_not_ours_carries_nothing(google, sealed):
    with google.test_request_context(PAGE, headers={"Cookie": f"challenge={sealed}"}):
        assert challenge_cookie.take() is None


def test_over_https_the_cookie_of_the_challenge_is_secure(ada, build):
    secure = build(base_url="https://api.example.test")
    with secure.test_request_context(PAGE):
        response = secure.response_class()
        challenge_cookie.put(response, "secret", "/")
    assert response.headers["Set-Cookie"].startswith("__Secure-challenge=")
    assert "; Secure; HttpOnly; Path=/account; SameSite=Lax" in response.headers["Set-Cookie"]
