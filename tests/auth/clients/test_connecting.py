"""Clients of others from the discovery to the end of their connection, and what they are refused."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from authlib.oauth2.rfc9207 import AuthorizationServerMetadata as WithIssuer
from sqlalchemy import select

from app.auth.keys import key_usage
from app.auth.models.clients import AuthClientRequest, AuthClientToken
from app.auth.models.keys import AuthApiKeyAnalytics
from tests.auth.clients.connecting import (
    CALLBACK,
    Client,
    back,
    bearer,
    connect,
    connected,
    decide,
    listed_tools,
    page_of,
    register,
    resource_of,
    rows,
    told,
)


def test_clients_find_out_how_to_connect_from_the_refusal_alone(app):
    refused = app.test_client().post("/mcp", json={})
    assert refused.status_code == 401
    challenge = refused.headers["WWW-Authenticate"]
    metadata = urlsplit(challenge.partition('resource_metadata="')[2].partition('"')[0])
    assert metadata.path == "/.well-known/oauth-protected-resource/mcp"
    resource = app.test_client().get(metadata.path).json
    assert resource["resource"] == resource_of(app)
    issuer = app.config["SETTINGS"].public_url
    assert resource["authorization_servers"] == [issuer]
    server = app.test_client().get("/.well-known/oauth-authorization-server").json
    assert server["issuer"] == issuer
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["token_endpoint_auth_methods_supported"] == ["none"]
    assert "registration_endpoint" not in server
    # Standards want HTTPS, which a service on a developer's machine does not have.
    texts = {name: value.replace("http://", "https://") for name, value in server.items() if isinstance(value, str)}
    AuthorizationServerMetadata(server | texts).validate(metadata_classes=[WithIssuer])


def test_a_client_is_connected_renewed_and_gives_its_token_back(app, visitor, client):
    decided = decide(visitor, page_of(visitor, client))
    assert back(decided).startswith(f"{CALLBACK}?")
    answer = told(decided)
    assert answer["state"] == "xyz"
    assert answer["iss"] == app.config["SETTINGS"].public_url
    got = client.exchange(answer["code"])
    assert got.headers["Cache-Control"] == "no-store"
    assert got.json["token_type"] == "Bearer"
    assert got.json["scope"] == "read write"
    assert got.json["expires_in"] == 900
    assert not client.call("list_models").json["result"]["isError"]
    (listed,) = connected(visitor)
    assert (listed["name"], listed["clientId"], listed["scopes"]) == ("Helper", client.client_id, ["read", "write"])
    first = client.tokens
    assert client.refresh().status_code == 200
    assert client.tokens["access_token"] != first["access_token"]
    assert client.call("list_models").status_code == 200
    assert client.post("/oauth/revoke", token=client.tokens["refresh_token"]).status_code == 200
    assert client.call("list_models").status_code == 401
    assert client.refresh().json["error"] == "invalid_grant"
    assert connected(visitor) == []


def test_tokens_open_nothing_but_the_endpoint_they_are_for(app, visitor, client):
    tokens = connect(visitor, client)
    for secret in (tokens["access_token"], tokens["refresh_token"]):
        for path in ("/api/v1/crm/contact", "/api/v1/_catalogue", "/api/auth/clients"):
            response = app.test_client().get(path, headers={"Authorization": f"Bearer {secret}"})
            assert response.status_code == 401, path
        assert app.test_client().get(f"/api/v1/crm/contact?api_key={secret}").status_code == 401
    in_query = app.test_client().post(f"/mcp?api_key={tokens['access_token']}", json={})
    assert in_query.status_code == 401
    client.tokens = {"access_token": tokens["refresh_token"]}
    assert client.call("list_models").status_code == 401


def test_nothing_of_a_token_is_in_the_database(app, visitor, client):
    tokens = connect(visitor, client)
    kept = rows(app, select(AuthClientToken)) + rows(app, select(AuthClientRequest))
    texts = [str(value) for row in kept for value in vars(row).values()]
    assert not any(secret in text for text in texts for secret in (tokens["access_token"], tokens["refresh_token"]))


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "admin"}, "invalid_scope"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
        ({"resource": "http://[x"}, "invalid_target"),
    ],
)
def test_what_a_client_asks_wrongly_it_is_told(app, visitor, client, changes, error):
    response = visitor.client.get(client.address(**changes))
    answer = told(response)
    assert back(response).startswith(CALLBACK)
    assert (answer["error"], answer["state"], answer["iss"]) == (error, "xyz", app.config["SETTINGS"].public_url)


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "nobody"},
        {"client_id": ""},
        {"redirect_uri": "https://evil.example/callback"},
        {"redirect_uri": "http://localhost:4711/other"},
        {"redirect_uri": "http://localhost:4711/callback?x=1"},
        {"redirect_uri": "http://localhost@evil.example/callback"},
        {"redirect_uri": 'http://localhost:4711/callback"'},
        {"redirect_uri": None},
        {"redirect_uri": "http://localhost:4711/callback#fragment"},
        {"resource": "http://[x", "client_id": "nobody"},
        {"state": "\x00"},
        {"scope": "x" * 5000},
    ],
)
def test_a_browser_is_never_sent_where_no_client_has_said_that_it_is(visitor, client, changes):
    response = visitor.client.get(client.address(**changes))
    assert response.status_code == 400
    assert "Location" not in response.headers


def test_parameters_that_come_twice_are_refused(visitor, client):
    twice = f"{client.address()}&redirect_uri=https%3A%2F%2Fevil.example%2F"
    assert visitor.client.get(twice).status_code == 400
    given = {"grant_type": ["authorization_code", "refresh_token"], "client_id": client.client_id}
    assert client.app.test_client().post("/oauth/token", data=given).json["error"] == "invalid_request"


def test_a_program_on_the_persons_machine_takes_any_port_and_no_other_host(app, visitor):
    client = Client(app, register(app, "Terminal", "http://127.0.0.1/callback"))
    client.redirect_uri = "http://127.0.0.1:51234/callback"
    connect(visitor, client)
    for other in ("http://localhost:51234/callback", "http://127.0.0.1.evil.example/callback", "http://[::1]/callback"):
        assert visitor.client.get(client.address(redirect_uri=other)).status_code == 400


@pytest.mark.parametrize(
    "changes",
    [
        {"code_verifier": "x" * 50},
        {"code_verifier": None},
        {"redirect_uri": "http://localhost:4712/callback"},
        {"client_id": "nobody"},
        {"resource": "https://elsewhere.example/mcp"},
        {"code": "rg_code_wrong"},
        {"grant_type": "password"},
    ],
)
def test_a_code_is_worth_nothing_to_whoever_does_not_know_all_that_belongs_to_it(visitor, client, changes):
    code = told(decide(visitor, page_of(visitor, client)))["code"]
    given = {name: value for name, value in ({"code": code} | changes).items() if value is not None}
    if "code_verifier" in changes and changes["code_verifier"] is None:
        given["code_verifier"] = ""
    response = client.exchange(given.pop("code"), **given)
    assert response.status_code == 400
    assert "error" in response.json
    assert connected(visitor) == []


def test_a_code_of_one_client_is_worth_nothing_to_another(app, visitor, client):
    code = told(decide(visitor, page_of(visitor, client)))["code"]
    other = Client(app, register(app, "Other"), verifier=client.verifier)
    assert other.exchange(code).json["error"] == "invalid_grant"
    assert client.exchange(code).status_code == 200


def test_a_client_reads_and_does_not_write_where_its_person_has_chosen_so(visitor, client):
    assert connect(visitor, client, may="read")["scope"] == "read"
    names = {each["name"] for each in listed_tools(client)}
    assert "query_records" in names
    assert not names & {"create_record", "update_record", "delete_record", "run_batch"}
    refused = client.call("create_record", model="crm/company", values={"name": "Harbour Works"})
    assert refused.status_code == 403
    challenge = refused.headers["WWW-Authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="write"' in challenge
    assert "resource_metadata=" in challenge


def test_a_client_asks_for_no_more_than_reading_unless_it_says_so(visitor, client):
    path = page_of(visitor, client, scope=None)
    assert 'value="write"' not in visitor.client.get(path).text
    refused = decide(visitor, path, may="write")
    assert told(refused)["code"]
    assert client.exchange(told(refused)["code"]).json["scope"] == "read"


def test_a_client_sees_the_models_that_its_person_has_marked(visitor, client):
    connect(visitor, client, reach="chosen", model=["crm/company"])
    tools = {each["name"]: each for each in listed_tools(client)}
    assert tools["query_records"]["inputSchema"]["properties"]["model"]["enum"] == ["crm/company"]
    made = client.call("create_record", model="crm/company", values={"name": "Harbour Works"}).json["result"]
    assert made["structuredContent"]["record"]["name"] == "Harbour Works"
    refused = client.call("query_records", model="crm/contact").json["result"]
    assert refused["isError"]
    assert "No grant" in refused["content"][0]["text"]


def test_what_a_client_does_is_told_with_its_name(app, visitor, client):
    connect(visitor, client)
    made = client.call("create_record", model="crm/company", values={"name": "Harbour Works"}).json["result"]
    (listed,) = connected(visitor)
    company = made["structuredContent"]["record"]["id"]
    history = visitor.client.get(f"/api/v1/crm/company/{company}/_history", headers=bearer(visitor)).json["data"]
    assert history[0]["actor"]["id"] == listed["id"]
    key = visitor.client.get(f"/api/v1/auth/api-key/{listed['id']}", headers=bearer(visitor)).json
    assert key["name"] == "Helper"
    with app.app_context():
        key_usage.flush(app)
    used = rows(app, select(AuthApiKeyAnalytics).where(AuthApiKeyAnalytics.key_id == listed["id"]))
    assert {each.route for each in used} == {"/mcp"}


def test_the_key_of_a_client_has_no_secret_to_roll(visitor, client):
    connect(visitor, client)
    (listed,) = connected(visitor)
    path = f"/api/v1/auth/api-key/{listed['id']}/rotate"
    response = visitor.client.post(path, json={}, headers=bearer(visitor))
    assert response.status_code == 409
    assert client.call("list_models").status_code == 200
