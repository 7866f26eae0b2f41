"""What stands at the top of the pages until something is done about it, and the end of notifications by mail."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from urllib.parse import unquote

import pytest
from sqlalchemy import select, update

from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthOrganization
from app.notification import mails
from app.notification.models import NotificationPreference
from app.testing.database import transaction
from tests.account.factors import add_passkey
from tests.account.visitors import Visitor, alerts_of
from tests.auth.sign_in.visitors import session_of

NOTICE = re.compile(r'<p class="notice asking">([^<]*) <a href="([^"]*)">([^<]*)</a>')
UNSUBSCRIBE = "/account/unsubscribe"


def notices(visitor, path="/account/sessions"):
    return [tuple(map(unescape, found)) for found in NOTICE.findall(visitor.get(path).text)]


def change(visitor, **values):
    with visitor.app.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.email == visitor.email).values(**values))


def test_somebody_whose_account_is_well_is_told_nothing(member):
    assert notices(member) == []


def test_an_account_that_is_to_be_deleted_says_when(app, member):
    change(member, delete_after=datetime(2031, 5, 4, 12, tzinfo=UTC))
    text = "Your account will be deleted on May 4, 2031."
    assert notices(member) == [(text, "/account/delete", "Keep it")]
    assert notices(member, "/account/sessions?lang=de")[0][0] == "Ihr Konto wird am 4. Mai 2031 gelöscht."
    # A form that failed says that alone.
    refused = member.send("/account", name=" ")
    assert alerts_of(refused)
    assert NOTICE.findall(refused.text) == []


def test_organizations_that_wait_for_a_second_factor_are_named(app, member):
    path = member.send("/account/organizations", name="Harbour <Works>").headers["Location"]
    with app.app_context(), transaction() as session:
        own = AuthOrganization.id == path.rpartition("/")[2]
        session.execute(update(AuthOrganization).where(own).values(require_two_factor=True))
    told = ("Not reachable without a second factor: Harbour <Works>.", "/account/security", "Set up a second factor")
    assert notices(member) == [told]
    add_passkey(app, member)
    assert notices(member) == []


@pytest.mark.parametrize("production", [True, False])
def test_admins_of_a_service_in_use_are_asked_for_a_second_factor(build, production):
    kind = {"environment": "production", "secret_key": "k" * 40, "base_url": "http://localhost"} if production else {}
    application = build(**kind)
    member = Visitor(application).sign_up()
    assert notices(member) == []
    change(member, role="admin")
    assert [link for _, link, _ in notices(member)] == ["/account/security"] * production
    add_passkey(application, member)
    assert notices(member) == []


@pytest.fixture
def mailed(app, member):
    """Somebody who has notifications by mail, and the link that ends them."""
    user_id = session_of(member.client)["user"]["id"]
    form = {"enabled": "y", "channels": ["stream", "email"], "start": "22:00", "end": "07:00", "timeZone": "UTC"}
    member.send("/account/notifications", **form, meetingLeadMinutes="10")
    with app.app_context():
        token = mails.token_of(user_id)
    assert wants_mail(app, user_id)
    return user_id, f"{UNSUBSCRIBE}?token={token}"


def wants_mail(app, user_id):
    with app.app_context(), transaction() as session:
        own = select(NotificationPreference.channels).where(NotificationPreference.user_id == user_id)
        return session.scalar(own)["email"]


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_looking_at_the_link_ends_nothing(app, mailed, method):
    user_id, link = mailed
    assert Visitor(app).client.open(link, method=method).status_code == 200
    assert wants_mail(app, user_id)


def test_programs_for_mail_end_notifications_by_one_click(app, mailed):
    user_id, link = mailed
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://mail.example"}
    done = app.test_client().post(link, data={"List-Unsubscribe": "One-Click"}, headers=headers)
    assert done.status_code == 200
    assert "You get no more notifications by e-mail." in done.text
    assert not wants_mail(app, user_id)


def test_a_person_ends_them_by_the_button_of_the_page_signed_in_or_not(app, mailed, member):
    user_id, link = mailed
    form = re.search(r'<form method="post" action="([^"]*unsubscribe[^"]*)"', member.get(link).text)[1]
    assert unquote(unescape(form)) == link
    assert member.client.post(unescape(form), headers=member.headers).status_code == 200
    assert not wants_mail(app, user_id)


@pytest.mark.parametrize("token", ["", "?token=x", "?token=" + "x" * 3000])
def test_a_link_that_is_none_is_not_there(visitor, token):
    assert visitor.get(UNSUBSCRIBE + token).status_code == 404
    assert visitor.client.post(UNSUBSCRIBE + token).status_code == 404
