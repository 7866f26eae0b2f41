"""Notifications by mail: when they are sent, what ends them, and what their delivery says."""

from __future__ import annotations

import re
from urllib.parse import unquote
from uuid import UUID

import pytest
from sqlalchemy import select, update

from app.auth.models.identity import AuthUser
from app.foundation.crypto import vault
from app.foundation.errors import NotFound
from app.mail.delivery import mail_concluded
from app.mail.models import PlatformMail
from app.notification import mails
from app.testing.database import transaction, unit_of_work
from tests.notification.test_preferences import PREFERENCES, prefer, told


def mail_about(app, notification):
    with app.app_context(), transaction() as session:
        return session.scalar(select(PlatformMail).where(PlatformMail.cause == notification["id"]))


def test_a_notification_is_mailed_to_whoever_wants_that(app, owner):
    assert mail_about(app, told(app, owner)) is None
    prefer(owner, channels={"email": True})
    mail = mail_about(app, told(app, owner, link="/chats/7"))
    with app.app_context():
        text = vault().decrypt(mail.text)
    assert (mail.kind, mail.subject) == ("notification", "Ada wrote")
    assert "see canvas 7" in text
    assert "http://localhost:3001/chats/7" in text


@pytest.mark.parametrize("link", ["//evil.example", "https://evil.example", "/\\evil.example", 7])
def test_a_mail_links_to_pages_of_the_service_alone(app, owner, link):
    prefer(owner, channels={"email": True})
    with app.app_context():
        assert "evil" not in vault().decrypt(mail_about(app, told(app, owner, link=link)).text)


def test_quiet_hours_are_kept(app, owner):
    quiet = {"enabled": True, "start": "00:00", "end": "23:59", "timeZone": "UTC"}
    prefer(owner, channels={"email": True}, quietHours=quiet)
    assert mail_about(app, told(app, owner)) is None


def test_an_address_that_is_not_verified_gets_no_notification(app, owner):
    prefer(owner, channels={"email": True})
    with app.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.id == owner.user_id).values(email_verified=False))
    assert mail_about(app, told(app, owner)) is None


def test_the_link_in_the_mail_ends_notifications_by_mail_and_nothing_else(app, owner):
    prefer(owner, channels={"email": True})
    mail = mail_about(app, told(app, owner))
    with app.app_context():
        address = vault().decrypt(mail.unsubscribe_url)
        token = re.fullmatch(r"http://localhost:3001/account/unsubscribe\?token=(.+)", address)[1]
        mails.unsubscribe(unquote(token))
    assert owner.get(PREFERENCES).json["channels"] == {"stream": True, "teams": True, "email": False}


@pytest.mark.parametrize("token", ["", "x", "x" * 10_000])
def test_a_link_that_is_none_of_ours_ends_nothing(app, token):
    with app.app_context(), pytest.raises(NotFound):
        mails.unsubscribe(token)


def test_what_was_sealed_for_something_else_ends_nothing(app, owner):
    with app.app_context(), pytest.raises(NotFound):
        mails.unsubscribe(vault().encrypt(str(owner.user_id)))


@pytest.mark.parametrize(("sent", "status"), [(True, "delivered"), (False, "failed")])
def test_a_notification_says_what_its_mail_came_to(app, owner, sent, status):
    prefer(owner, channels={"email": True})
    notification = told(app, owner)
    with app.app_context(), unit_of_work() as unit:
        mail_concluded.emit(unit, "notification", notification["id"], sent)
    shown = owner.get(f"/api/v1/notification/notification/{UUID(notification['id'])}").json
    assert shown["deliveryStatus"] == status


def test_an_invited_person_with_an_account_is_notified(app, cast, owner):
    guest = cast.user()
    with app.app_context(), transaction() as session:
        email = session.get_one(AuthUser, guest.user_id).email
    owner.post("/api/v1/auth/invitation", {"email": email})
    titles = [each["title"] for each in guest.get("/api/v1/notification/notification").json["data"]]
    assert len(titles) == 1
    assert titles[0].startswith("You are invited to join")
