"""Links in mails: following one changes nothing and leaves no secret behind, a button acts."""

from __future__ import annotations

import pytest

from app.auth.accounts import recovery, verification
from tests.account.letters import count_of, link_to, send_what_was_asked
from tests.account.visitors import Visitor, alerts_of, said_by, wrong_with
from tests.auth.sign_in.visitors import PASSWORD, session_of
from tests.mail import letters

FORGOT, RESET, VERIFY, REVERT = "/account/forgot", "/account/reset", "/account/verify", "/account/revert"
FRESH = "a wise old heron"


def follow(visitor, link):
    """Open a link; returns the page that it ends at."""
    led = visitor.get(link)
    assert led.status_code == 303
    return visitor.get(led.headers["Location"])


def reset_link(app, email):
    with app.app_context(), app.test_request_context():
        recovery.forget(email)
    send_what_was_asked(app, recovery.SEND_RESET)
    return link_to(app, email, recovery.KIND)


def is_verified(visitor):
    return session_of(visitor.client)["user"]["emailVerified"]


def test_a_forgotten_password_is_replaced_and_opens_the_account(app, member):
    visitor = Visitor(app)
    assert visitor.send(FORGOT, email=member.email).headers["Location"] == f"{FORGOT}/sent"
    send_what_was_asked(app, recovery.SEND_RESET)
    page = follow(visitor, link_to(app, member.email, recovery.KIND))
    assert page.status_code == 200
    assert member.email in page.text
    done = visitor.send(RESET, password=FRESH)
    assert (done.status_code, done.headers["Location"]) == (303, "/account/sign-in")
    assert visitor.client.get_cookie("link", path=RESET) is None
    assert said_by(visitor.get("/account/sign-in")) == ["Your new password counts from now on. Sign in with it."]
    assert session_of(member.client) is None
    assert visitor.sign_in(email=member.email).status_code == 401
    assert visitor.sign_in(email=member.email, password=FRESH).status_code == 303
    assert session_of(visitor.client)["user"]["email"] == member.email


def test_asking_for_a_link_says_the_same_to_whoever_has_no_account(app, member):
    answers = []
    for email in (member.email, "nobody@pages.example", "no address"):
        visitor = Visitor(app)
        sent = visitor.send(FORGOT, email=email)
        answers.append((sent.status_code, sent.headers["Location"], visitor.get(f"{FORGOT}/sent").text))
    assert answers[0] == answers[1] == answers[2]
    assert member.email not in answers[0][2]


def test_too_many_requests_for_mail_are_refused_on_the_page(build):
    visitor = Visitor(build(mail_limit="1 per hour"))
    assert visitor.send(FORGOT, email="one@pages.example").status_code == 303
    refused = visitor.send(FORGOT, email="two@pages.example")
    assert (refused.status_code, alerts_of(refused)) == (429, ["That was too often. Try again in a while."])


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_whoever_follows_a_link_changes_nothing(app, member, method):
    links = [link_to(app, member.email, verification.KIND_VERIFY), reset_link(app, member.email)]
    before = session_of(member.client)
    for link in links:
        scanner = Visitor(app)
        for _ in range(3):
            led = scanner.client.open(link, method=method)
            assert led.status_code == 303
            assert scanner.client.open(led.headers["Location"], method=method).status_code == 200
    assert session_of(member.client) == before
    assert not is_verified(member)
    visitor = Visitor(app)
    follow(visitor, links[1])
    assert visitor.send(RESET, password=FRESH).status_code == 303


def test_the_secret_is_neither_in_the_page_nor_in_its_address(app, member):
    for link, path in (
        (link_to(app, member.email, verification.KIND_VERIFY), VERIFY),
        (reset_link(app, member.email), RESET),
    ):
        visitor = Visitor(app)
        secret = link.partition("token=")[2]
        led = visitor.get(link)
        assert led.headers["Location"] == path
        assert led.headers["Referrer-Policy"] == "no-referrer"
        cookie = led.headers["Set-Cookie"]
        assert f"Path={path}" in cookie
        assert all(each in cookie for each in ("HttpOnly", "SameSite=Lax", "Max-Age=900"))
        page = visitor.get(path)
        assert secret not in cookie + page.text + str(page.headers)
        assert "lang=de" in page.text
        assert "token" not in page.text


def test_the_cookie_of_a_link_on_https_says_so(build, member):
    visitor = Visitor(build(base_url="https://pages.example"))
    cookie = visitor.get(f"{VERIFY}?token=x").headers["Set-Cookie"]
    assert cookie.startswith("__Secure-link=")
    assert "; Secure;" in cookie


def test_a_password_that_is_refused_leaves_the_link_good(app, member):
    visitor = Visitor(app)
    follow(visitor, reset_link(app, member.email))
    refusals = {"short": "Use at least 8 characters.", "password1": "Is among the first that are guessed."}
    for password, text in refusals.items():
        refused = visitor.send(RESET, password=password)
        assert (refused.status_code, wrong_with(refused, "password")) == (400, text)
        assert "<h1>Choose a new password</h1>" in refused.text
    assert visitor.send(RESET, password=FRESH).status_code == 303


@pytest.mark.parametrize("path", [VERIFY, RESET, REVERT, "/account/invitation"])
@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", f"?token={'x' * 3000}"])
def test_a_link_that_is_none_says_how_to_get_another(visitor, path, query):
    page = follow(visitor, path + query) if query else visitor.get(path)
    assert page.status_code == 400
    told = "This link does not work any more" if query == "?token=wrong" else "Open the link in your mail"
    assert f"<h1>{told}</h1>" in page.text
    assert alerts_of(page) == []
    assert visitor.client.get_cookie("link", path=path) is None


def test_a_link_works_once(app, member):
    link = reset_link(app, member.email)
    first, second = Visitor(app), Visitor(app)
    for each in (first, second):
        follow(each, link)
    assert first.send(RESET, password=FRESH).status_code == 303
    refused = second.send(RESET, page="/account/sign-in", password="another wise heron")
    assert refused.status_code == 400
    assert "<h1>This link does not work any more</h1>" in refused.text
    assert 'href="/account/forgot"' in refused.text


def test_a_secret_of_one_page_is_none_of_another(app, member):
    visitor = Visitor(app)
    secret = reset_link(app, member.email).partition("?")[2]
    assert follow(visitor, f"{VERIFY}?{secret}").status_code == 400


def test_whoever_is_signed_in_confirms_the_address_by_a_button(app, member):
    page = follow(member, link_to(app, member.email, verification.KIND_VERIFY))
    assert 'type="password"' not in page.text
    assert member.send(VERIFY).headers["Location"] == "/account"
    assert is_verified(member)
    assert said_by(member.get("/account")) == ["The address is confirmed."]


@pytest.mark.parametrize(("is_somebody", "leads"), [(False, "/account/sign-in"), (True, "/account")])
def test_somebody_else_needs_the_password_besides_the_mail(app, member, is_somebody, leads):
    visitor = Visitor(app)
    if is_somebody:
        visitor.sign_up()
    before = session_of(visitor.client)
    page = follow(visitor, link_to(app, member.email, verification.KIND_VERIFY))
    assert 'type="password"' in page.text
    refused = visitor.send(VERIFY, password="wrong password")
    assert (refused.status_code, wrong_with(refused, "password")) == (401, "The password is not right.")
    assert wrong_with(visitor.send(VERIFY), "password") == "This field is required."
    assert not is_verified(member)
    done = visitor.send(VERIFY, password=PASSWORD)
    assert (done.status_code, done.headers["Location"]) == (303, leads)
    assert session_of(visitor.client) == before
    assert is_verified(member)


def test_the_profile_sends_the_link_again_while_it_is_needed(app, member):
    before = count_of(app, member.email, verification.KIND_VERIFY)
    sent = member.send("/account/verify/resend", page="/account", email=member.email)
    assert sent.headers["Location"] == "/account"
    send_what_was_asked(app, verification.SEND_VERIFICATION)
    # The first is younger than five minutes.
    assert count_of(app, member.email, verification.KIND_VERIFY) == before
    assert "/account/verify/resend" in member.get("/account").text
    follow(member, link_to(app, member.email, verification.KIND_VERIFY))
    member.send(VERIFY)
    assert "/account/verify/resend" not in member.get("/account").text


def test_a_change_of_address_is_confirmed_and_taken_back(app, member):
    follow(member, link_to(app, member.email, verification.KIND_VERIFY))
    member.send(VERIFY)
    new = f"new-{member.email}"
    member.client.post("/api/auth/change-email", json={"email": new}, headers=member.headers)
    send_what_was_asked(app, verification.SEND_CHANGE)
    assert new in follow(member, link_to(app, new, verification.KIND_CHANGE)).text
    member.send(VERIFY)
    assert session_of(member.client)["user"]["email"] == new
    visitor = Visitor(app)
    page = follow(visitor, link_to(app, member.email, "address-changed"))
    assert member.email in page.text
    # Before somebody does it, the page says as the mail did that the password goes with it.
    assert "the password ceases to work" in page.text
    assert "the password ceases to work" in " ".join(letters.text(app, member.email, "address-changed").split())
    assert session_of(member.client)["user"]["email"] == new
    assert visitor.send(REVERT).headers["Location"] == "/account/sign-in"
    assert session_of(member.client) is None
    follow(visitor, link_to(app, member.email, recovery.KIND))
    assert visitor.send(RESET, password=FRESH).status_code == 303
    assert visitor.sign_in(email=member.email, password=FRESH).status_code == 303
