"""Who acts in the tests: users, their sessions and keys, and what they say over HTTP."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import count
from typing import Any
from uuid import UUID

from flask import Flask
from werkzeug.test import TestResponse

from app.auth.credentials import credentials, sessions
from app.auth.credentials.reauthentication import FRESH
from app.auth.keys import api_keys
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember
from app.auth.organizations import organizations
from app.engine.declare.principal import Principal
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.testing.database import transaction, unit_of_work

numbers = count(1)


@dataclass(frozen=True)
class Actor:
    """Somebody with a credential, or nobody without one."""

    app: Flask
    token: str | None = None
    user_id: UUID | None = None
    organization_id: UUID | None = None

    @property
    def principal(self) -> Principal:
        """What the service makes of the session token."""
        with self.app.app_context():
            return credentials.session_principal(vault().digest(self.token or ""))

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.send("GET", path, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> TestResponse:
        return self.send("POST", path, json={} if body is None else body, **options)

    def put(self, path: str, body: Any = None, **options: Any) -> TestResponse:
        return self.send("PUT", path, json={} if body is None else body, **options)

    def patch(self, path: str, body: Any = None, **options: Any) -> TestResponse:
        return self.send("PATCH", path, json={} if body is None else body, **options)

    def delete(self, path: str, **options: Any) -> TestResponse:
        return self.send("DELETE", path, **options)

    def send(self, method: str, path: str, headers: dict[str, str] | None = None, **options: Any) -> TestResponse:
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return self.app.test_client().open(path, method=method, headers=sent | (headers or {}), **options)


class Cast:
    """Makes actors; every call makes new people, so tests do not meet each other."""

    def __init__(self, app: Flask) -> None:
        self.app = app

    @cached_property
    def nobody(self) -> Actor:
        return Actor(self.app)

    @property
    def admin(self) -> Actor:
        """A platform admin, whose sign-in counts as recent, however long the tests run."""
        actor, signed_in_at = self._admin
        if now() - signed_in_at < FRESH / 2:
            return actor
        with self.app.app_context(), unit_of_work() as unit:
            opened = sessions.open_session(unit, unit.session.get_one(AuthUser, actor.user_id))
            self._admin = replace(actor, token=opened.token), now()
        return self._admin[0]

    @cached_property
    def _admin(self) -> tuple[Actor, datetime]:
        return self.user(role="admin"), now()

    @cached_property
    def anonymous(self) -> Actor:
        """The holder of an anonymous key."""
        with self.app.app_context(), unit_of_work() as unit:
            key, secret = api_keys.issue_anonymous(unit)
            key.rate_limit_enabled = False
        return Actor(self.app, secret)

    def user(self, role: str = "user", **values: Any) -> Actor:
        """A new user with a personal organization, signed in."""
        number = next(numbers)
        with self.app.app_context(), unit_of_work() as unit:
            user = AuthUser(email=f"user{number}@cast.example", name=f"User {number}", role=role, **values)
            user.email_verified = True
            home = organizations.provision_user(unit, user)
            return Actor(self.app, sessions.open_session(unit, user).token, user.id, home.id)

    def colleague(self, of: Actor, role: str = "member", **values: Any) -> Actor:
        """A new user who is also a member of the organization of somebody else; ``access`` narrows the member."""
        actor = self.user()
        with self.app.app_context(), transaction() as session:
            session.add(AuthMember(organization_id=of.organization_id, user_id=actor.user_id, role=role, **values))
        return actor

    def key(self, of: Actor, *scopes: str, **values: Any) -> Actor:
        """A key of somebody, without the limit on validations unless a test says otherwise."""
        with self.app.app_context(), unit_of_work() as unit:
            key, secret = api_keys.issue(unit, unit.session.get_one(AuthUser, of.user_id), scopes=list(scopes))
            for name, value in ({"rate_limit_enabled": False} | values).items():
                setattr(key, name, value)
            return Actor(self.app, secret, of.user_id, of.organization_id)
