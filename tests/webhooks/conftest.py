"""Endpoints on loopback, whose deliveries are sent when a test says so."""

from __future__ import annotations

import pytest
from sqlalchemy import select, text
from standardwebhooks import Webhook

from app.auth.models.identity import AuthUser
from app.mail.models import PlatformMail
from app.testing.database import transaction
from app.webhooks import deliveries, service

HOOKS = "/api/v1/_webhooks"
PATH, COMPANY = "/hook", "/api/v1/crm/company"


def company(actor, name):
    return actor.post(COMPANY, {"name": name}).json["id"]


class Receiver:
    """An endpoint of somebody, at a path of the loopback server, which answers 204 unless a test says otherwise."""

    def __init__(self, app, loopback, actor, path=PATH, **given):
        self.app, self.loopback, self.actor, self.path = app, loopback, actor, path
        loopback.answer(path, status=204)
        asked = {"url": loopback.url + path, "eventTypes": ["crm.company.*"]} | given
        answer = actor.post(HOOKS, asked)
        assert answer.status_code == 201, answer.json
        self.made = answer.json
        self.id, self.secret = self.made["id"], self.made["secret"]

    def requests(self):
        """What has arrived since this was asked last."""
        found = [each for each in self.loopback.requests if each.path == self.path]
        self.loopback.requests[:] = [each for each in self.loopback.requests if each.path != self.path]
        return found

    def heard(self):
        """The events that have arrived, verified, as pairs of a type and the name of the record."""
        verified = (Webhook(self.secret).verify(each.body, each.headers) for each in self.requests())
        return [(event["type"], (event["data"].get("record") or {}).get("name")) for event in verified]

    def now(self):
        return self.actor.get(f"{HOOKS}/{self.id}").json

    def deliveries(self, query=""):
        return self.actor.get(f"{HOOKS}/{self.id}/_deliveries{query}").json["data"]

    def post(self, path, body=None):
        return self.actor.post(f"{HOOKS}/{self.id}/{path}", body)


@pytest.fixture
def deliver(app):
    """Sends all that is due."""
    yield lambda: service.deliver_due(app)
    with app.app_context(), transaction() as session:
        session.execute(text("DELETE FROM integration_webhook_endpoint"))


@pytest.fixture
def receive(app, loopback, deliver):
    """Makes endpoints."""
    return lambda actor, path=PATH, **given: Receiver(app, loopback, actor, path, **given)


@pytest.fixture
def exact_waits(monkeypatch):
    """Waits without jitter."""
    monkeypatch.setattr(deliveries, "JITTER", 0.0)
    return deliveries.WAITS


@pytest.fixture
def mails(app):
    """The kinds of mails that somebody was sent, in order."""

    def sent(actor):
        with app.app_context(), transaction() as session:
            kinds = select(PlatformMail.kind).join(AuthUser, AuthUser.email == PlatformMail.to)
            return list(session.scalars(kinds.where(AuthUser.id == actor.user_id).order_by(PlatformMail.created_at)))

    return sent
