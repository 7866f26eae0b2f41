"""Passkeys in a real browser, with its virtual authenticator: registered, signed in with, and copied."""

from __future__ import annotations

from uuid import uuid4

import pytest

pytestmark = pytest.mark.full

PAGE = "/api/v1/docs"
PASSKEY = "/api/auth/passkey"
FETCH = """async ([method, path, body]) => {
    const headers = {"Content-Type": "application/json"};
    const answer = await fetch(path, {method, headers, body: body ? JSON.stringify(body) : undefined});
    return [answer.status, await answer.json()];
}"""
CREATE = """async (options) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    return (await navigator.credentials.create({publicKey})).toJSON();
}"""
GET = """async (options) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return (await navigator.credentials.get({publicKey})).toJSON();
}"""
KIND = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
    "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip


@pytest.fixture
def place(shared_service):
    """The address of the service, which passkeys are bound to."""
    return shared_service.url


@pytest.fixture
def page(browser, place):
    opened = browser.new_context(base_url=place).new_page()
    opened.goto(PAGE)
    return opened


@pytest.fixture
def cdp(page):
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    return session


def plug_in(cdp, **kind):
    """A further authenticator of the browser."""
    return cdp.send("WebAuthn.addVirtualAuthenticator", {"options": KIND | kind})["authenticatorId"]


def fetch(page, method, path, body=None):
    return page.evaluate(FETCH, [method, path, body])


def answered(page, method, path, body=None):
    status, answer = fetch(page, method, path, body)
    assert status == 200, answer
    return answer


@pytest.fixture
def email(page, cdp):
    """Somebody who has signed up on the page."""
    address = f"{uuid4().hex}@passkeys.example"
    answered(page, "POST", "/api/auth/signup", {"email": address, "password": "correct horse battery"})
    return address


@pytest.fixture
def device(page, cdp, email):
    """An authenticator with a passkey of whoever has signed up, who is signed out again."""
    authenticator = plug_in(cdp)
    options = answered(page, "POST", f"{PASSKEY}/register/options")
    answered(page, "POST", f"{PASSKEY}/register/verify", {"response": page.evaluate(CREATE, options)})
    answered(page, "POST", "/api/auth/signout")
    return authenticator


def sign_in(page):
    answer = page.evaluate(GET, answered(page, "POST", f"{PASSKEY}/sign-in/options", {}))
    return fetch(page, "POST", f"{PASSKEY}/sign-in/verify", {"response": answer})


def test_a_passkey_is_registered_and_listed(page, cdp, email):
    authenticator = plug_in(cdp)
    options = answered(page, "POST", f"{PASSKEY}/register/options")
    made = page.evaluate(CREATE, options)
    kept = answered(page, "POST", f"{PASSKEY}/register/verify", {"response": made, "name": "Laptop"})
    assert answered(page, "GET", PASSKEY) == {"data": [kept]}
    assert (kept["name"], kept["transports"]) == ("Laptop", ["internal"])
    (stored,) = cdp.send("WebAuthn.getCredentials", {"authenticatorId": authenticator})["credentials"]
    assert (stored["rpId"], stored["isResidentCredential"]) == ("localhost", True)


def test_a_browser_makes_no_second_passkey_in_the_same_authenticator(page, cdp, device, email):
    assert sign_in(page)[0] == 200
    options = answered(page, "POST", f"{PASSKEY}/register/options")
    refused = page.evaluate(f"(options) => ({CREATE})(options).catch((error) => error.name)", options)
    assert refused == "InvalidStateError"


def test_a_passkey_signs_its_owner_in(page, device, email):
    assert fetch(page, "GET", "/api/auth/session") == [200, None]
    status, opened = sign_in(page)
    assert (status, opened["user"]["email"]) == (200, email)
    assert fetch(page, "GET", "/api/auth/session")[1]["user"] == opened["user"]


def test_a_passkey_works_from_one_time_to_the_next(page, device):
    for _ in range(3):
        assert sign_in(page)[0] == 200
        answered(page, "POST", "/api/auth/signout")


def move(cdp, device, **changes):
    """Put the passkey of a device into a new one, with some changes, and the device away."""
    (credential,) = cdp.send("WebAuthn.getCredentials", {"authenticatorId": device})["credentials"]
    cdp.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": device})
    cdp.send("WebAuthn.addCredential", {"authenticatorId": plug_in(cdp), "credential": credential | changes})


def test_a_passkey_that_moves_with_its_counter_goes_on(page, cdp, device):
    assert sign_in(page)[0] == 200
    answered(page, "POST", "/api/auth/signout")
    move(cdp, device)
    assert sign_in(page)[0] == 200


def test_a_copy_whose_counter_has_fallen_behind_is_refused(page, cdp, device):
    assert sign_in(page)[0] == 200
    answered(page, "POST", "/api/auth/signout")
    move(cdp, device, signCount=1)  # it answers with 2, as the last time
    status, refused = sign_in(page)
    assert (status, refused["code"]) == (401, "INVALID_CODE")
    assert fetch(page, "GET", "/api/auth/session") == [200, None]


def test_a_page_at_another_address_gets_no_passkey_of_this_service(page, device, place):
    page.goto(f"{place.replace('localhost', '127.0.0.1')}{PAGE}")
    options = answered(page, "POST", f"{PASSKEY}/sign-in/options", {})
    assert page.evaluate(f"(options) => ({GET})(options).catch((error) => error.name)", options) == "SecurityError"
