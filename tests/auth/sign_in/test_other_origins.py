"""Pages of other origins: they call the routes of people with bearer tokens, never with the cookie."""

from __future__ import annotations

import pytest

from tests.auth.sign_in.visitors import PASSWORD, address, sign_up, visit

HERE, ELSEWHERE = "https://app.example", "https://evil.example"
ROUTES = [
    ("/api/auth/signin", "POST"),
    ("/api/upload", "POST"),
    ("/api/chat", "POST"),
    ("/api/documents", "GET"),
    ("/api/integrations/teams/notifications/stream/ticket", "POST"),
]


@pytest.fixture
def live(build_once):
    """In production, with one origin besides its own."""
    return build_once(environment="production", secret_key="k" * 40, cors_origins=HERE)


def preflight(app, path, method, origin=HERE):
    headers = {
        "Origin": origin, "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization, content-type",
    }  # fmt: skip
    return app.test_client().options(path, headers=headers)


def granted(response):
    return {name: value for name, value in response.headers if name.startswith("Access-Control-")}


@pytest.mark.parametrize(("path", "method"), ROUTES)
def test_a_named_origin_may_send_tokens_and_no_other_may(live, path, method):
    allowed = granted(preflight(live, path, method))
    assert allowed["Access-Control-Allow-Origin"] == HERE
    assert method in allowed["Access-Control-Allow-Methods"]
    assert allowed["Access-Control-Allow-Headers"].lower() == "authorization, content-type"
    assert "Access-Control-Allow-Credentials" not in allowed
    for origin in (ELSEWHERE, f"{HERE}.evil.example", "null", f"{HERE}:8443"):
        assert granted(preflight(live, path, method, origin)) == {}


@pytest.mark.parametrize(("path", "method"), ROUTES)
def test_production_opens_to_nobody_by_itself_and_development_to_everybody(build, path, method):
    closed = build(environment="production", secret_key="k" * 40)
    assert granted(preflight(closed, path, method)) == {}
    assert granted(preflight(build(), path, method))["Access-Control-Allow-Origin"] == "*"


def test_a_sign_in_from_there_gives_the_token_and_sets_no_cookie(live):
    from_there = {"Origin": HERE, "Sec-Fetch-Site": "cross-site"}
    browser, body = visit(live), {"email": address(), "password": PASSWORD}
    for path in ("/api/auth/signup", "/api/auth/signin"):
        signed_in = browser.post(path, json=body, headers=from_there)
        assert signed_in.status_code == 200
        assert "Set-Cookie" not in signed_in.headers
        token = {"Authorization": f"Bearer {signed_in.json['token']}"}
        session = browser.get("/api/auth/session", headers=from_there | token)
        assert session.json["user"]["email"] == body["email"]
        assert session.headers["Access-Control-Allow-Origin"] == HERE


def test_a_sign_in_from_an_origin_that_is_not_named_is_refused(live):
    body = {"email": address(), "password": PASSWORD}
    refused = visit(live).post("/api/auth/signup", json=body, headers={"Origin": ELSEWHERE})
    assert (refused.status_code, granted(refused)) == (403, {})


def test_the_cookie_does_not_count_for_a_named_origin(live):
    browser = visit(live)
    assert sign_up(browser).status_code == 200
    from_there = {"Origin": HERE, "Sec-Fetch-Site": "cross-site"}
    assert browser.post("/api/auth/token", headers=from_there).status_code == 403


def test_errors_can_be_read_there_as_well(live):
    refused = visit(live).post("/api/upload", headers={"Origin": HERE})
    assert refused.status_code == 401
    assert granted(refused)["Access-Control-Allow-Origin"] == HERE


def test_the_data_routes_keep_their_three_constants(live):
    constants = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE, OPTIONS",
        "Access-Control-Allow-Headers": "Content-Type, Authorization",
    }
    said = granted(live.test_client().get("/api/v1/crm/contact", headers={"Origin": ELSEWHERE}))
    assert said.items() >= constants.items()
    assert said.keys() - constants.keys() == {"Access-Control-Expose-Headers"}


@pytest.mark.parametrize("path", ["/api/v1/crm/contact", "/api/v1/crm/company", "/api/v1/_batch"])
def test_the_data_routes_say_once_which_origins_may_call_them(live, path):
    assert preflight(live, path, "POST").headers.getlist("Access-Control-Allow-Origin") == ["*"]
