"""The console in a real browser: sign-in, tabs beside each other, keys and notifications, on a phone's width."""

from __future__ import annotations

import re
from uuid import uuid4

import pyotp
import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from app.auth.models.identity import AuthTwoFactor, AuthUser
from app.auth.two_factor import codes
from app.foundation.crypto import vault
from app.notification.routing import notify
from app.testing.database import unit_of_work
from tests.end_to_end.conftest import PASSWORD, sign_in, sign_up

KEYS = "**/api/v1/auth/api-key?*"
MAKING = "**/api/v1/auth/api-key"
NOTIFICATIONS = "**/api/v1/notification/notification?*"
STREAM = "**/notifications/stream?*"
READY = "event: ready\nid: 0\ndata: {}\n\n"
BYE = "event: bye\ndata: {}\n\n"
AWAY = {"status": 503, "json": {"error": "Not now"}}


def make_key(page, name):
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Make a key").click()
    expect(page.get_by_role("alert")).to_contain_text(f"{name}, shown once")


def tell(app, email, title):
    """Notify whoever has signed up with ``email``."""
    with app.app_context(), unit_of_work() as unit:
        notify(unit, unit.session.scalar(select(AuthUser.id).where(AuthUser.email == email)), "MESSAGE", title)


def test_a_wrong_password_is_said_and_providers_are_offered(page):
    page.get_by_label("E-mail").fill("nobody@example.com")
    page.get_by_label("Password").fill("wrong password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Invalid email or password")
    expect(page.get_by_role("button", name="Go on with Github")).to_be_visible()
    expect(page.get_by_role("button", name="Go on with Google")).to_have_count(0)


def test_whoever_is_signed_out_sees_no_navigation(page):
    page.goto("/console")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_role("navigation")).to_be_hidden()
    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()


def test_a_key_is_made_by_keyboard_shown_once_and_revoked(page, email):
    page.get_by_label("Name").focus()
    page.keyboard.type("Console key")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("rg_key_")
    use = page.get_by_role("button", name="Use of Console key")
    use.click()
    expect(use).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("img")).to_have_attribute("aria-label", "0 requests in 30 days, at most 0 a day")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Revoke Console key").click()
    expect(page.get_by_role("status")).to_contain_text("Console key is revoked.")
    expect(page.get_by_role("heading", name="Make a key")).to_be_focused()
    page.reload()
    expect(page.get_by_role("heading", name="Make a key")).to_be_visible()
    expect(page.locator("body")).not_to_contain_text("shown once")


def test_the_use_of_a_day_is_that_of_a_day_in_utc(page, email):
    drawn = """async (points) => {
        const { plot } = await import("/static/console/usage.js");
        return plot(points).querySelector("title").textContent;
    }"""
    assert page.evaluate(drawn, [{"time": "2026-01-08T00:00:00.000Z", "requests": 3}]) == "1/8/2026: 3"


def test_a_secret_stays_when_the_list_fails_or_changes(page, email):
    page.route(KEYS, lambda route: route.fulfill(**AWAY), times=1)
    make_key(page, "First")
    expect(page.get_by_role("status")).to_contain_text("Not now")
    make_key(page, "Second")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Revoke First").click()
    expect(page.get_by_role("status")).to_contain_text("First is revoked.")
    expect(page.get_by_role("alert").get_by_role("code")).to_have_text([re.compile("rg_key_")] * 2)


@pytest.fixture
def slow_key(page, email):
    """A key that is being made; gives what has it be made."""
    held = []
    page.route(MAKING, lambda route: route.continue_() if held else held.append(route))
    page.get_by_label("Name").fill("Slow")
    with page.expect_request(MAKING):
        page.get_by_role("button", name="Make a key").click()
    return lambda: held[0].continue_()


def test_a_secret_is_shown_to_whoever_left_the_page_meanwhile(page, slow_key):
    loading = []
    page.route(NOTIFICATIONS, lambda route: loading.append(route), times=1)
    with page.expect_request(NOTIFICATIONS):
        page.get_by_role("link", name="Notifications").click()
    slow_key()
    expect(page.get_by_role("button", name="Copy Slow")).to_be_focused()
    loading[0].continue_()
    expect(page.get_by_text("Live")).to_be_visible()
    page.get_by_role("link", name="Models").click()
    expect(page.get_by_role("heading", name="crm")).to_be_visible()
    expect(page.get_by_text("Slow, shown once, keep it: rg_key_")).to_be_visible()


def test_a_secret_is_not_shown_to_whoever_comes_after(app, page, slow_key):
    other = {"email": f"after-{uuid4().hex[:8]}@example.com", "password": PASSWORD}
    assert app.test_client().post("/api/auth/signup", json=other).status_code == 200
    page.get_by_role("button", name="Sign out").click()
    sign_in(page, other["email"])
    expect(page.get_by_role("heading", name="Make a key")).to_be_visible()
    with page.expect_response(MAKING):
        slow_key()
    make_key(page, "Own")
    expect(page.get_by_text("Slow, shown once")).to_have_count(0)


def test_a_double_click_makes_one_key(page, email):
    page.get_by_label("Name").fill("Only")
    page.get_by_role("button", name="Make a key").dblclick()
    expect(page.get_by_role("button", name="Revoke Only")).to_have_count(1)
    expect(page.get_by_role("alert").get_by_role("code")).to_have_count(1)


def test_without_a_clipboard_the_secret_is_selected(page, email):
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    make_key(page, "Plain")
    page.get_by_role("button", name="Copy Plain").click()
    expect(page.get_by_role("status")).to_contain_text("The key is selected")
    assert page.evaluate("getSelection().toString()").startswith("rg_key_")


def test_notifications_come_live_and_are_marked_read(app, page, email):
    page.get_by_role("link", name="Notifications").click()
    expect(page.get_by_text("Live")).to_be_visible()
    tell(app, email, "The plan is ready")
    page.get_by_role("button", name="Mark read: The plan is ready").click()
    expect(page.get_by_role("button", name="Mark read: The plan is ready")).to_have_count(0)
    expect(page.get_by_role("listitem")).to_be_focused()


def test_a_stream_that_ends_comes_back(app, page, email):
    page.route(STREAM, lambda route: route.fulfill(body=READY + BYE, content_type="text/event-stream"), times=1)
    page.get_by_role("link", name="Notifications").click()
    expect(page.get_by_text("Reconnecting…")).to_be_visible()
    tell(app, email, "The plan is ready")
    expect(page.get_by_role("listitem")).to_have_text([re.compile("The plan is ready")], timeout=15_000)


def test_after_a_reset_the_list_is_loaded_anew(app, page, email):
    tell(app, email, "Still there")
    gone = {"id": "gone", "title": "Gone", "createdAt": "2026-01-01T00:00:00.000Z", "sequence": 0}
    page.route(NOTIFICATIONS, lambda route: route.fulfill(json={"data": [gone]}), times=1)
    reset = "event: reset\ndata: {}\n\n" + READY
    page.route(STREAM, lambda route: route.fulfill(body=reset, content_type="text/event-stream"), times=1)
    page.get_by_role("link", name="Notifications").click()
    expect(page.get_by_role("listitem")).to_have_text([re.compile("Still there")])


def test_only_one_stream_stays_open_however_often_the_page_is_left(page, email):
    page.evaluate("""() => {
        window.streams = [];
        window.EventSource = class extends EventSource { constructor(url) { super(url); streams.push(this); } };
    }""")
    for link in ("Notifications", "Keys", "Notifications", "Keys", "Notifications"):
        page.get_by_role("link", name=link).click()
        page.wait_for_function("hash => location.hash === hash", arg=f"#/{link.lower()}")
    expect(page.get_by_text("Live")).to_be_visible()
    assert page.evaluate("streams.filter((stream) => stream.readyState !== EventSource.CLOSED).length") == 1


def test_whoever_signs_out_is_out(page, email):
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_tabs_beside_each_other_all_go_on(page, email):
    second = page.context.new_page()
    second.goto("/console")
    expect(second.get_by_role("heading", name="Make a key")).to_be_visible()
    make_key(page, "From the first")
    make_key(second, "From the second")
    expect(page.get_by_role("heading", name="Sign in")).to_have_count(0)


def test_signing_out_in_one_tab_ends_the_session_of_all(page, email):
    second = page.context.new_page()
    second.goto("/console")
    expect(second.get_by_role("heading", name="Make a key")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    second.get_by_role("link", name="Notifications").click()
    expect(second.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(second.get_by_role("status")).to_contain_text("Authentication required")


def test_a_tab_does_not_go_on_as_somebody_else(page, email):
    make_key(page, "First")
    second = page.context.new_page()
    second.goto("/console")
    second.get_by_role("button", name="Sign out").click()
    sign_up(second)
    page.get_by_label("Name").fill("Second")
    page.get_by_role("button", name="Make a key").click()
    expect(page.get_by_text("No keys yet.")).to_be_visible()


def test_a_session_that_ends_takes_its_stream_along(page, email):
    page.get_by_role("link", name="Notifications").click()
    expect(page.get_by_text("Live")).to_be_visible()
    second = page.context.new_page()
    second.goto("/console")
    second.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=20_000)


def test_a_service_that_is_away_is_no_reason_to_sign_in(page, email):
    page.route("**/api/auth/token", lambda route: route.fulfill(**AWAY))
    page.reload()
    expect(page.get_by_role("status")).to_contain_text("Not now")
    expect(page.get_by_role("heading", name="Sign in")).to_have_count(0)


def test_an_account_with_a_second_factor_is_asked_for_it(app, page, email):
    with app.app_context(), unit_of_work() as unit:
        user = unit.session.scalar(select(AuthUser).where(AuthUser.email == email))
        secret = codes.new_secret()
        unit.session.add(
            AuthTwoFactor(user_id=user.id, secret=vault().encrypt(secret), backup_codes="[]", verified=True)
        )
    page.get_by_role("button", name="Sign out").click()
    sign_in(page, email)
    page.get_by_label("Code").fill("12345678")
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("alert")).to_have_text("The code is not valid")
    page.get_by_label("Code").fill(pyotp.TOTP(secret).now())
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("heading", name="Make a key")).to_be_visible()


def test_a_refusal_of_a_provider_is_said_once(page):
    page.goto("/console?error=access_denied")
    expect(page.get_by_role("status")).to_contain_text("Sign-in was refused: access_denied")
    assert page.url.endswith("/console")
    page.goto("/console?error=Call+this+number")
    page.wait_for_url("**/console")
    expect(page.get_by_role("status")).to_have_text("")


def test_a_slower_page_does_not_replace_the_one_that_was_opened_after_it(page, email):
    page.get_by_role("link", name="Models").click()
    expect(page.get_by_role("heading", name="crm")).to_be_visible()
    held = []
    page.route(KEYS, lambda route: held.append(route), times=1)
    with page.expect_request(KEYS):
        page.get_by_role("link", name="Keys").click()
    page.get_by_role("link", name="Notifications").click()
    expect(page.get_by_text("Live")).to_be_visible()
    with page.expect_response(KEYS):
        held[0].continue_()
    expect(page.get_by_role("heading", name="Notifications")).to_be_visible()
    expect(page.get_by_role("heading", name="Make a key")).to_have_count(0)


def test_nothing_is_wider_than_a_phone(app, page, email):
    long = "Harbour works of the northern sea and of all its islands " * 3
    tell(app, email, long)
    make_key(page, "A key with a name of nearly one hundred characters, as somebody may well write it one day, or two")
    page.get_by_role("link", name="Models").click()
    page.get_by_role("link", name="company", exact=True).click()
    page.get_by_role("button", name="New").click()
    page.get_by_label("name *").fill(long)
    page.get_by_role("button", name="Save").click()
    headings = {
        "keys": "Make a key", "models": "crm", "models/api/v1/crm/company": "crm / company",
        "notifications": "Notifications",
    }  # fmt: skip
    for place, heading in headings.items():
        page.goto(f"/console#/{place}")
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
        if place != "models":
            expect(page.locator("#view td, #view li").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, place
