"""People with accounts, as the tests of accounts know them: by their address, a browser and a bearer token."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pyotp
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import update
from werkzeug.test import TestResponse

from app.auth.accounts import recovery, verification
from app.auth.models.identity import AuthSession, AuthUser
from app.auth.sign_in.two_factor import codes
from app.foundation.clock import now
from app.testing.cast import Actor
from app.testing.database import transaction
from app.testing.waiting import perform
from tests.auth.sign_in.visitors import CONTACTS, PASSWORD, address, sign_up, visit
from tests.mail import letters

NEW_PASSWORD = "a wise old heron"
MAILS = (recovery.SEND_RESET, verification.SEND_VERIFICATION, verification.SEND_CHANGE)
VERIFY, RESET = "verify-address", "reset-password"
CHANGE, CHANGED = "change-address", "address-changed"


@dataclass
class Person:
    """Somebody who signed up."""

    app: Flask
    email: str
    id: str
    browser: FlaskClient
    token: str

    @property
    def actor(self) -> Actor:
        """The bearer of the session."""
        return Actor(self.app, self.token)

    def post(self, path: str, **body: Any) -> TestResponse:
        """Call a route of accounts with the session."""
        here = {"REMOTE_ADDR": self.browser.environ_base["REMOTE_ADDR"]}
        return self.actor.post(f"/api/auth/{path}", body, environ_base=here)

    def asks(self, path: str, **body: Any) -> TestResponse:
        """Call such a route without the session, from a network of its own."""
        return visit(self.app).post(f"/api/auth/{path}", json=body)

    def sign_in(self, password: str = PASSWORD) -> TestResponse:
        """Sign in from elsewhere."""
        return self.asks("signin", email=self.email, password=password)

    def is_signed_in(self) -> bool:
        return self.actor.get(CONTACTS).status_code == 200

    def secret(self, kind: str, to: str = "") -> str:
        """The secret in the latest mail of a kind, once the jobs that write mails are done."""
        perform(self.app, *MAILS)
        return letters.secret(self.app, to or self.email, kind)

    def mails(self, to: str = "") -> list[str]:
        """The kinds of the mails that came, once those jobs are done."""
        perform(self.app, *MAILS)
        return letters.kinds(self.app, to or self.email)

    def is_verified(self) -> bool:
        return bool(self.row().email_verified)

    def row(self) -> AuthUser:
        with self.app.app_context(), transaction() as session:
            return session.get_one(AuthUser, self.id)

    def set(self, **values: Any) -> None:
        """Write columns of the account by hand."""
        with self.app.app_context(), transaction() as session:
            session.execute(update(AuthUser).where(AuthUser.id == self.id).values(values))

    def grow_stale(self, minutes: int = 11) -> None:
        """Let the last proof of a credential be some minutes old."""
        with self.app.app_context(), transaction() as session:
            aged = {"authenticated_at": now() - timedelta(minutes=minutes)}
            session.execute(update(AuthSession).where(AuthSession.user_id == self.id).values(aged))

    def add_factor(self) -> str:
        """Switch the second factor on; returns the secret of the authenticator."""
        secret: str = self.post("two-factor/enroll").json["secret"]
        assert self.post("two-factor/confirm", code=pyotp.TOTP(secret).now()).status_code == 200
        return secret


def sign_up_person(app: Flask, *, verified: bool = True, email: str = "") -> Person:
    """Somebody new with a password."""
    email, browser = email or address(), visit(app)
    made = sign_up(browser, email=email)
    assert made.status_code == 200, made.json
    person = Person(app, email, made.json["user"]["id"], browser, made.json["token"])
    if verified:
        person.set(email_verified=True)
    return person


def next_code(secret: str) -> str:
    """A code of an authenticator that was not used yet: of the step after this one."""
    return pyotp.TOTP(secret).at(now() + timedelta(seconds=codes.STEP))


def at_once(times: int, call: Any) -> list[TestResponse]:
    """Make the same call from many places at the same time."""
    with ThreadPoolExecutor(times) as pool:
        return [future.result() for future in [pool.submit(call) for _ in range(times)]]


__all__ = ["CHANGE", "CHANGED", "NEW_PASSWORD", "PASSWORD", "RESET", "VERIFY", "Person", "codes"]
