"""Mail that waits for its server and is out of place by the time it could be sent: it is not."""

from __future__ import annotations

import pytest

from app.auth.models.identity import AuthUser
from app.mail.delivery import UNWANTED
from app.notification.routing import notify
from app.testing.cast import Cast
from app.testing.database import transaction, unit_of_work
from app.testing.waiting import work
from tests import gone
from tests.auth.sign_in.visitors import address
from tests.mail.letters import rows
from tests.notification.test_preferences import prefer

INVITATIONS = "/api/v1/auth/invitation"


@pytest.fixture
def people(mailing):
    return Cast(mailing)


@pytest.fixture
def boss(people):
    return people.user()


@pytest.fixture
def member(people, boss):
    """A colleague who wants notifications by mail."""
    made = people.colleague(boss)
    prefer(made, channels={"email": True})
    return made


def email_of(app, actor):
    with app.app_context(), transaction() as session:
        return session.get_one(AuthUser, actor.user_id).email


def tell(app, boss, member):
    with app.app_context(), unit_of_work() as unit:
        notify(unit, member.user_id, "MESSAGE", "Ada wrote", "of cranes", organization_id=boss.organization_id)


def outcomes(app, email, kind):
    return [(row["status"], row["error_message"]) for row in rows(app, email, kind)]


def test_a_notification_is_mailed_to_a_member(mailing, server, boss, member):
    tell(mailing, boss, member)
    work(mailing)
    assert len(server.to(email_of(mailing, member))) == 1


@pytest.mark.parametrize("way", [gone.banned, gone.removed, gone.deleted])
def test_a_notification_that_waits_is_not_mailed_to_somebody_who_has_gone(mailing, server, people, boss, member, way):
    email = email_of(mailing, member)
    tell(mailing, boss, member)
    way(people, boss, member)
    work(mailing)
    assert server.to(email) == []
    assert outcomes(mailing, email, "notification") == [("failed", UNWANTED)]


@pytest.mark.parametrize("way", [gone.banned, gone.removed])
def test_for_somebody_who_has_gone_no_mail_is_written(mailing, people, boss, member, way):
    way(people, boss, member)
    tell(mailing, boss, member)
    assert outcomes(mailing, email_of(mailing, member), "notification") == []


@pytest.mark.parametrize("end", ["taken back", "inviter banned"])
def test_an_invitation_that_is_over_before_its_mail_is_sent_is_not_sent(mailing, server, people, boss, end):
    guest, inviter = address(), people.colleague(boss, role="admin")
    body = {"email": guest, "organizationId": str(boss.organization_id)}
    made = inviter.post(INVITATIONS, body)
    assert made.status_code == 201
    if end == "taken back":
        assert inviter.patch(f"{INVITATIONS}/{made.json['id']}", {"status": "canceled"}).status_code == 200
    else:
        gone.banned(people, boss, inviter)
    work(mailing)
    assert server.to(guest) == []
    assert outcomes(mailing, guest, "invitation") == [("failed", UNWANTED)]
