"""A real browser, on a page of the service: signs up, signs in elsewhere, sees its session, signs out."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.auth.oauth.certified import Certified
from tests.end_to_end.service import free_port, gunicorn, started

PAGE = "/api/v1/docs"
FETCH = """async ([method, path, body]) => {
    const options = {method, headers: body ? {"Content-Type": "application/json"} : {}};
    const answer = await fetch(path, body ? {...options, body: JSON.stringify(body)} : options);
    return [answer.status, await answer.json()];
}"""


@pytest.fixture(scope="module")
def place(app, var_dir, tmp_path_factory):
    """The address of the service, and the provider that it knows as Google."""
    folder, port = tmp_path_factory.mktemp("browser"), free_port()
    address = f"http://localhost:{port}"
    provider = Certified("google", folder / "openid.log", public_url=address)
    settings = {
        "BASE_URL": address, "GOOGLE_ISSUER": provider.url, "GOOGLE_CLIENT_ID": "rowgate",
        "GOOGLE_CLIENT_SECRET": "client-secret",
    }  # fmt: skip
    with started(gunicorn(), port, folder / "log", VAR_DIR=var_dir, **settings):
        yield address, provider
    provider.stop()


@pytest.fixture
def page(browser, place):
    opened = browser.new_context(base_url=place[0]).new_page()
    opened.goto(PAGE)
    return opened


def fetch(page, method, path, body=None):
    return page.evaluate(FETCH, [method, path, body])


def session(page):
    status, body = fetch(page, "GET", "/api/auth/session")
    assert status == 200
    return body


def test_a_page_signs_up_sees_its_session_and_signs_out(page):
    person = {"email": f"{uuid4().hex}@browser.example", "password": "correct horse battery"}
    assert session(page) is None
    status, made = fetch(page, "POST", "/api/auth/signup", person)
    assert (status, made["user"]["email"]) == (200, person["email"])
    assert session(page)["user"] == made["user"]
    assert "rg_sess" not in page.evaluate("document.cookie")
    status, fresh = fetch(page, "POST", "/api/auth/token")
    assert (status, fresh["token"][:8]) == (200, "rg_sess_")
    assert fetch(page, "POST", "/api/auth/signout") == [200, {"success": True}]
    assert session(page) is None
    status, again = fetch(page, "POST", "/api/auth/signin", person)
    assert (status, session(page)["user"]["id"]) == (200, again["user"]["id"])


def test_a_page_signs_in_through_a_provider(page, place):
    email = f"{uuid4().hex}@openid.example"
    place[1].sign_in_as(sub=uuid4().hex, email=email, email_verified=True, name="Ada")
    status, answer = fetch(page, "POST", "/api/auth/oauth/google", {"callbackURL": f"{PAGE}?welcome=1"})
    assert (status, answer["redirect"]) == (200, True)
    page.goto(answer["url"])
    assert page.url == f"{place[0]}{PAGE}?welcome=1"
    assert session(page)["user"]["email"] == email
    assert fetch(page, "POST", "/api/auth/signout") == [200, {"success": True}]
    assert session(page) is None


def test_a_page_of_another_site_gets_nowhere_with_the_cookie(page, place):
    person = {"email": f"{uuid4().hex}@browser.example", "password": "correct horse battery"}
    fetch(page, "POST", "/api/auth/signup", person)
    foreign = page.context.new_page()
    foreign.goto(f"{place[1].url}/healthz")
    attack = """async (address) => {
        const form = new Blob(['{}'], {type: "text/plain"});
        await fetch(address, {method: "POST", mode: "no-cors", credentials: "include", body: form});
    }"""
    foreign.evaluate(attack, f"{place[0]}/api/auth/signout")
    assert session(page) is not None
