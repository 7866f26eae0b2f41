"""Invitations by mail: who is somebody new, who has an account, and who is somebody else."""

from __future__ import annotations

import pytest

from app.auth.organizations import invitations
from tests.account.letters import link_to
from tests.account.test_links import follow
from tests.account.visitors import Visitor, alerts_of, said_by, wrong_with
from tests.auth.sign_in.visitors import PASSWORD, address, session_of

PAGE, ORGANIZATIONS = "/account/invitation", "/account/organizations"


class House:
    """An organization that invites."""

    def __init__(self, app):
        self.app, self.owner = app, Visitor(app).sign_up(name="Grace Owner")
        self.path = self.owner.send(ORGANIZATIONS, name="Harbour Works").headers["Location"]

    def invite(self, email):
        """Invite an address; returns the link in its mail."""
        self.owner.send(f"{self.path}/invitations", page=self.path, email=email, role="admin")
        return link_to(self.app, email, invitations.KIND)

    def members(self):
        return self.owner.get(self.path).text


@pytest.fixture
def house(app):
    return House(app)


def test_somebody_new_makes_an_account_and_is_a_member(app, house):
    visitor = Visitor(app)
    page = follow(visitor, house.invite(visitor.email))
    assert page.status_code == 200
    for text in ("Harbour Works", "Grace Owner", "Admin", visitor.email):
        assert text in page.text
    done = visitor.send(f"{PAGE}/join", page=PAGE, name="Ada New", password=PASSWORD)
    assert (done.status_code, done.headers["Location"]) == (303, ORGANIZATIONS)
    user = session_of(visitor.client)["user"]
    assert (user["email"], user["emailVerified"]) == (visitor.email, True)
    listed = visitor.get(ORGANIZATIONS)
    assert said_by(listed) == ["You are a member now."]
    assert "Harbour Works" in listed.text
    assert "Ada New" in house.members()
    assert visitor.client.get_cookie("link", path=PAGE) is None


def test_what_is_wrong_with_a_new_account_leaves_the_invitation_good(app, house):
    visitor = Visitor(app)
    follow(visitor, house.invite(visitor.email))
    refused = visitor.send(f"{PAGE}/join", page=PAGE, name="Ada", password="password1")
    assert (refused.status_code, wrong_with(refused, "password")) == (400, "Is among the first that are guessed.")
    assert wrong_with(visitor.send(f"{PAGE}/join", page=PAGE, password=PASSWORD), "name") == "This field is required."
    assert visitor.send(f"{PAGE}/join", page=PAGE, name="Ada", password=PASSWORD).status_code == 303


def test_whoever_has_an_account_signs_in_and_comes_back(app, house, member):
    visitor = Visitor(app)
    page = follow(visitor, house.invite(member.email))
    assert f'href="/account/sign-in?next={PAGE}"' in page.text
    taken = visitor.send(f"{PAGE}/join", page=PAGE, name="Eve", password=PASSWORD)
    assert (taken.status_code, alerts_of(taken)) == (422, ["An account with this email address already exists"])
    back = visitor.sign_in(f"/account/sign-in?next={PAGE}", email=member.email)
    assert back.headers["Location"] == PAGE
    assert "/invitation/join" not in visitor.get(PAGE).text
    assert visitor.send(f"{PAGE}/accept", page=PAGE).headers["Location"] == ORGANIZATIONS
    assert "Harbour Works" in visitor.get(ORGANIZATIONS).text
    assert session_of(visitor.client)["user"]["emailVerified"]


def test_whoever_is_signed_in_as_somebody_else_makes_room(app, house, member):
    email = address()
    page = follow(member, house.invite(email))
    assert f"You are signed in as {member.email}, and the invitation is for somebody else." in page.text
    refused = member.send(f"{PAGE}/accept", page=PAGE)
    assert refused.status_code == 403
    assert alerts_of(refused) == ["The invitation is for another address: sign in with that account"]
    assert member.send(f"{PAGE}/sign-out", page=PAGE).headers["Location"] == PAGE
    assert session_of(member.client) is None
    assert member.send(f"{PAGE}/join", page=PAGE, name="Ada", password=PASSWORD).status_code == 303
    assert session_of(member.client)["user"]["email"] == email


@pytest.mark.parametrize("is_signed_in", [True, False])
def test_an_invitation_is_declined_by_whoever_has_the_mail(app, house, member, is_signed_in):
    visitor = member if is_signed_in else Visitor(app)
    link = house.invite(member.email)
    follow(visitor, link)
    done = visitor.send(f"{PAGE}/decline", page=PAGE)
    assert done.headers["Location"] == (ORGANIZATIONS if is_signed_in else "/account/sign-in")
    assert said_by(visitor.get(done.headers["Location"])) == ["The invitation is declined."]
    over = follow(Visitor(app), link)
    assert "<h1>This link does not work any more</h1>" in over.text
    assert member.email not in house.members()


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_whoever_follows_the_link_answers_nothing(app, house, member, method):
    link = house.invite(member.email)
    led = member.client.open(link, method=method)
    assert (led.status_code, led.headers["Location"]) == (303, PAGE)
    assert member.client.open(PAGE, method=method).status_code == 200
    assert member.client.open(f"{PAGE}/accept", method=method).status_code == 405
    assert member.email in house.members()
    assert member.send(f"{PAGE}/accept", page=PAGE).status_code == 303


def test_accepting_needs_a_session(app, house):
    visitor = Visitor(app)
    follow(visitor, house.invite(visitor.email))
    assert visitor.send(f"{PAGE}/accept", page=PAGE).headers["Location"] == f"/account/sign-in?next={PAGE}"
