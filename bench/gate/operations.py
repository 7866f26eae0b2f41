"""What is counted: operations with fixed inputs, each made ready outside of what is counted. Writes are of four shapes:
a plain model, one with hooks, one below a parent, and one whose changes are audited."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any
from uuid import UUID

import orjson
from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder

from app.auth.credentials import credentials, sessions
from app.auth.keys import api_keys
from app.auth.models.identity import AuthUser
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.write.unit_of_work import attempt
from app.live.broadcaster import Broadcaster
from app.notification.live import NotificationStream
from app.notification.routing import notify

CONTACTS, DEALS = "/api/v1/crm/contact", "/api/v1/crm/deal"
ADDRESS, PASSWORD = "gate@bench.example", "a password of the gate 1"
ROWS = 40
SINCE = ("2001-01-01T00:00:00Z", "2002-01-01T00:00:00Z", "2003-01-01T00:00:00Z")
GRANTS = [{"models": ["crm/contact"], "where": {"createdAt": {"gt": since}}} for since in SINCE]

Work = Callable[[], bytes]


class UnexpectedAnswer(Exception):
    """An operation that was answered otherwise than it has to be measured nothing."""


@dataclass(frozen=True)
class Caller:
    """Somebody with a session, its cookie, a key and one that grants narrow."""

    principal: Principal
    token: str
    cookie: str
    key: str
    narrow_key: str


def operations(app: Flask) -> dict[str, Callable[[], Work]]:
    """By name, what makes one run of an operation ready; what it gives is called once, and returns the answer."""
    caller = _caller(app)
    client = Client(app, caller.token)
    company = client.made("/api/v1/crm/company", {"name": "Gate"})
    serial = count(100)

    def contact() -> dict[str, str]:
        number = next(serial)
        return {
            "firstName": "Gate", "lastName": f"Contact {number}", "email": f"gate{number}@bench.example",
            "phone": "+1 555 0100", "title": "Engineer" if number % 2 else "Director", "companyId": company,
        }  # fmt: skip

    def named(**more: str) -> dict[str, str]:
        return {"name": f"Gate {next(serial)}", **more}

    project = client.made("/api/v1/ai-research/project", {"title": "Gate", "objective": "Count"})
    source = client.made("/api/v1/ai-research/source", {"projectId": project, "title": "Gate"})
    team = client.made("/api/v1/auth/team", named())
    contacts = [client.made(CONTACTS, contact()) for _ in range(ROWS)]
    item = f"{CONTACTS}/{contacts[0]}"
    listener = Listener.opened(app, caller)
    return {
        "item": lambda: client.ready("GET", item),
        "list": lambda: client.ready("GET", CONTACTS),
        "filtered list": lambda: client.ready("GET", f"{CONTACTS}?title=Engineer"),
        "create": lambda: client.ready("POST", CONTACTS, contact(), 201),
        "update": lambda: client.ready("PUT", item, {"title": f"Engineer {next(serial)}"}),
        "delete": lambda: client.ready("DELETE", f"{CONTACTS}/{client.made(CONTACTS, contact())}"),
        "hooked create": lambda: client.ready("POST", DEALS, named(companyId=company), 201),
        "hooked update": lambda: client.ready(
            "PATCH", f"{DEALS}/{client.made(DEALS, named(companyId=company))}", {"stage": "qualified"}
        ),
        "create below a parent": lambda: client.ready(
            "POST", "/api/v1/ai-research/source", {"projectId": project, "title": "Gate"}, 201
        ),
        "update below a parent": lambda: client.ready(
            "PATCH", f"/api/v1/ai-research/source/{source}", {"title": f"Gate {next(serial)}"}
        ),
        "audited create": lambda: client.ready("POST", "/api/v1/auth/team", named(), 201),
        "audited update": lambda: client.ready("PATCH", f"/api/v1/auth/team/{team}", named()),
        "key check": lambda: Client(app, caller.key).ready("GET", item),
        "narrowed item": lambda: Client(app, caller.narrow_key).ready("GET", item),
        "narrowed list": lambda: Client(app, caller.narrow_key).ready("GET", CONTACTS),
        "sign-in check": lambda: Client(app, cookie=caller.cookie).ready("GET", "/api/auth/session"),
        "notification": lambda: listener.heard,
    }


@dataclass(frozen=True)
class Client:
    """Sends requests to the application as a server would, without one."""

    app: Flask
    token: str = ""
    cookie: str = ""

    def ready(self, method: str, path: str, body: Any = None, status: int = 200) -> Work:
        """A request that only has to be sent; its answer has to have this status."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= {"Cookie": f"session={self.cookie}."} if self.cookie else {}
        environ = EnvironBuilder(path, method=method, headers=Headers(headers), json=body).get_environ()
        return lambda: self._sent(environ, f"{status} ")

    def made(self, path: str, body: dict[str, str]) -> str:
        """The id of a record made of ``body``."""
        identifier: str = orjson.loads(self.ready("POST", path, body, 201)())["id"]
        return identifier

    def _sent(self, environ: dict[str, Any], status: str) -> bytes:
        told: list[str] = []
        answered: Any = self.app(environ, lambda line, *_: told.append(line))  # type: ignore[arg-type]
        try:
            body = b"".join(answered)
        finally:
            answered.close()
        if not told[0].startswith(status):
            raise UnexpectedAnswer(f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}: {told[0]} {body[:300]!r}")
        return body


def account_of(app: Flask) -> str:
    """The token of a new session of the account that ``operations`` has made."""
    with app.app_context(), attempt(SYSTEM) as unit:
        user = unit.session.query(AuthUser).filter_by(email=ADDRESS).one()
        return sessions.open_session(unit, user).token


def _caller(app: Flask) -> Caller:
    account = {"email": ADDRESS, "password": PASSWORD, "name": "Gate"}
    made = orjson.loads(Client(app).ready("POST", "/api/auth/signup", account)())
    with app.app_context(), attempt(SYSTEM) as unit:
        user = unit.session.get_one(AuthUser, UUID(made["user"]["id"]))
        opened = sessions.open_session(unit, user)
        _, key = api_keys.issue(unit, user, scopes=("read",))
        _, narrow = api_keys.issue(unit, user, scopes=("read",), access=GRANTS)
        session_id, token, cookie = opened.session.id, opened.token, opened.cookie
    with app.test_request_context():
        return Caller(credentials.session_principal_by_id(session_id), token, cookie, key, narrow)


@dataclass(frozen=True)
class Listener:
    """An open stream of notifications, of a broadcaster that looks when it is told to and not by itself."""

    app: Flask
    caller: Caller
    broadcaster: Broadcaster[NotificationStream]
    feed: Iterator[bytes]

    @classmethod
    def opened(cls, app: Flask, caller: Caller) -> Listener:
        broadcaster: Broadcaster[NotificationStream] = app.extensions["live_notifications"]
        broadcaster._started = True
        with app.test_request_context():
            feed = iter(broadcaster.open(NotificationStream(caller.principal, None)))
        next(feed)
        return cls(app, caller, broadcaster, feed)

    def heard(self) -> bytes:
        """Notify the caller, and take what the stream then sends."""
        assert self.caller.principal.user_id is not None
        with self.app.app_context(), attempt(SYSTEM) as unit:
            notify(unit, self.caller.principal.user_id, "MESSAGE", "Gate")
        self.broadcaster.wake({self.caller.principal.user_id})
        self.broadcaster.poll()
        return next(self.feed)
