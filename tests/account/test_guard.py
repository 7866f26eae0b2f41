"""What every account page has in common: headers, tokens of forms, and how pages of other sites fare."""

from __future__ import annotations

import re

import pytest

from tests.account.visitors import TOKEN, Visitor, alerts_of
from tests.auth.sign_in.visitors import PASSWORD, SAME_ORIGIN, session_of

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SOMETHING = "01a1fedd-47f3-7536-a333-810773c4a6d4"


def acts(app):
    """The path of every form."""
    rules = [
        rule for rule in app.url_map.iter_rules() if rule.endpoint.startswith("account.") and "POST" in rule.methods
    ]
    # Programs for mail end notifications from anywhere, with nothing but their link.
    rules = [rule for rule in rules if rule.endpoint != "account.end_mail"]
    return [re.sub(r"<[^>]*>", SOMETHING, rule.rule) for rule in rules]


def test_a_form_without_the_token_of_its_page_does_nothing(app, member):
    stranger = Visitor(app)
    foreign = TOKEN.search(stranger.get("/account/sign-in").text)[1]
    before = session_of(member.client)
    for token in ({}, {"csrf": ""}, {"csrf": "x"}, {"csrf": foreign}):
        for path in acts(app):
            response = member.client.post(path, data={"name": "Eve", "role": "owner"} | token, headers=SAME_ORIGIN)
            assert response.status_code in (303, 400, 404), path
    assert session_of(member.client) == before
    refused = member.client.post("/account", data={"name": "Eve"}, headers=SAME_ORIGIN)
    assert refused.status_code == 400
    assert alerts_of(refused) == ["The page had been open for too long. Send it once more."]


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}])
def test_a_form_on_another_site_does_nothing(app, member, headers):
    before = session_of(member.client)
    for path in acts(app):
        assert member.send(path, page="/account", headers=headers, name="Eve").status_code == 403, path
    assert session_of(member.client) == before


def test_another_site_signs_nobody_in(app, member):
    visitor = Visitor(app)
    given = {"email": member.email, "password": PASSWORD}
    response = visitor.send("/account/sign-in", headers={"Sec-Fetch-Site": "cross-site"}, **given)
    assert response.status_code == 403
    assert session_of(visitor.client) is None


def test_every_page_says_to_browsers_what_it_may_do(member):
    for path in ("/account", "/account/sessions", "/account/nowhere", "/account/sign-in"):
        headers = member.get(path).headers
        assert headers["Content-Security-Policy"] == POLICY
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"


def test_no_page_holds_scripts_or_styles_of_its_own(member):
    for path in ("", "/sessions", "/linked", "/organizations", "/notifications", "/confirm", "/forgot", "/verify"):
        page = member.get(f"/account{path}").text
        assert not re.search(r"<style|<script(?! src=)|\sstyle=|\son\w+=|javascript:", page), path


def test_the_name_and_the_picture_of_the_product_are_on_the_pages(build):
    visitor = Visitor(build(product_name="Harbour & Sons", product_logo="https://cdn.example:8443/logo.svg"))
    page = visitor.get("/account/sign-in")
    assert "<title>Sign in - Harbour &amp; Sons</title>" in page.text
    assert 'src="https://cdn.example:8443/logo.svg"' in page.text
    assert "img-src 'self' data: https://cdn.example:8443;" in page.headers["Content-Security-Policy"]


def test_a_path_without_a_page_is_a_page_that_says_so(app, member):
    response = member.get("/account/nowhere")
    assert (response.status_code, response.mimetype) == (404, "text/html")
    assert "<h1>There is no page here.</h1>" in response.text
    assert member.get(f"/account/organizations/{SOMETHING}").status_code == 404
    assert app.test_client().get("/accounts").mimetype == "application/json"


def test_a_fault_of_ours_is_a_page_with_the_number_of_the_request_and_a_line_in_the_log(build, caplog, monkeypatch):
    application = build()
    member = Visitor(application).sign_up()
    monkeypatch.setattr("blueprints.pages.sessions.list_page", lambda *_: 1 / 0)
    response = member.get("/account/sessions")
    assert (response.status_code, response.mimetype) == (500, "text/html")
    assert response.headers["X-Request-Id"] in response.text
    assert "ZeroDivisionError" in caplog.text
    assert "ZeroDivisionError" not in response.text


def test_a_character_that_no_database_keeps_is_refused(member):
    response = member.send("/account", name="Ada\x00")
    assert (response.status_code, alerts_of(response)) == (400, ["Must be readable text."])


def test_a_page_without_a_declaration_is_refused(build, monkeypatch):
    application = build()
    application.add_url_rule("/account/forgotten", "account.forgotten", lambda: "x")
    assert Visitor(application).get("/account/forgotten").status_code == 403


def test_a_key_opens_no_page(app, cast):
    key = cast.key(cast.user(), "write")
    assert key.get("/account").status_code == 403
