"""The console in a real browser: sign-up, keys, records, notifications, by keyboard and on a phone's width."""

from __future__ import annotations

from uuid import uuid4

import pytest
from playwright.sync_api import expect, sync_playwright
from sqlalchemy import select

from app.database import transaction
from app.models.auth.identity import AuthUser
from app.notifications import notify
from tests.end_to_end.service import free_port, gunicorn, started
from tests.end_to_end.test_browser import CHROMIUM, QUIET

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


@pytest.fixture(scope="module")
def address(app, var_dir, tmp_path_factory):
    port, log = free_port(), tmp_path_factory.mktemp("console") / "log"
    settings = {"GITHUB_CLIENT_ID": "rowgate", "GITHUB_CLIENT_SECRET": "client-secret"}
    with started(gunicorn(), port, log, VAR_DIR=var_dir, **settings):
        yield f"http://localhost:{port}"


@pytest.fixture
def page(address):
    """The console on a phone's width; what its scripts raise fails the test."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        opened = browser.new_context(base_url=address, viewport={"width": 390, "height": 800}).new_page()
        raised = []
        opened.on("pageerror", lambda error: raised.append(str(error)))
        opened.goto("/console")
        yield opened
        browser.close()
    assert raised == []


@pytest.fixture
def email(page):
    """Somebody who has signed up on the page."""
    address = f"console-{uuid4().hex[:8]}@example.com"
    page.get_by_label("E-mail").fill(address)
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Make an account").click()
    expect(page.get_by_role("heading", name="Make a key")).to_be_visible()
    return address


def test_a_wrong_password_is_said_and_providers_are_offered(page):
    page.get_by_label("E-mail").fill("nobody@example.com")
    page.get_by_label("Password").fill("wrong password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Invalid email or password")
    expect(page.get_by_role("button", name="Go on with Github")).to_be_visible()
    expect(page.get_by_role("button", name="Go on with Google")).to_have_count(0)


def test_a_key_is_made_by_keyboard_shown_once_and_revoked(page, email):
    page.get_by_label("Name").focus()
    page.keyboard.type("Console key")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("rg_key_")
    page.get_by_role("button", name="Use of Console key").click()
    expect(page.get_by_role("img")).to_have_attribute("aria-label", "0 requests in 30 days, at most 0 a day")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Revoke Console key").click()
    expect(page.get_by_role("status")).to_contain_text("Console key is revoked.")
    page.reload()
    expect(page.get_by_role("heading", name="Make a key")).to_be_visible()
    expect(page.locator("body")).not_to_contain_text("Shown once")


def test_a_record_is_made_found_changed_and_deleted(page, email):
    page.get_by_role("link", name="Models").click()
    page.get_by_role("link", name="company", exact=True).click()
    page.get_by_role("button", name="New").click()
    page.get_by_label("name *").fill("<b>Harbour</b> Works")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("cell", name="<b>Harbour</b> Works")).to_be_visible()
    page.get_by_label("Field").select_option("name")
    page.get_by_label("Value").fill("Nothing like it")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_text("No records.")).to_be_visible()
    page.get_by_label("Value").fill("")
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("button", name="Open").click()
    page.get_by_label("industry").fill("shipping")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("cell", name="shipping")).to_be_visible()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Open").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No records.")).to_be_visible()


def test_what_the_service_refuses_is_said_in_the_dialog(page, email):
    page.goto("/console#/models/api/v1/crm/company")
    page.get_by_role("button", name="New").click()
    page.get_by_label("name *").fill("x" * 300)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("name:")


def test_notifications_come_live_and_are_marked_read(app, page, email):
    page.get_by_role("link", name="Notifications").click()
    expect(page.get_by_role("heading", name="Notifications")).to_be_visible()
    with app.app_context(), transaction() as session:
        notify(
            session, session.scalar(select(AuthUser.id).where(AuthUser.email == email)), "MESSAGE", "The plan is ready"
        )
    page.get_by_role("button", name="Mark read: The plan is ready").click()
    expect(page.get_by_role("button", name="Mark read: The plan is ready")).to_have_count(0)


def test_whoever_signs_out_is_out(page, email):
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_nothing_is_wider_than_a_phone(page, email):
    for place in ("keys", "models", "models/api/v1/crm/company", "notifications"):
        page.goto(f"/console#/{place}")
        page.wait_for_selector("#view h2")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, place
