"""The pages that guard an account in a real browser: second factor, passkeys, one's own data."""

from __future__ import annotations

import pyotp
import pytest
from playwright.sync_api import expect

from tests.end_to_end.test_account_pages import AXE, LONG, OUTSIDE, PASSWORD, RULES, open_in, sign_up

__all__ = ["open_in"]

SECURITY = "/account/security"
AUTHENTICATOR = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
    "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip

# What stands on the page itself keeps to its column too.
BESIDE = """() => {
    const main = document.querySelector("main");
    const right = main.getBoundingClientRect().right;
    const outside = [...main.children].filter((each) => each.getBoundingClientRect().right > right + 1);
    return outside.map((each) => each.outerHTML);
}"""


def plug_in(page):
    """Give the browser of a page an authenticator."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})


def add_passkey(page, name):
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator("strong", has_text=name)).to_be_visible()


def begin(page):
    """Begin to set the second factor up, and read the key off the page."""
    page.goto(SECURITY)
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    return page.locator("code.key").inner_text().replace(" ", "")


def confirm(page, key):
    page.get_by_label("Code that the app shows").fill(pyotp.TOTP(key).now())
    page.get_by_role("button", name="Switch on").click()
    expect(page.get_by_role("status")).to_have_text("The second factor is on.")
    return page.locator(".codes li").all_inner_texts()


def look(page, place):
    """What is wrong with a page: what axe finds, and what is wider than its room."""
    # A click leads on without waiting for the style sheet, and without it every page has something wrong.
    page.wait_for_load_state()
    page.add_script_tag(path=AXE)
    found = page.evaluate("rules => axe.run(document, { runOnly: rules })", RULES)
    assert [(place, each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), place
    assert page.evaluate(OUTSIDE) == [], place
    assert page.evaluate(BESIDE) == [], place


@pytest.mark.variants
@pytest.mark.parametrize("scripts", [True, False])
def test_the_second_factor_is_set_up_renewed_and_switched_off(open_in, scripts):
    page = open_in(java_script_enabled=scripts)
    sign_up(page)
    key = begin(page)
    page.get_by_label("Code that the app shows").fill("000000")
    page.get_by_role("button", name="Switch on").click()
    expect(page.get_by_label("Code that the app shows")).to_have_attribute("aria-invalid", "true")
    codes = confirm(page, key)
    assert len(codes) == 10
    page.get_by_role("link", name="I have kept them").click()
    page.locator("summary", has_text="New recovery codes").click()
    page.get_by_role("button", name="New recovery codes").click()
    expect(page.locator(".codes li")).to_have_count(10)
    renewed = page.locator(".codes li").all_inner_texts()
    assert not set(renewed) & set(codes)
    page.get_by_role("link", name="I have kept them").click()
    page.locator("summary", has_text="Switch off").click()
    page.locator("details[open]").get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Code of the app, or a recovery code").fill(renewed[0])
    page.get_by_role("button", name="Switch off").click()
    expect(page.get_by_role("status")).to_have_text("The second factor is off.")
    expect(page.get_by_role("button", name="Set up")).to_be_visible()


def test_a_passkey_is_made_renamed_and_removed(open_in):
    page = open_in()
    sign_up(page)
    plug_in(page)
    page.get_by_role("link", name="Security").click()
    add_passkey(page, "Laptop")
    expect(page.get_by_text("On one device")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("Laptop again")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator("#new-passkey [role=alert]")).to_have_text(
        "This device has a passkey for your account already."
    )
    page.locator("summary", has_text="Rename").click()
    page.get_by_label("New name").fill("Key ring")
    page.get_by_role("button", name="Rename").click()
    expect(page.locator("strong", has_text="Key ring")).to_be_visible()
    page.locator("summary", has_text="Remove").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("status")).to_contain_text("The passkey is removed.")
    expect(page.get_by_text("Key ring")).to_have_count(0)


def test_making_a_passkey_wants_a_recent_proof(open_in):
    page = open_in()
    sign_up(page)
    plug_in(page)
    page.goto(SECURITY)
    refused = {"status": 403, "json": {"error": "Sign in again to do this", "code": "REAUTHENTICATION_REQUIRED"}}
    page.route("**/register/options", lambda route: route.fulfill(**refused))
    page.get_by_label("Name", exact=True).fill("Laptop")
    page.get_by_role("button", name="Add a passkey").click()
    page.wait_for_url(f"**/account/confirm?next={SECURITY}")


def test_what_needs_scripts_is_not_there_without_them(open_in):
    page = open_in(java_script_enabled=False)
    sign_up(page)
    page.goto(SECURITY)
    expect(page.get_by_role("button", name="Add a passkey")).to_be_hidden()
    expect(page.get_by_text("let this page run scripts")).to_be_visible()
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_label("New password").fill("a wise old heron")
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_role("status")).to_have_text("Your password is changed.")
    page.goto("/account/delete")
    page.locator("summary", has_text="Delete your account").click()
    page.get_by_role("button", name="Delete your account").click()
    expect(page.get_by_text("Until then you can sign in and keep it.")).to_be_visible()
    page.get_by_role("button", name="Keep your account").click()
    expect(page.get_by_role("status")).to_have_text("Your account stays.")


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("language", "width"), [("en", 1200), ("en", 360), ("de", 360)])
def test_no_page_has_what_axe_finds_wrong_or_is_too_wide(open_in, scheme, language, width):
    page = open_in(color_scheme=scheme, bypass_csp=True, viewport={"width": width, "height": 740})
    sign_up(page)
    plug_in(page)
    page.goto("/account/organizations")
    page.get_by_label("Name").fill(LONG)
    page.get_by_role("button", name="Create it").click()
    organization = page.url
    page.goto(SECURITY)
    add_passkey(page, LONG[:100])
    key = begin(page)
    page.goto(f"{SECURITY}?lang={language}")
    look(page, SECURITY)
    page.locator("form[action$='/two-factor'] button").click()
    key = page.locator("code.key").inner_text().replace(" ", "")
    look(page, "set up")
    page.locator("#code").fill("000000")
    page.locator("form[action$='/confirm'] button").click()
    expect(page.get_by_role("alert")).to_be_visible()
    look(page, "a wrong code")
    page.locator("#code").fill(pyotp.TOTP(key).now())
    page.locator("form[action$='/confirm'] button").click()
    expect(page.locator(".codes li")).to_have_count(10)
    look(page, "recovery codes")
    page.goto("/account/export")
    page.locator("form[action$='/export'] button").click()
    expect(page.get_by_role("status")).to_be_visible()
    page.goto("/account/delete")
    page.locator("summary").click()
    page.locator("button.danger").click()
    expect(page.get_by_role("alert")).to_be_visible()
    look(page, "a deletion that was refused")
    for place in (SECURITY, "/account/export", organization):
        page.goto(place)
        for each in page.locator("summary").all():
            each.click()
        look(page, place)
