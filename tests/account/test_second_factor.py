"""The second step of a sign-in: after a password and after a provider, by code, and what ends it."""

from __future__ import annotations

import re

import pytest

from tests.account.factors import Authenticator, add_passkey
from tests.account.test_linked import github, service, travel  # noqa: F401 - fixtures
from tests.account.visitors import Visitor, alerts_of, wrong_with
from tests.auth.sign_in.visitors import session_of

STEP, SESSIONS = "/account/second-factor", "/account/sessions"


@pytest.fixture
def authenticator(member):
    return Authenticator(member)


@pytest.fixture
def asked(app, member, authenticator):
    """Somebody who gave the password and is asked for more."""
    visitor = Visitor(app)
    led = visitor.sign_in(email=member.email, next=SESSIONS)
    assert (led.status_code, led.headers["Location"]) == (303, STEP)
    return visitor


def test_the_second_factor_is_asked_for_after_the_password(asked, member, authenticator):
    assert session_of(asked.client) is None
    page = asked.get(STEP).text
    assert 'autocomplete="one-time-code"' in page
    assert 'inputmode="text"' in page
    done = asked.send(STEP, code=authenticator.code())
    assert (done.status_code, done.headers["Location"]) == (303, SESSIONS)
    assert session_of(asked.client)["user"]["email"] == member.email
    assert asked.client.get_cookie("challenge", path="/account") is None
    assert asked.client.get_cookie("session").max_age is None


def test_a_recovery_code_counts_however_it_is_typed(asked, authenticator):
    code = authenticator.recovery_codes[0]
    assert asked.send(STEP, code=f" {code[:5].upper()}-{code[5:]} ").status_code == 303
    assert session_of(asked.client)


def test_a_session_lasts_where_its_password_was_given_to_stay(app, member, authenticator):
    visitor = Visitor(app)
    visitor.sign_in(email=member.email, rememberMe="y")
    visitor.send(STEP, code=authenticator.code())
    assert visitor.client.get_cookie("session").max_age == 7 * 24 * 3600


def test_a_trusted_device_is_not_asked_again(asked, member, authenticator):
    asked.send(STEP, code=authenticator.code(), trustDevice="y")
    asked.send("/account/sign-out", page="/account")
    assert asked.sign_in(email=member.email).headers["Location"] == "/account"
    asked.send("/account/sign-out", page="/account")


def test_a_device_that_is_not_trusted_is_asked_again(asked, member, authenticator):
    asked.send(STEP, code=authenticator.code())
    asked.send("/account/sign-out", page="/account")
    assert asked.sign_in(email=member.email).headers["Location"] == STEP


def test_a_wrong_code_is_told_beside_its_field_until_there_were_five(asked, authenticator):
    for _ in range(4):
        refused = asked.send(STEP, code="000000")
        assert (refused.status_code, wrong_with(refused, "code")) == (401, "The code is not valid")
    over = asked.send(STEP, code="000000")
    assert over.status_code == 401
    assert "<h1>This sign-in is over</h1>" in over.text
    assert alerts_of(over) == []
    assert 'href="/account/sign-in"' in over.text
    assert asked.get(STEP).headers["Location"] == "/account/sign-in"
    assert session_of(asked.client) is None


def test_a_code_is_asked_for(asked):
    assert wrong_with(asked.send(STEP, code=" "), "code") == "This field is required."


def test_a_sign_in_that_was_finished_elsewhere_is_over(asked, authenticator):
    token = re.search(r'name="csrf" value="([^"]+)"', asked.get(STEP).text)[1]
    cookie = asked.client.get_cookie("challenge", path="/account").value
    asked.send(STEP, code=authenticator.code())
    asked.client.set_cookie("challenge", cookie, path="/account")
    assert "<h1>This sign-in is over</h1>" in asked.get(STEP).text
    asked.client.set_cookie("challenge", cookie, path="/account")
    late = asked.client.post(STEP, data={"csrf": token, "code": authenticator.code()}, headers=asked.headers)
    assert late.status_code == 401


def test_whoever_is_asked_for_nothing_signs_in_first(visitor):
    assert visitor.get(STEP).headers["Location"] == "/account/sign-in"
    assert visitor.send(STEP, page="/account/sign-in", code="000000").headers["Location"] == "/account/sign-in"


def test_a_cookie_of_something_else_is_no_challenge(visitor):
    visitor.get("/account/verify?token=1")
    visitor.client.set_cookie(
        "challenge", visitor.client.get_cookie("link", path="/account/verify").value, path="/account"
    )
    assert visitor.get(STEP).headers["Location"] == "/account/sign-in"


def test_the_page_leads_nowhere_else(app, member, authenticator):
    visitor = Visitor(app)
    visitor.sign_in(email=member.email, next="https://evil.example")
    assert visitor.send(STEP, code=authenticator.code()).headers["Location"] == "/account"


def test_a_passkey_is_offered_to_whoever_has_one(app, asked, member):
    page = asked.get(STEP).text
    assert "data-passkey" not in page
    assert "passkey-sign-in.js" not in page
    add_passkey(app, member)
    page = asked.get(STEP).text
    assert re.search(rf'data-passkey="sign-in" data-next="{SESSIONS}" data-challenge="\w{{43}}"[^>]* hidden>', page)
    assert "passkey-sign-in.js" in page


def test_a_passkey_that_has_not_verified_its_user_is_followed_by_this_step(asked):
    page = asked.get("/account/sign-in").text
    assert re.search(r'<form[^>]*id="passkey-second-factor" hidden>', page)
    led = asked.send("/account/second-factor/ask", page="/account/sign-in", challenge="x", next=SESSIONS)
    assert led.headers["Location"] == STEP
    assert "<h1>This sign-in is over</h1>" in asked.get(STEP).text


def test_the_second_factor_is_asked_for_after_a_provider(service, github):  # noqa: F811 - fixtures
    visitor = Visitor(service)
    travel(visitor, "/account/providers/github", "/account/sign-in")
    authenticator = Authenticator(visitor)
    visitor.send("/account/sign-out", page="/account")
    back = travel(visitor, "/account/providers/github", "/account/sign-in", next=SESSIONS)
    assert back.headers["Location"] == STEP
    assert session_of(visitor.client) is None
    assert visitor.send(STEP, code=authenticator.code()).headers["Location"] == SESSIONS
    assert session_of(visitor.client)["user"]["email"] == github.emails[0]["email"]


def test_a_cookie_of_another_kind_is_no_challenge(app):
    visitor = Visitor(app).sign_up()
    visitor.client.set_cookie("challenge", visitor.client.get_cookie("device").value, path="/account")
    visitor.client.delete_cookie("session")
    answer = visitor.get("/account/second-factor")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/account/sign-in")
