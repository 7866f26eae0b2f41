"""Signing in, up and out on the pages, and where each leads."""

from __future__ import annotations

import re

import pytest

from tests.account.visitors import Visitor, alerts_of, said_by, wrong_with
from tests.auth.sign_in.visitors import PASSWORD, session_of

SESSIONS = "/account/sessions"


def test_whoever_signs_up_is_signed_in(visitor):
    response = visitor.send("/account/sign-up", name="Ada", email=visitor.email, password=PASSWORD)
    assert (response.status_code, response.headers["Location"]) == (303, "/account")
    assert session_of(visitor.client)["user"]["name"] == "Ada"
    assert visitor.client.get_cookie("session").max_age == 7 * 24 * 3600


@pytest.mark.parametrize(
    ("fields", "field", "text"),
    [
        ({"password": "short"}, "password", "Use at least 8 characters."),
        ({"password": "password1"}, "password", "Is among the first that are guessed."),
        ({"email": "nobody"}, "email", "Not a valid email address."),
        ({"name": " "}, "name", "This field is required."),
        ({"name": "x" * 121}, "name", "Field cannot be longer than 120 characters."),
    ],
)
def test_what_is_wrong_with_a_sign_up_is_said_beside_its_field(visitor, fields, field, text):
    given = {"name": "Ada", "email": visitor.email, "password": PASSWORD} | fields
    response = visitor.send("/account/sign-up", **given)
    assert (response.status_code, wrong_with(response, field)) == (400, text)
    assert alerts_of(response) == ["Check what is marked below."]
    assert "<title>Error: " in response.text
    assert PASSWORD not in response.text
    assert session_of(visitor.client) is None


def test_an_address_that_is_taken_is_said_beside_its_field(app, member):
    response = Visitor(app).send("/account/sign-up", name="Eve", email=member.email, password=PASSWORD)
    assert response.status_code == 422
    assert wrong_with(response, "email") == "An account with this email address already exists"


def test_signing_up_where_addresses_are_verified_leads_to_signing_in(build):
    visitor = Visitor(build(require_email_verification=True))
    response = visitor.send("/account/sign-up", name="Ada", email=visitor.email, password=PASSWORD)
    assert response.headers["Location"] == "/account/sign-in?next=/account"
    assert said_by(visitor.get("/account/sign-in")) == ["Your account is ready. Confirm its address, then sign in."]
    refused = visitor.sign_in()
    assert refused.status_code == 403
    assert alerts_of(refused) == ["Verify the email address of the account first"]


def test_whoever_is_led_to_sign_in_comes_back(app, member):
    visitor = Visitor(app)
    led = visitor.get("/account/notifications?lang=en")
    assert (led.status_code, led.headers["Location"]) == (
        303, "/account/sign-in?next=/account/notifications?lang%3Den",
    )  # fmt: skip
    response = visitor.sign_in(led.headers["Location"], email=member.email)
    assert (response.status_code, response.headers["Location"]) == (303, "/account/notifications?lang=en")


def test_the_form_keeps_where_to_go_on_to(app, member):
    visitor = Visitor(app)
    assert f'name="next" value="{SESSIONS}"' in visitor.get(f"/account/sign-in?next={SESSIONS}").text
    assert visitor.sign_in(email=member.email, next=SESSIONS).headers["Location"] == SESSIONS


@pytest.mark.parametrize(
    "place",
    ["https://evil.example", "//evil.example", "/\\evil.example", "evil", "/a\nb", "javascript:x", "/" + "a" * 400, ""],
)
def test_nobody_is_led_to_another_site(app, member, place):
    visitor = Visitor(app)
    page = visitor.client.get("/account/sign-in", query_string={"next": place}).text
    assert set(re.findall(r'(?:name="next" value|data-next)="([^"]*)"', page)) == {"/account"}
    assert 'href="/account/sign-up?next=/account"' in page
    assert visitor.sign_in(email=member.email, next=place).headers["Location"] == "/account"


def test_whoever_does_not_stay_signed_in_has_a_cookie_that_ends_with_the_browser(app, member):
    visitor = Visitor(app)
    visitor.sign_in(email=member.email)
    assert visitor.client.get_cookie("session").max_age is None
    other = Visitor(app)
    other.sign_in(email=member.email, rememberMe="y")
    assert other.client.get_cookie("session").max_age == 7 * 24 * 3600


@pytest.mark.parametrize(
    ("language", "text"), [("en", "Invalid email or password"), ("de", "E-Mail oder Passwort stimmt nicht")]
)
def test_a_wrong_password_and_an_unknown_address_are_told_alike(app, member, language, text):
    answers = [
        Visitor(app, language).sign_in(email=email, password="wrong password")
        for email in (member.email, "nobody@pages.example")
    ]
    assert [(each.status_code, alerts_of(each)) for each in answers] == [(401, [text])] * 2


def test_too_many_sign_ins_are_429_with_how_long_to_wait(build):
    visitor = Visitor(build(sign_in_limit="2 per minute"))
    statuses = [visitor.sign_in().status_code for _ in range(2)]
    refused = visitor.sign_in()
    assert (statuses, refused.status_code) == ([401, 401], 429)
    assert alerts_of(refused) == ["That was too often. Try again in a while."]
    assert int(refused.headers["Retry-After"]) <= 60


def test_signing_out_ends_the_session(member):
    response = member.send("/account/sign-out", page="/account")
    assert (response.status_code, response.headers["Location"]) == (303, "/account/sign-in")
    assert session_of(member.client) is None
    assert member.client.get_cookie("session") is None
    assert said_by(member.get("/account/sign-in")) == ["You are signed out."]


def test_who_is_signed_in_needs_no_entrance(member):
    for path in ("/account/sign-in", "/account/sign-up"):
        assert member.get(path).headers["Location"] == "/account"


def test_signing_in_again_ends_the_session_before(app, member):
    before = session_of(member.client)["session"]["id"]
    response = member.sign_in("/account/sign-in?again=1", next=SESSIONS)
    assert response.headers["Location"] == SESSIONS
    assert session_of(member.client)["session"]["id"] != before
    assert member.get(SESSIONS).text.count("This device") == 1
    assert "/revoke" not in member.get(SESSIONS).text


def test_signing_up_takes_a_page_of_its_own(visitor):
    page = visitor.get("/account/sign-in").text
    assert page.count('<button class="wide">') == 1
    assert 'href="/account/sign-up?next=/account"' in page
    assert 'href="/account/forgot"' in page
