"""Error shapes of the route families, and the headers that every answer carries."""

from __future__ import annotations

import logging

import pytest

from app.engine.declare.catalogue import every_model
from app.engine.read import pages
from app.foundation.errors import CODES

CONTACTS = "/api/v1/crm/contact"
LITERALS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type, Authorization",
}


@pytest.fixture(scope="module")
def owner(cast):
    return cast.user()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/nosuch/model", 404),
        ("GET", "/api/nosuch", 404),
        ("GET", "/nosuch", 404),
        ("DELETE", f"{CONTACTS}/_query", 405),
        ("POST", f"{CONTACTS}/x", 405),
        ("BREW", CONTACTS, 405),
        ("GET", CONTACTS, 401),
    ],
)
def test_errors_of_the_framework_have_the_domain_shape(cast, method, path, status):
    response = cast.nobody.send(method, path)
    assert response.status_code == status
    assert set(response.json) == {"error", "code", "details"}
    assert response.json["code"] in CODES


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "", 401), ("DELETE", "/_query", 405)])
def test_errors_under_the_guide_routes_have_their_shape(cast, method, path, status):
    response = cast.nobody.send(method, f"/api/v1/crm/company{path}")
    assert (response.status_code, set(response.json)) == (status, {"error"})


NOT_UTF_8 = {
    "/api/v1/crm/contact": {"error", "code", "details"},
    "/api/v1/crm/contact/_export": {"error", "code", "details"},
    "/api/v1/crm/company": {"error"},
    "/api/v1/auth/api-key": {"error", "statusCode"},
    "/api/chat": {"error", "code", "details"},
    "/api/auth/session": {"error", "code", "details"},
    "/api/integrations/teams/webhooks": {"error", "code", "details"},
    "/api/nosuch": {"error", "code", "details"},
    "/healthz": {"error", "code", "details"},
}


@pytest.mark.parametrize("path", NOT_UTF_8)
@pytest.mark.parametrize("sent", ["?name=%FF", "?%C3=x", "?a=%C3&b=%A9", "?name=%ED%A0%80", "?name=%C0%AF"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_is_not_utf_8_in_a_query_is_refused_in_the_shape_of_the_routes(owner, path, sent, method):
    response = owner.send(method, path + sent)
    assert (response.status_code, set(response.json)) == (400, NOT_UTF_8[path])


@pytest.mark.parametrize("path", NOT_UTF_8)
def test_what_is_not_utf_8_in_a_path_is_refused_alike(owner, path):
    # As servers hand out /%FF; the client of the tests cannot say it.
    response = owner.send("GET", path, environ_overrides={"PATH_INFO": f"{path}/\xff"})
    assert (response.status_code, set(response.json)) == (400, NOT_UTF_8[path])


def test_a_page_refuses_what_is_not_utf_8_as_a_page(cast):
    response = cast.nobody.get("/account/sign-in?next=%FF")
    assert (response.status_code, response.mimetype) == (400, "text/html")


@pytest.mark.parametrize(
    "sent", ["?lastName=%C3%A9", "?lastName=é", "?lastName=%F0%9F%98%80", "?lastName=100%25", "?lastName=5%zz"]
)
def test_what_is_utf_8_in_a_query_is_read(owner, sent):
    assert owner.get(CONTACTS + sent).status_code in (200, 400)
    assert "UTF-8" not in owner.get(CONTACTS + sent).text


def test_a_request_of_a_batch_is_held_to_the_same(owner):
    parts = [{"method": "GET", "path": f"{CONTACTS}?email=%FF"}]
    answer = owner.post("/api/v1/_batch", {"requests": parts})
    assert (answer.status_code, answer.json["details"]["body"]["error"]) == (400, "The query is not UTF-8")


def test_errors_under_the_key_routes_have_their_shape(cast):
    response = cast.nobody.get("/api/v1/auth/api-key")
    assert response.json == {"error": "Authentication required", "statusCode": 401}
    assert cast.nobody.get("/api/v1/auth/api-key/x/y").json == {"error": "Resource not found", "statusCode": 404}


@pytest.mark.parametrize(
    "path",
    [f"{CONTACTS}/", "/api/v1//crm/contact", "//api/v1/crm/contact", "/api/v1/crm/Contact", "/API/v1/crm/contact"],
)
def test_slashes_and_case_never_lead_to_a_route(owner, path):
    assert owner.get(path).status_code == 404


MODEL_SEGMENTS = [f"/api/v1/ai/{model.segment}" for model in every_model() if model.domain == "ai" and not model.path]


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", MODEL_SEGMENTS)
def test_a_model_beside_ids_is_never_taken_for_one(owner, method, path):
    assert owner.send(method, path).json["code"] in ("VALIDATION_ERROR", "INVALID_JSON", "METHOD_NOT_ALLOWED")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", ["/api/v1/auth/api-key/self", "/api/chat/history"])
def test_a_fixed_name_where_ids_stand_is_never_taken_for_one(owner, method, path):
    answer = owner.send(method, path)
    assert answer.status_code == 405
    allowed = set(answer.headers["Allow"].split(", "))
    assert not allowed & {"PUT", "PATCH", "DELETE"}
    options = owner.send("OPTIONS", path)
    assert set(options.headers["Allow"].split(", ")) == allowed
    assert (options.data, options.headers.get("Content-Type")) == (b"", None)


def test_a_405_names_what_is_allowed(owner):
    allowed = set(owner.delete(f"{CONTACTS}/_query").headers["Allow"].split(", "))
    assert allowed == {"POST", "OPTIONS"}


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", CONTACTS, {}),
        ("GET", CONTACTS, {"Origin": "https://elsewhere.example"}),
        ("OPTIONS", CONTACTS, {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "PUT"}),
        ("POST", CONTACTS, {"Origin": "https://elsewhere.example"}),
        ("GET", "/api/v1/nosuch", {}),
        ("GET", "/api/v1/openapi.json", {}),
    ],
)
def test_every_answer_of_v1_carries_the_three_literals(cast, method, path, headers):
    response = cast.nobody.send(method, path, headers=headers)
    assert {name: response.headers.get(name) for name in LITERALS} == LITERALS
    assert "Origin" not in response.headers.get("Vary", "")
    assert "Access-Control-Allow-Credentials" not in response.headers


def test_a_preflight_needs_no_credential(cast):
    assert cast.nobody.send("OPTIONS", CONTACTS).status_code == 200


def test_head_works_where_get_does(owner):
    head, get = owner.send("HEAD", CONTACTS), owner.get(CONTACTS)
    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["Content-Length"] == get.headers["Content-Length"]


@pytest.mark.parametrize("sent", ["abcdefgh", "a" * 128, "A-b_c.d:e1"])
def test_a_plain_request_id_comes_back(owner, sent):
    assert owner.get("/healthz", headers={"X-Request-Id": sent}).headers["X-Request-Id"] == sent


@pytest.mark.parametrize("sent", ["short", "a" * 129, "with space", "späße-und-mehr", ""])
def test_any_other_request_id_is_replaced(owner, sent):
    made = owner.get("/healthz", headers={"X-Request-Id": sent}).headers["X-Request-Id"]
    assert made != sent
    assert 8 <= len(made) <= 128


def test_an_unknown_failure_tells_the_request_id_alone_and_the_rest_is_logged(owner, monkeypatch, caplog):
    def fail(*args):
        raise RuntimeError("the inner text")

    monkeypatch.setattr(pages, "list_page", fail)
    with caplog.at_level(logging.ERROR):
        response = owner.get(CONTACTS, headers={"X-Request-Id": "request-123"})
    assert response.status_code == 500
    assert response.json == {"error": "Unknown error", "code": "UNKNOWN_ERROR", "details": {"requestId": "request-123"}}
    assert "the inner text" in caplog.text


def test_a_version_can_announce_its_end(build):
    ending = build(api_v1_deprecation="@1767225600", api_v1_sunset="Sat, 01 Jan 2028 00:00:00 GMT")
    response = ending.test_client().get(CONTACTS)
    assert response.headers["Deprecation"] == "@1767225600"
    assert response.headers["Sunset"] == "Sat, 01 Jan 2028 00:00:00 GMT"


def test_the_root_leads_to_the_ui_which_loads_nothing_from_elsewhere(cast):
    assert cast.nobody.get("/").headers["Location"] == "/api/v1/docs"
    page = cast.nobody.get("/api/v1/docs")
    assert page.status_code == 200
    assert "http" not in page.get_data(as_text=True)
    for asset in ("/api/v1/docs/swagger-ui-bundle.js", "/static/docs.js"):
        with cast.nobody.get(asset) as served:
            assert served.status_code == 200


def test_readiness_checks_its_parts(cast):
    response = cast.nobody.get("/readyz")
    assert response.json == {"status": "ok", "database": "ok", "migrations": "ok", "redis": "ok"}
