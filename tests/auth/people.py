"""People who set up second factors and passkeys: each has a browser, a password and a session."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pyotp
from flask import Flask
from sqlalchemy import select, update
from werkzeug.test import TestResponse

from app.auth.models.identity import AuthSession, AuthTwoFactor, AuthUser
from app.auth.sign_in.two_factor import codes
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.mail.models import PlatformMail
from app.platform.models import PlatformAuditLog
from app.testing.database import transaction
from app.testing.waiting import work
from tests.auth.sign_in.visitors import PASSWORD, SAME_ORIGIN, sign_up, visit

TWO_FACTOR = "/api/auth/two-factor"
CHALLENGE = f"{TWO_FACTOR}/challenge"
SECRET_OF_LINK = re.compile(r"token=(\w+)")


class Clock:
    """The clock of the codes: it stands still, in the middle of a step, unless it is put forward."""

    def __init__(self) -> None:
        self.time = 1_800_000_015.0

    def forward(self, steps: int = 1) -> None:
        self.time += steps * codes.STEP

    def stop(self, monkeypatch: Any) -> None:
        monkeypatch.setattr(codes, "time", SimpleNamespace(time=lambda: self.time))


@dataclass
class Person:
    """Somebody who has signed up, with a verified address."""

    app: Flask
    clock: Clock
    client: Any
    email: str
    token: str
    id: str
    secret: str = ""
    recovery: list[str] = field(default_factory=list)

    def send(self, method: str, path: str, body: Any = None, **options: Any) -> TestResponse:
        """Call a route from the browser, with the bearer token of the session."""
        headers = SAME_ORIGIN | {"Authorization": f"Bearer {self.token}"}
        answer: TestResponse = self.client.open(path, method=method, json=body, headers=headers, **options)
        return answer

    def get(self, path: str) -> TestResponse:
        return self.send("GET", path)

    def post(self, path: str, body: Any = None) -> TestResponse:
        return self.send("POST", path, {} if body is None else body)

    def code(self, step: int = 0) -> str:
        """What the authenticator shows now, or shows ``step`` steps later."""
        return pyotp.TOTP(self.secret).at(int(self.clock.time) + step * codes.STEP)

    def wrong_code(self) -> str:
        """A code that no step around this one has."""
        near = {self.code(step) for step in (-1, 0, 1)}
        return next(code for code in ("000001", "000002", "000003", "000004") if code not in near)

    def switch_on(self) -> None:
        """Set the second factor up; the code of this step is used up then."""
        enrolled = self.post(f"{TWO_FACTOR}/enroll")
        assert enrolled.status_code == 200, enrolled.json
        self.secret = enrolled.json["secret"]
        confirmed = self.post(f"{TWO_FACTOR}/confirm", {"code": self.code()})
        assert confirmed.status_code == 200, confirmed.json
        self.recovery = confirmed.json["recoveryCodes"]
        self.clock.forward()

    def sign_in(self, client: Any = None, password: str = PASSWORD) -> TestResponse:
        """Give the password, in the own browser unless it is another one."""
        body = {"email": self.email, "password": password}
        answer: TestResponse = (client or self.client).post("/api/auth/signin", json=body, headers=SAME_ORIGIN)
        return answer

    def challenge(self, client: Any = None) -> str:
        """The question for the second factor."""
        asked: str = self.sign_in(client).json["challenge"]
        return asked

    def answer(self, challenge: str, client: Any = None, **given: Any) -> TestResponse:
        """Answer it, with the code of now unless something else is given."""
        body = {"challenge": challenge} | (given or {"code": self.code()})
        answered: TestResponse = (client or self.client).post(CHALLENGE, json=body, headers=SAME_ORIGIN)
        return answered

    def trust(self) -> None:
        """Give the second factor in the own browser so that it is not asked for there again."""
        answered = self.answer(self.challenge(), code=self.code(), trustDevice=True)
        assert answered.status_code == 200, answered.json
        self.token = answered.json["token"]
        self.clock.forward()

    def wait(self, minutes: int = 11) -> None:
        """Let the last proof of each session be that old."""
        self.change(AuthSession, authenticated_at=now() - timedelta(minutes=minutes))

    def change(self, model: Any, **values: Any) -> None:
        """Change the rows that belong to the person in the database."""
        own = (AuthUser.id if model is AuthUser else model.user_id) == self.id
        with self.app.app_context(), transaction() as session:
            session.execute(update(model).where(own).values(**values))

    def factor(self) -> AuthTwoFactor | None:
        """The factor as it is stored."""
        with self.app.app_context(), transaction() as session:
            return session.scalar(select(AuthTwoFactor).where(AuthTwoFactor.user_id == self.id))

    def mails(self, kind: str) -> list[str]:
        """The texts of the mails of one kind, in the order in which they were written."""
        own = (PlatformMail.to == self.email, PlatformMail.kind == kind)
        with self.app.app_context(), transaction() as session:
            found = session.scalars(select(PlatformMail.text).where(*own).order_by(PlatformMail.created_at))
            return [vault().decrypt(text or "") for text in found]

    def noted(self, action: str) -> list[PlatformAuditLog]:
        """What the audit log has of one kind of act by the person."""
        own = (PlatformAuditLog.actor_id == self.id, PlatformAuditLog.action == action)
        with self.app.app_context(), transaction() as session:
            return list(session.scalars(select(PlatformAuditLog).where(*own)))

    def reset_password(self, password: str = "another fine password") -> None:
        """Choose a new password by the link of a mail."""
        self.client.post("/api/auth/forgot-password", json={"email": self.email})
        work(self.app)
        found = SECRET_OF_LINK.search(self.mails("reset-password")[-1])
        assert found is not None
        answered = self.client.post("/api/auth/reset-password", json={"token": found[1], "password": password})
        assert answered.status_code == 200, answered.json


def join(app: Flask, clock: Clock) -> Person:
    """Somebody new."""
    client = visit(app)
    made = sign_up(client).json
    person = Person(app, clock, client, made["user"]["email"], made["token"], made["user"]["id"])
    person.change(AuthUser, email_verified=True)
    return person
