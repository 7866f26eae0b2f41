"""A mail server, and applications that send over it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text

from app.factory import create_app
from app.mail import delivery
from app.testing.database import transaction
from app.testing.parts import close_application
from tests.mail.server import MailServer

BASE_URL = "https://rowgate.example"


@pytest.fixture(scope="module")
def _server():
    made = MailServer()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def _mailing(app, settings, _server):
    made = create_app(replace(settings, mail_url=_server.url, mail_timeout=2.0, base_url=BASE_URL))
    yield made
    close_application(made)


@pytest.fixture
def server(_server):
    """A server without mail, at its best."""
    _server.forget()
    return _server


@pytest.fixture
def _nothing_waits(app):
    """No message and no job waits at the beginning."""
    with app.app_context(), transaction() as session:
        for table in ("procrastinate_periodic_defers", "procrastinate_jobs", "platform_mail"):
            session.execute(text(f"DELETE FROM {table}"))


@pytest.fixture
def mailing(_nothing_waits, server, _mailing):
    """An application with that server."""
    return _mailing


@pytest.fixture
def later(monkeypatch):
    """Lets time pass for the delivery of mail."""
    clock = delivery.now

    def pass_by(span):
        monkeypatch.setattr(delivery, "now", lambda: clock() + span)

    return pass_by
