"""A client of somebody else, and the person who connects it: both play their parts over HTTP."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from authlib.oauth2.rfc7636 import create_s256_code_challenge
from flask import Flask
from werkzeug.test import TestResponse

from app.auth.clients import registry
from app.testing.database import transaction, unit_of_work
from tests.account.visitors import TOKEN, Visitor
from tests.auth.sign_in.visitors import SAME_ORIGIN

CALLBACK = "http://localhost:4711/callback"


def register(app: Flask, name: str = "Helper", *redirects: str) -> str:
    """Make a client known, and return its id."""
    with app.app_context(), unit_of_work() as unit:
        return registry.register(unit, name, redirects or ("http://localhost/callback",)).client_id


@dataclass
class Client:
    """A public client with PKCE. ``tokens`` are those that it got last."""

    app: Flask
    client_id: str
    redirect_uri: str = CALLBACK
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    tokens: dict[str, Any] = field(default_factory=dict)

    def address(self, **changes: Any) -> str:
        """Where it sends the browser; a change to None leaves a parameter out."""
        asked = {
            "response_type": "code", "client_id": self.client_id, "redirect_uri": self.redirect_uri, "state": "xyz",
            "scope": "read write", "code_challenge": create_s256_code_challenge(self.verifier),
            "code_challenge_method": "S256", "resource": resource_of(self.app),
        } | changes  # fmt: skip
        return f"/account/authorize?{urlencode({name: value for name, value in asked.items() if value is not None})}"

    def post(self, path: str, **given: Any) -> TestResponse:
        return self.app.test_client().post(path, data={"client_id": self.client_id, **given})

    def exchange(self, code: str, **changes: Any) -> TestResponse:
        """Ask for tokens, and keep them."""
        given = {
            "grant_type": "authorization_code", "code": code, "redirect_uri": self.redirect_uri,
            "code_verifier": self.verifier, "resource": resource_of(self.app),
        } | changes  # fmt: skip
        return self._kept(self.post("/oauth/token", **given))

    def refresh(self, token: str | None = None, **changes: Any) -> TestResponse:
        given = {"grant_type": "refresh_token", "refresh_token": token or self.tokens["refresh_token"], **changes}
        return self._kept(self.post("/oauth/token", **given))

    def call(self, tool: str, **arguments: Any) -> TestResponse:
        """Call a tool of the service."""
        return call_tool(self.app, self.tokens["access_token"], tool, **arguments)

    def _kept(self, response: TestResponse) -> TestResponse:
        if response.status_code == 200:
            self.tokens = response.json
        return response


def listed_tools(client: Client) -> list[dict[str, Any]]:
    """The tools that a client is shown."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"Authorization": f"Bearer {client.tokens['access_token']}"}
    return client.app.test_client().post("/mcp", json=message, headers=headers).json["result"]["tools"]


def resource_of(app: Flask) -> str:
    return f"{app.config['SETTINGS'].public_url}/mcp"


def call_tool(app: Flask, token: str, tool: str, **arguments: Any) -> TestResponse:
    """Call a tool in the earlier revision, which needs no headers."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    return app.test_client().post("/mcp", json=message, headers={"Authorization": f"Bearer {token}"})


def page_of(visitor: Visitor, client: Client, **changes: Any) -> str:
    """The path of the consent that a client leads somebody to."""
    response = visitor.client.get(client.address(**changes))
    assert response.status_code == 303, response.text
    return response.headers["Location"]


def decide(visitor: Visitor, path: str, act: str = "allow", **chosen: Any) -> TestResponse:
    """Send the form of a consent."""
    shown = visitor.client.get(path)
    assert shown.status_code == 200, (shown.status_code, shown.headers.get("Location"))
    token = TOKEN.search(shown.text)[1]
    organization = re.search(r'(?:name="organization"|<option) value="([^"]+)"', shown.text)[1]
    given = {"csrf": token, "may": "write", "reach": "all", "organization": organization, **chosen}
    return visitor.client.post(f"{path}/{act}", data=given, headers=SAME_ORIGIN)


def told(response: TestResponse) -> dict[str, str]:
    """What the browser brings back to the client."""
    return {name: values[0] for name, values in parse_qs(urlsplit(back(response)).query).items()}


def back(response: TestResponse) -> str:
    """Where the browser is led: by a page, or where there is none to show by the answer itself."""
    if response.status_code == 303:
        return response.headers["Location"]
    assert response.status_code == 200, response.text
    return unescape(re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', response.text)[1])


def connect(visitor: Visitor, client: Client, **chosen: Any) -> dict[str, Any]:
    """Connect a client, and return its tokens."""
    code = told(decide(visitor, page_of(visitor, client), **chosen))["code"]
    response = client.exchange(code)
    assert response.status_code == 200, response.json
    return response.json


def connected(visitor: Visitor) -> list[dict[str, Any]]:
    """The clients that somebody has connected, as their list has them."""
    return visitor.client.get("/api/auth/clients").json["data"]


def bearer(visitor: Visitor) -> dict[str, str]:
    """The session of a browser as the API takes it."""
    token = visitor.client.post("/api/auth/token", headers=SAME_ORIGIN).json["token"]
    return {"Authorization": f"Bearer {token}"}


def rows(app: Flask, statement: Any) -> list[Any]:
    """What the database has."""
    with app.app_context(), transaction() as session:
        return list(session.scalars(statement))
