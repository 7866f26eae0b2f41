"""The ways in on the account pages in a real browser: passkeys, links in mails, the second step, for everybody."""

from __future__ import annotations

import time

import pyotp
import pytest
from playwright.sync_api import expect

from app.auth.accounts import recovery, verification
from app.auth.organizations import invitations
from app.notification import mails
from tests.account.letters import link_to, send_what_was_asked
from tests.end_to_end.test_account_pages import AXE, OUTSIDE, PASSWORD, RULES, sign_up
from tests.end_to_end.test_account_pages import open_in as open_in

OPEN = [
    "/account/sign-in",
    "/account/forgot",
    "/account/forgot/sent",
    "/account/verify",
    "/account/reset",
    "/account/revert",
]
POST = """const post = async (path, body) => (await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })).json();"""
SEND = f"async ([path, body]) => {{ {POST} return post(path, body); }}"
# The page of registration is not what these tests are about.
REGISTER = f"""async () => {{
    {POST}
    const options = await post("/api/auth/passkey/register/options", {{}});
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const made = await navigator.credentials.create({{ publicKey }});
    return post("/api/auth/passkey/register/verify", {{ name: "Laptop", response: made.toJSON() }});
}}"""


def give_authenticator(page, *, verifies=True, offers=False):
    """Give a browser an authenticator that says yes by itself, and verifies its user or cannot. With ``offers`` it
    says so to what waits behind the field for an address as well."""
    if not offers:
        page.add_init_script("PublicKeyCredential.isConditionalMediationAvailable = async () => false;")
    kind = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": verifies}
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = kind | {"isUserVerified": verifies, "automaticPresenceSimulation": True}
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def switch_on(page):
    """Switch the second factor of whoever is signed in on; returns what makes its codes."""
    totp = pyotp.TOTP(page.evaluate(SEND, ["/api/auth/two-factor/enroll", {}])["secret"])
    confirmed = page.evaluate(SEND, ["/api/auth/two-factor/confirm", {"code": totp.at(time.time() - 30)}])
    assert len(confirmed["recoveryCodes"]) == 10
    return totp


def sign_out(page):
    page.goto("/account")
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()


def enter(page, address, password=PASSWORD):
    page.goto("/account/sign-in?next=/account/sessions")
    page.get_by_label("E-mail").fill(address)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def invite(page, address):
    """Have whoever is signed in invite an address to an organization of a long name."""
    page.goto("/account/organizations")
    page.get_by_label("Name").fill("Harbour works of the northern sea and of all its islands and lighthouses")
    page.get_by_role("button", name="Create it").click()
    page.get_by_label("E-mail").fill(address)
    page.get_by_role("button", name="Invite").click()
    expect(page.get_by_role("status")).to_be_visible()


def walk(app, page):
    """Open every new page, one after the other, and name it. Its language is English; whoever looks may change it."""
    for each in OPEN:
        page.goto(each)
        yield each
    address = sign_up(page)
    verify = link_to(app, address, verification.KIND_VERIFY)
    page.goto(verify)
    yield "verify as oneself"
    with app.app_context():
        token = mails.token_of(page.evaluate("async () => (await (await fetch('/api/auth/session')).json()).user.id"))
    page.goto(f"/account/unsubscribe?token={token}")
    yield "unsubscribe"
    page.goto("/account")
    yield "profile"
    give_authenticator(page)
    page.evaluate(REGISTER)
    switch_on(page)
    page.goto("/account/confirm?next=/account/sessions")
    yield "confirm"
    invited = f"invited-{address}"
    invite(page, invited)
    page.goto(link_to(app, invited, invitations.KIND))
    yield "an invitation for somebody else"
    sign_out(page)
    page.goto(link_to(app, invited, invitations.KIND))
    yield "an invitation for somebody new"
    page.goto(verify)
    yield "verify as nobody"
    with app.test_request_context():
        recovery.forget(address)
    send_what_was_asked(app, recovery.SEND_RESET)
    page.goto(link_to(app, address, recovery.KIND))
    yield "reset"
    enter(page, address)
    expect(page.get_by_role("heading", name="Second step")).to_be_visible()
    yield "second step"
    page.get_by_label("Code").fill("000000")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("The code is not valid")).to_be_visible()
    yield "a wrong code"


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_what_axe_finds_wrong(app, open_in, scheme):
    page = open_in(color_scheme=scheme, bypass_csp=True)
    for name in walk(app, page):
        page.wait_for_load_state()
        page.add_script_tag(path=AXE)
        found = page.evaluate("rules => axe.run(document, { runOnly: rules })", RULES)
        assert [(name, each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []


@pytest.mark.full
def test_nothing_is_wider_than_a_small_phone_in_any_language(app, open_in):
    page = open_in(viewport={"width": 360, "height": 740})
    for name in walk(app, page):
        if name == "a wrong code":  # the answer to a form
            continue
        here = page.url.partition("/account")[2].partition("?")[2]
        for language in ("de", "en"):
            page.goto(f"{page.url.partition('?')[0]}?{here}&lang={language}")
            expect(page.locator("html")).to_have_attribute("lang", language)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
            assert page.evaluate(OUTSIDE) == [], name


def test_a_passkey_signs_somebody_in_and_leads_on(open_in):
    page = open_in()
    sign_up(page)
    give_authenticator(page)
    assert page.evaluate(REGISTER)["name"] == "Laptop"
    switch_on(page)
    sign_out(page)
    page.goto("/account/sign-in?next=/account/sessions")
    expect(page.get_by_label("E-mail")).to_have_attribute("autocomplete", "username webauthn")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("heading", name="Devices")).to_be_visible()
    expect(page.get_by_text("Signed in with a passkey")).to_be_visible()


@pytest.mark.full
def test_a_passkey_that_is_taken_from_the_list_of_addresses_signs_in(open_in):
    page = open_in()
    sign_up(page)
    give_authenticator(page, offers=True)
    page.evaluate(REGISTER)
    page.evaluate(SEND, ["/api/auth/signout", {}])
    page.goto("/account/sign-in?next=/account/sessions")
    expect(page.get_by_role("heading", name="Devices")).to_be_visible()


@pytest.mark.full
def test_a_passkey_that_has_not_verified_its_user_is_followed_by_a_code(open_in):
    """Chromium finds passkeys by themselves where they verify their user alone, so the service's answer is set here."""
    page = open_in()
    address = sign_up(page)
    give_authenticator(page)
    page.evaluate(REGISTER)
    totp = switch_on(page)
    sign_out(page)
    page.goto("/account/sign-in?next=/account/sessions")
    asked = page.evaluate(SEND, ["/api/auth/signin", {"email": address, "password": PASSWORD}])
    page.route("**/api/auth/passkey/sign-in/verify", lambda route: route.fulfill(json=asked))
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("heading", name="Second step")).to_be_visible()
    page.get_by_label("Code").fill(totp.now())
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Devices")).to_be_visible()


@pytest.mark.variants
@pytest.mark.parametrize("verifies", [True, False])
def test_a_passkey_is_the_second_step_after_the_password(open_in, verifies):
    page = open_in()
    address = sign_up(page)
    give_authenticator(page, verifies=verifies)
    page.evaluate(REGISTER)
    switch_on(page)
    sign_out(page)
    enter(page, address)
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("heading", name="Devices")).to_be_visible()


@pytest.mark.full
def test_a_passkey_proves_once_more_who_one_is(open_in):
    page = open_in()
    sign_up(page)
    give_authenticator(page)
    page.evaluate(REGISTER)
    page.goto("/account/confirm?next=/account/linked")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("heading", name="Ways to sign in")).to_be_visible()


@pytest.mark.full
def test_a_passkey_that_nobody_has_is_told(open_in):
    page = open_in()
    sign_up(page)
    give_authenticator(page)
    page.evaluate(REGISTER)
    sign_out(page)
    page.route("**/api/auth/passkey/sign-in/verify", lambda route: route.fulfill(status=401, json={}))
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("alert")).to_have_text("That did not work. Try again, or choose another way.")
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_focused()


def test_a_forgotten_password_is_replaced_from_the_mail_on_without_scripts(app, open_in):
    address = sign_up(open_in())
    page = open_in(java_script_enabled=False)
    page.goto("/account/sign-in")
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_hidden()
    page.get_by_role("link", name="Forgotten your password?").click()
    page.get_by_label("E-mail").fill(address)
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_role("heading", name="Look into your mail")).to_be_visible()
    send_what_was_asked(app, recovery.SEND_RESET)
    referers = []
    page.on("request", lambda request: referers.append(request.headers.get("referer", "")))
    link = link_to(app, address, recovery.KIND)
    page.goto(link)
    assert page.url.endswith("/account/reset")
    assert link.partition("=")[2] not in page.content()
    page.get_by_label("New password").fill("a wise old heron")
    page.get_by_role("button", name="Save the password").click()
    expect(page.get_by_role("status")).to_have_text("Your new password counts from now on. Sign in with it.")
    assert [each for each in referers if "token" in each] == []
    enter(page, address, "a wise old heron")
    expect(page.get_by_role("heading", name="Devices")).to_be_visible()


def test_an_invitation_leads_from_the_mail_to_membership(app, open_in):
    page = open_in()
    invited = f"invited-{sign_up(page)}"
    invite(page, invited)
    page = open_in()
    page.goto(link_to(app, invited, invitations.KIND))
    assert page.url.endswith("/account/invitation")
    page.get_by_label("Name").fill("Ada New")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Create an account and accept").click()
    expect(page.get_by_role("status")).to_have_text("You are a member now.")
    expect(page.get_by_role("link", name="Harbour works")).to_be_visible()
