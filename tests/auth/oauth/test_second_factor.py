"""Sign-in through a provider, of people whose accounts ask for a second factor."""

from __future__ import annotations

import pytest

from app.auth import challenge_cookie
from app.testing.cast import Actor
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
