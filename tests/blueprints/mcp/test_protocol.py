"""What every request has to say, and how what is wrong with one is answered: both revisions of the protocol."""

from __future__ import annotations

from base64 import b64encode

import pytest

from tests.blueprints.mcp.agents import META, PREFIX, ask, headers_of, message, result


def error_of(response):
    return response.status_code, response.json["error"]["code"]


def legacy(actor, method, version="2025-11-25", **params):
    headers = {"MCP-Protocol-Version": version} if version else {}
    return actor.post("/mcp", {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}, headers=headers)


def test_a_server_tells_what_it_speaks_and_offers(owner):
    found = result(owner, "server/discover")
    assert found["resultType"] == "complete"
    assert found["supportedVersions"] == ["2026-07-28"]
    assert found["capabilities"] == {"tools": {}, "resources": {"subscribe": True}, "prompts": {}}
    assert found["_meta"][f"{PREFIX}serverInfo"]["name"] == "Rowgate"
    assert (found["cacheScope"], found["ttlMs"] >= 0) == ("private", True)


@pytest.mark.parametrize(
    "method", ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "server/discover"]
)
def test_lists_say_how_long_they_may_be_kept_and_for_whom(owner, method):
    found = result(owner, method)
    assert found["cacheScope"] == "private"
    assert found["ttlMs"] >= 0
    assert found == result(owner, method)  # in the same order


@pytest.mark.parametrize("method", ["sampling/createMessage", "resources/subscribe", "initialize", "ping", "x" * 99])
def test_a_method_that_is_not_there_is_404(owner, method):
    assert error_of(ask(owner, method)) == (404, -32601)


def test_a_version_that_is_not_spoken_is_refused_with_those_that_are(owner):
    sent = message("tools/list")
    sent["params"]["_meta"] = META | {f"{PREFIX}protocolVersion": "1900-01-01"}
    response = owner.post("/mcp", sent, headers=headers_of(sent) | {"MCP-Protocol-Version": "1900-01-01"})
    assert error_of(response) == (400, -32022)
    assert "2026-07-28" in response.json["error"]["data"]["supported"]
    assert response.json["error"]["data"]["requested"] == "1900-01-01"
    assert error_of(legacy(owner, "tools/list", "1900-01-01")) == (400, -32022)


@pytest.mark.parametrize("left_out", ["protocolVersion", "clientCapabilities"])
def test_a_request_without_what_every_one_has_is_refused(owner, left_out):
    sent = message("tools/list")
    sent["params"]["_meta"] = {name: value for name, value in META.items() if name != f"{PREFIX}{left_out}"}
    assert error_of(owner.post("/mcp", sent, headers=headers_of(sent))) == (400, -32602)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MCP-Protocol-Version", "2025-11-25"), ("Mcp-Method", "tools/call"), ("Mcp-Method", None),
        ("Mcp-Method", "TOOLS/LIST"), ("MCP-Protocol-Version", None),
    ],
)  # fmt: skip
def test_headers_that_say_another_thing_than_the_body_are_refused(owner, name, value):
    sent = message("tools/list")
    headers = {key: each for key, each in (headers_of(sent) | {name: value}).items() if each is not None}
    assert error_of(owner.post("/mcp", sent, headers=headers)) == (400, -32020)


def test_the_name_of_a_target_is_in_the_header_as_in_the_body(owner):
    sent = message("tools/call", name="list_models", arguments={})
    encoded = f"=?base64?{b64encode(b'list_models').decode()}?="
    assert owner.post("/mcp", sent, headers=headers_of(sent) | {"Mcp-Name": encoded}).status_code == 200
    for wrong in ("get_record", "=?base64?!?=", "=?base64?/w==?="):
        assert error_of(owner.post("/mcp", sent, headers=headers_of(sent) | {"Mcp-Name": wrong})) == (400, -32020)
    bare = {name: value for name, value in headers_of(sent).items() if name != "Mcp-Name"}
    assert error_of(owner.post("/mcp", sent, headers=bare)) == (400, -32020)


@pytest.mark.parametrize(
    "body",
    [
        [], 7, "x", {}, {"jsonrpc": "1.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": None, "method": "ping"}, {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": "x" * 201, "method": "ping"}, {"jsonrpc": "2.0", "id": 1, "method": ""},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, {"jsonrpc": "2.0", "id": True, "method": "ping"},
        [{"jsonrpc": "2.0", "id": 1, "method": "ping"}],
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused(owner, body):
    response = owner.send("POST", "/mcp", json=body)
    assert error_of(response) == (400, -32600)


@pytest.mark.parametrize(
    "text", ["{", '{"a":1,"a":2}', "[" * 40 + "]" * 40, '{"jsonrpc":"2.0","id":1,"method":"\\u0000"}', "NaN"]
)
def test_what_is_no_json_is_refused(owner, text):
    response = owner.send("POST", "/mcp", data=text, headers={"Content-Type": "application/json"})
    assert error_of(response) == (400, -32700)


def test_bodies_are_bounded_and_of_one_type(app, owner):
    large = b'{"x": "' + b"x" * app.config["SETTINGS"].max_json_bytes + b'"}'
    assert owner.send("POST", "/mcp", data=large, headers={"Content-Type": "application/json"}).status_code == 413
    assert owner.send("POST", "/mcp", data=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415


def test_nothing_but_post_is_served(owner):
    for method in ("GET", "DELETE", "PUT"):
        assert owner.send(method, "/mcp").status_code == 405


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example", "http://[::1"])
def test_pages_of_other_origins_are_refused_with_and_without_a_credential(cast, owner, origin):
    for actor in (owner, cast.nobody):
        response = actor.post("/mcp", message("tools/list"), headers={"Origin": origin})
        assert response.status_code == 403


def test_pages_of_the_service_and_of_a_developers_machine_are_let_in(app, owner):
    for origin in (app.config["SETTINGS"].public_url, "http://localhost:6274"):
        sent = message("tools/list")
        assert owner.post("/mcp", sent, headers=headers_of(sent) | {"Origin": origin}).status_code == 200


def test_whoever_shows_no_good_credential_is_told_where_tokens_come_from(app, cast):
    for token, error in ((None, False), ("rg_key_x", True), ("rg_mcp_x", True)):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        response = cast.nobody.post("/mcp", message("tools/list"), headers=headers)
        assert response.status_code == 401
        challenge = response.headers["WWW-Authenticate"]
        assert f'resource_metadata="{app.config["SETTINGS"].public_url}/.well-known/' in challenge
        assert ('error="invalid_token"' in challenge) is error


def test_a_session_ends_with_the_person_not_with_a_client_and_notifications_get_no_answer(owner):
    response = owner.post("/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (response.status_code, response.data) == (202, b"")


def test_clients_of_the_earlier_revision_are_served_without_a_session(owner):
    begun = owner.post("/mcp", {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    })  # fmt: skip
    assert begun.json["result"]["protocolVersion"] == "2025-11-25"
    assert "subscribe" not in begun.json["result"]["capabilities"]["resources"]
    assert "Mcp-Session-Id" not in begun.headers
    for version in ("2025-11-25", None):
        found = legacy(owner, "tools/list", version).json["result"]
        assert len(found["tools"]) == 11
        assert not {"resultType", "ttlMs", "_meta"} & found.keys()
    assert legacy(owner, "ping").json["result"] == {}
    assert error_of(legacy(owner, "subscriptions/listen")) == (200, -32601)
    assert error_of(legacy(owner, "resources/read", uri="rowgate://crm/contact/x")) == (200, -32002)


def test_clients_that_ask_for_a_revision_nobody_knows_are_offered_the_latest_with_a_handshake(owner):
    begun = legacy(owner, "initialize", None, protocolVersion="2099-01-01")
    assert begun.json["result"]["protocolVersion"] == "2025-11-25"


def test_calls_are_counted_by_the_credential_and_the_answer_says_when_to_come_again(cast, owner):
    key = cast.key(owner, "read", rate_limit_enabled=True, rate_limit_max=2, rate_limit_time_window=60_000)
    for _ in range(2):
        assert ask(key, "tools/list").status_code == 200
    response = ask(key, "tools/list")
    assert response.status_code == 429
    assert int(response.headers["Retry-After"]) > 0


def test_a_batch_costs_what_its_requests_cost(cast, owner):
    key = cast.key(owner, "write", rate_limit_enabled=True, rate_limit_max=5, rate_limit_time_window=60_000)
    requests = [{"method": "GET", "path": "/api/v1/crm/contact"}] * 5
    assert ask(key, "tools/call", name="run_batch", arguments={"requests": requests}).status_code == 200
    assert ask(key, "tools/list").status_code == 429


def test_headers_that_lie_are_refused_in_earlier_revisions_too(owner):
    sent = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_models", "arguments": {}}}
    assert owner.post("/mcp", sent).status_code == 200
    for header, value in (("Mcp-Name", "get_record"), ("Mcp-Method", "tools/list")):
        assert error_of(owner.post("/mcp", sent, headers={header: value})) == (400, -32020)
