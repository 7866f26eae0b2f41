"""The account pages in a real browser: by keyboard, without scripts, on a phone, in light and dark, for everybody."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import uuid4

import axe_playwright_python
import pytest
from playwright.sync_api import expect

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PASSWORD = "correct horse battery"
LONG = "Harbour works of the northern sea and of all its islands and lighthouses " + "x" * 40
# What leaves the room that its card has for it.
OUTSIDE = """() => [...document.querySelectorAll(".card")].flatMap((card) => {
    const right = card.getBoundingClientRect().right - parseFloat(getComputedStyle(card).paddingRight);
    const within = [...card.querySelectorAll("*:not(.unseen)")];
    return within.filter((each) => each.getBoundingClientRect().right > right + 1).map((each) => each.outerHTML);
})"""
ENTRANCES = ["/account/sign-in", "/account/sign-up", "/account/sign-in?error=access_denied", "/account/nowhere"]
PAGES = ["/account", "/account/sessions", "/account/linked", "/account/organizations", "/account/notifications"]


def sign_up(page):
    """Make an account on the page, and give its address."""
    address = f"pages-{uuid4().hex[:8]}@example.com"
    page.goto("/account/sign-up")
    page.get_by_label("Name").fill("Ada Example")
    page.get_by_label("E-mail").fill(address)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Create an account").click()
    expect(page.get_by_role("heading", name="Profile")).to_be_visible()
    return address


@pytest.fixture
def open_in(browser, shared_service):
    """Opens pages in browsers of some kind; what a policy forbids and what a script raises fails the test."""
    raised = []

    def hear(message):
        if message.type == "error" and "Failed to load resource" not in message.text:
            raised.append(message.text)

    def make(**kind):
        page = browser.new_context(base_url=shared_service.url, **{"locale": "en-US"} | kind).new_page()
        page.on("pageerror", lambda error: raised.append(str(error)))
        page.on("console", hear)
        return page

    yield make
    assert raised == []


def furnish(page):
    """Give whoever is signed in something to show on every page, and return the page of an organization."""
    page.goto("/account/organizations")
    page.get_by_label("Name").fill(LONG)
    page.get_by_role("button", name="Create it").click()
    # An address of its own each time: one has a mail of a kind every few minutes.
    page.get_by_label("E-mail").fill(f"{'long' * 12}{uuid4().hex[:8]}@invited-to-the-harbour-works.example")
    page.get_by_role("button", name="Invite").click()
    expect(page.get_by_role("status")).to_have_text("The invitation is out.")
    return page.url


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_what_axe_finds_wrong(open_in, scheme):
    page = open_in(color_scheme=scheme, bypass_csp=True)

    def assert_sound(place):
        # A click leads on without waiting for the style sheet, and without it every page has something wrong.
        page.wait_for_load_state()
        page.add_script_tag(path=AXE)
        found = page.evaluate("rules => axe.run(document, { runOnly: rules })", RULES)
        assert [(place, each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []

    for place in ENTRANCES:
        page.goto(place)
        assert_sound(place)
    page.goto("/account/sign-up")
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("E-mail").fill("ada@example")
    page.get_by_label("Password", exact=True).fill("short")
    page.get_by_role("button", name="Create an account").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert_sound("a form that was refused")
    sign_up(page)
    furnish(page)
    page.locator("summary").first.click()
    assert_sound("an organization")
    for each in PAGES:
        page.goto(each)
        assert_sound(each)


@pytest.mark.full
@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
def test_nothing_is_wider_than_a_small_phone(open_in, locale):
    page = open_in(viewport={"width": 360, "height": 740})
    sign_up(page)
    for each in [furnish(page), *PAGES]:
        page.goto(f"{each}?lang={locale[:2]}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, each
        assert page.evaluate(OUTSIDE) == [], each
    page.context.clear_cookies()
    for each in ENTRANCES:
        page.goto(f"{each.partition('?')[0]}?lang={locale[:2]}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, each


def test_somebody_signs_in_by_keyboard_and_comes_back_to_where_they_wanted(open_in):
    address = sign_up(open_in())
    page = open_in()
    page.goto("/account/sessions")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(page.get_by_label("E-mail")).to_be_focused()
    page.keyboard.type(address)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Show password")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_label("Stay signed in")).not_to_be_checked()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Devices")).to_be_visible()
    assert page.url.endswith("/account/sessions")
    expect(page.get_by_text("This device")).to_be_visible()


def test_a_password_can_be_looked_at_while_it_is_typed(open_in):
    page = open_in()
    page.goto("/account/sign-up")
    field, button = page.get_by_label("Password", exact=True), page.get_by_role("button", name="Show password")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(field).to_have_attribute("type", "text")
    button.click()
    expect(field).to_have_attribute("type", "password")


@pytest.mark.full
def test_without_scripts_everything_works(open_in):
    page = open_in(java_script_enabled=False)
    page.goto("/account/sign-up")
    expect(page.get_by_role("button", name="Show password")).to_be_hidden()
    sign_up(page)
    furnish(page)
    page.locator("summary", has_text="Leave").click()
    page.get_by_role("button", name="Leave").click()
    expect(page.get_by_role("alert")).to_have_text("The last owner of an organization stays.")
    page.get_by_role("link", name="Notifications").click()
    page.get_by_label("By e-mail", exact=True).check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    expect(page.get_by_label("By e-mail", exact=True)).to_be_checked()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_field_that_is_wrong_has_the_focus_and_says_why(open_in):
    page = open_in()
    page.goto("/account/sign-up")
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_label("Password", exact=True).fill("password1")
    page.get_by_role("button", name="Create an account").click()
    field = page.get_by_label("Password", exact=True)
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description(
        "8 characters at least. A few words in a row are easy to keep. Is among the first that are guessed."
    )
    expect(page).to_have_title("Error: Create an account - Rowgate")


@pytest.mark.variants
@pytest.mark.parametrize("scripts", [True, False])
def test_a_provider_is_reached_with_scripts_and_without(open_in, scripts):
    page = open_in(java_script_enabled=scripts)
    page.route("https://github.com/**", lambda route: route.fulfill(content_type="text/html", body="<h1>Hub</h1>"))
    page.goto("/account/sign-in")
    page.get_by_role("button", name="Continue with GitHub").click()
    expect(page.get_by_role("heading", name="Hub", exact=True)).to_be_visible()
    # Who comes back finds the page that was left, not the one that only leads on.
    page.go_back()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


@pytest.mark.full
def test_the_console_leads_to_the_account(open_in):
    page = open_in()
    sign_up(page)
    page.goto("/console")
    page.get_by_role("button", name=re.compile("^Account of")).click()
    page.get_by_role("menuitem", name="Your account").click()
    expect(page.get_by_role("heading", name="Profile")).to_be_visible()
