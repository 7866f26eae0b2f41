"""Sign-in with GitHub, whose errors come as 200 and whose profile shows an address that proves nothing."""

from __future__ import annotations

from itertools import count

import pytest

from tests.auth.oauth.journey import error_of, travel, user_of, visit

numbers = count(583_231)


@pytest.fixture
def octocat(github):
    number = next(numbers)
    address = f"octo{number}@github.example"
    github.user = {"id": number, "login": "octocat", "name": "The Octocat", "email": "shown@example.com"}
    github.emails = [
        {"email": f"old{number}@github.example", "primary": False, "verified": True, "visibility": None},
        {"email": address, "primary": True, "verified": True, "visibility": "private"},
    ]
    return address


@pytest.fixture
def application(configured, github):
    return configured(github=github.url)


def test_the_primary_verified_address_is_taken_and_not_the_one_shown(application, octocat):
    browser = visit(application)
    assert error_of(travel(browser, "github")) is None
    assert (user_of(browser)["email"], user_of(browser)["emailVerified"]) == (octocat, True)


@pytest.mark.parametrize(
    "emails",
    [
        [],
        [{"email": "a@github.example", "primary": True, "verified": False}],
        [{"email": "a@github.example", "primary": False, "verified": True}],
        [{"email": "a@github.example", "primary": "true", "verified": "true"}],
    ],
)
def test_without_a_primary_verified_address_nobody_is_signed_in(application, github, octocat, emails):
    github.emails = emails
    browser = visit(application)
    assert error_of(travel(browser, "github")) == "email_not_verified"
    assert user_of(browser) is None


@pytest.mark.parametrize("failure", ["bad_verification_code", "incorrect_client_credentials", "redirect_uri_mismatch"])
def test_an_error_with_status_200_is_an_error(application, github, octocat, failure):
    github.failure = failure
    assert error_of(travel(visit(application), "github")) == "sign_in_failed"


@pytest.mark.parametrize("user", [[], {}, {"id": "7"}, {"id": None}, "rubbish", None])
def test_rubbish_for_a_profile_signs_nobody_in(application, github, octocat, user):
    github.user = user
    assert error_of(travel(visit(application), "github")) in ("sign_in_failed", "identity_incomplete")


def test_a_person_is_known_by_number_and_not_by_name(application, github, octocat):
    first, renamed, namesake = (visit(application) for _ in range(3))
    travel(first, "github")
    github.user |= {"login": "renamed"}
    travel(renamed, "github")
    assert user_of(first) == user_of(renamed)
    github.user |= {"id": next(numbers), "login": "octocat"}
    github.emails = [{"email": "namesake@github.example", "primary": True, "verified": True}]
    travel(namesake, "github")
    assert user_of(namesake)["id"] != user_of(first)["id"]
