"""A browser's way through a sign-in elsewhere: start, the provider's pages, and back."""

from __future__ import annotations

from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests

from app.auth.credentials import challenge_cookie
from app.auth.models.identity import AuthUser
from app.testing.database import transaction
from tests.auth.sign_in.visitors import visit

numbers = count(1)
PUBLIC = "http://localhost:3001"
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}
BACK = {"callbackURL": "/welcome?tab=1", "errorCallbackURL": "/sign-in?again=1"}


def start(client, provider: str, **body: Any):
    return client.post(f"/api/auth/oauth/{provider}", json=BACK | body, headers=SAME_ORIGIN)


def agree(url: str) -> str:
    """Follow the provider's pages until they lead back, and return the path and query of the callback."""
    with requests.Session() as browser:
        while not url.startswith(PUBLIC):
            response = browser.get(url, allow_redirects=False, timeout=10)
            assert response.is_redirect, response.text
            url = requests.compat.urljoin(url, response.headers["Location"])
    return url.removeprefix(PUBLIC)


def travel(client, provider: str, **body: Any):
    """The whole way; returns the answer of the callback."""
    started = start(client, provider, **body)
    assert started.status_code == 200, started.json
    return client.get(agree(started.json["url"]))


def error_of(response) -> str | None:
    """What the browser was sent back with, or None when it worked."""
    assert response.status_code == 302
    parts = urlsplit(response.headers["Location"])
    assert not parts.netloc
    return parse_qs(parts.query).get("error", [None])[0]


def user_of(client) -> dict[str, Any] | None:
    session = client.get("/api/auth/session").json
    return session and session["user"]


def carried(browser) -> tuple[str, str, bool] | None:
    """What the browser brings to the pages of the account: the challenge, where it goes then, and for how long."""
    cookie = browser.get_cookie("challenge", path="/account")
    with browser.application.test_request_context("/account", headers={"Cookie": f"challenge={cookie.value}"}):
        return challenge_cookie.take()


def verify(app, made) -> None:
    """Let the address of somebody who signed up be verified."""
    with app.app_context(), transaction() as session:
        session.get_one(AuthUser, made.json["user"]["id"]).email_verified = True


__all__ = ["BACK", "PUBLIC", "agree", "carried", "error_of", "start", "travel", "user_of", "verify", "visit"]
