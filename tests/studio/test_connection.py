"""The studio when things fail: without a network, without a session, and with answers that refuse."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from app.crm.models import CrmCompany
from app.testing.waiting import await_true
from tests.studio.conftest import PASSWORD
from tests.studio.forms import open_all

pytestmark = pytest.mark.full

COMPANY = "/crm/company"
LIST = "**/api/v1/crm/company/_query"
SIGN_IN = """async ([email, password]) => {
    const headers = { "Content-Type": "application/json" };
    await fetch("/api/auth/signin", { method: "POST", headers, body: JSON.stringify({ email, password }) });
}"""


def refusal(status, code, **headers):
    body = {"error": "Told by the service", "code": code, "details": {}}
    return {"status": status, "json": body, "headers": {"X-Request-Id": "request-of-test", **headers}}


def test_whoever_is_not_signed_in_is_led_to_the_way_in_and_back(browser, service):
    page = browser.new_context(base_url=service).new_page()
    page.goto("/console/crm/deal?sort=-amount")
    page.wait_for_url("**/account/sign-in?next=*")
    assert "next=%2Fconsole%2Fcrm%2Fdeal%3Fsort%3D-amount" in page.url


def test_a_session_that_ends_is_opened_again_with_the_form_still_filled(desk):
    page = desk.open(f"{COMPANY}/create")
    page.get_by_role("textbox", name="Name").fill("Harbour Works")
    cookies = desk.context.cookies()
    page.evaluate("() => fetch('/api/auth/signout', { method: 'POST' })")
    page.get_by_role("button", name="Save", exact=True).click()
    dialog = page.get_by_role("dialog", name="You are signed out")
    expect(dialog).to_be_visible()
    assert cookies
    with desk.context.expect_page() as opened:
        dialog.get_by_role("button", name="Sign in", exact=True).click()
    window = opened.value
    window.get_by_label("E-mail").fill(desk.email)
    window.get_by_label("Password", exact=True).fill("correct horse battery")
    with window.expect_event("close"):
        window.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url("**/show")
    expect(page.get_by_role("heading", name="Harbour Works")).to_be_visible()


def test_what_waits_for_a_sign_in_is_not_sent_before_it(desk):
    page = desk.open(f"{COMPANY}/create")
    page.get_by_role("textbox", name="Name").fill("Harbour Works")
    page.evaluate("() => fetch('/api/auth/signout', { method: 'POST' })")
    page.get_by_role("button", name="Save", exact=True).click()
    dialog = page.get_by_role("dialog", name="You are signed out")
    expect(dialog).to_be_visible()
    sent = []
    page.on("request", lambda request: sent.append(request.method) if "/api/v1/" in request.url else None)
    for _ in range(2):
        with page.expect_response("**/api/auth/token*"):
            page.evaluate("() => dispatchEvent(new Event('focus'))")
    expect(dialog).to_be_visible()
    assert sent == []


def test_another_person_who_signs_in_finds_nothing_of_the_first(desk, seat):
    page = desk.open(f"{COMPANY}/create")
    page.get_by_role("textbox", name="Name").fill("Harbour Works")
    page.evaluate("() => fetch('/api/auth/signout', { method: 'POST' })")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("dialog", name="You are signed out")).to_be_visible()
    other = seat()
    with page.expect_navigation():
        page.evaluate(SIGN_IN, [other.email, PASSWORD])
        page.evaluate("() => dispatchEvent(new Event('focus'))")
    expect(page.get_by_role("textbox", name="Name")).to_have_value("")
    for each in (desk, other):
        assert each.shop.owner.get(CrmCompany.collection_path()).json["total"] == 0


def test_a_lost_connection_is_said_and_what_waits_goes_on_by_itself(desk):
    page = desk.open(f"{COMPANY}/create")
    page.get_by_role("textbox", name="Name").fill("Harbour Works")
    desk.context.set_offline(True)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("The connection is lost.")).to_be_visible()
    desk.context.set_offline(False)
    page.wait_for_url("**/show")
    expect(page.get_by_text("The connection is lost.")).to_have_count(0)
    assert desk.shop.owner.get(CrmCompany.collection_path()).json["total"] == 1


def test_a_refusal_is_a_sentence_with_the_request_and_tried_again(desk):
    refused = []

    def refuse(route):
        refused.append(route)
        route.fulfill(**refusal(429, "RATE_LIMITED", **{"Retry-After": "50"}))

    desk.page.route(LIST, refuse)
    page = desk.open(COMPANY)
    # Rows and their number are asked for at first, and once more by itself as the page begins to hear of changes.
    await_true(lambda: page.wait_for_timeout(20) or len(refused) == 4, 20)
    alert = page.get_by_role("main").get_by_role("alert")
    expect(alert).to_contain_text("That was too much at once. Try again in 50 seconds.")
    expect(alert).to_contain_text("Request request-of-test")
    page.unroute(LIST)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Nothing here yet")).to_be_visible()


def test_tabs_share_one_bearer_and_sign_out_together(desk):
    first = desk.open(COMPANY)
    second = desk.context.new_page()
    asked = []
    second.on("request", lambda request: asked.append(request.url) if "/api/auth/token" in request.url else None)
    second.goto("/console/crm/deal")
    expect(second.get_by_role("heading", name="Deals")).to_be_visible()
    assert asked == []
    first.reload()
    expect(first.get_by_role("heading", name="Companies")).to_be_visible()
    second.get_by_role("button", name=re.compile("^Account of")).click()
    second.get_by_role("menuitem", name="Sign out").click()
    for page in (first, second):
        page.wait_for_url(re.compile("/account/sign-in"))


@pytest.mark.parametrize(
    ("path", "button", "editor"),
    [("/keys/create", "New key", "Metadata"), ("/analytics/report/create", "Save", "Parameters")],
)
def test_nothing_moves_when_an_editor_comes_late(desk, path, button, editor):
    held = []
    desk.page.route("**/JsonInput-*.js", lambda route: held.append(route))
    page = desk.open(path)
    pressed = page.get_by_role("button", name=button, exact=True)
    expect(pressed).to_be_visible()
    open_all(page)
    await_true(lambda: page.wait_for_timeout(20) or held, 20)
    before = pressed.bounding_box()
    for each in held:
        each.continue_()
    expect(page.get_by_role("textbox", name=editor)).to_be_visible()
    # Less than a pixel is what a browser rounds.
    assert pressed.bounding_box() == pytest.approx(before, abs=0.9)
