"""Organizations on the pages: their members, roles and invitations, from each side."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select, update

from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember
from app.testing.database import transaction
from tests.account.visitors import Visitor, alerts_of, said_by, wrong_with

ALL = "/account/organizations"
# What asks first whether somebody is to go: where it leads, and its text.
LEAVING = re.compile(r'action="(/account/[^"]*/remove)">\s*<input[^>]*>\s*<button class="danger">(\w+)<')
ONE = re.compile(r'href="(/account/organizations/[0-9a-f-]{36})"')


def action(response, ending):
    """Where the forms of a page lead that end so."""
    return list(dict.fromkeys(re.findall(rf'action="(/account/[^"]*/{ending})"', response.text)))


def verified(app):
    visitor = Visitor(app).sign_up(name="Grace Example")
    with app.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.email == visitor.email).values(email_verified=True))
    return visitor


@pytest.fixture
def place(member):
    """An organization that the member has made."""
    return member.send(ALL, name="Harbour & Sons").headers["Location"]


def join(place, owner, visitor, role="member"):
    owner.send(f"{place}/invitations", page=place, email=visitor.email, role=role)
    (accepting,) = action(visitor.get(ALL), "accept")
    assert visitor.send(accepting, page=ALL).status_code == 303
    return visitor


def role_of(app, visitor, place):
    found = select(AuthMember.role).join(AuthUser, AuthUser.id == AuthMember.user_id)
    here = AuthMember.organization_id == place.rpartition("/")[2]
    with app.app_context(), transaction() as session:
        return session.scalar(found.where(here, AuthUser.email == visitor.email))


def test_an_organization_is_made_and_its_maker_owns_it(app, member, place):
    assert said_by(member.get(place)) == ["The organization is there."]
    page = member.get(place)
    assert '<h1 class="long">Harbour &amp; Sons</h1>' in page.text
    assert role_of(app, member, place) == "owner"
    listed = member.get(ALL).text
    assert len(ONE.findall(listed)) == 2
    assert listed.count('<span class="mark">Personal</span>') == 1


def test_an_organization_needs_a_name(member):
    response = member.send(ALL, name=" ")
    assert (response.status_code, wrong_with(response, "name")) == (400, "This field is required.")


def test_an_invitation_is_seen_by_name_and_accepted(app, member, place):
    guest = verified(app)
    assert "You are invited" not in guest.get(ALL).text
    response = member.send(f"{place}/invitations", page=place, email=guest.email, role="admin")
    assert response.headers["Location"] == place
    assert guest.email in member.get(place).text
    page = guest.get(ALL)
    assert "Harbour &amp; Sons" in page.text
    assert "Invited by Ada Example" in page.text
    assert guest.send(action(page, "accept")[0], page=ALL).headers["Location"] == ALL
    assert said_by(guest.get(ALL)) == ["You are a member now."]
    assert role_of(app, guest, place) == "admin"
    assert "Grace Example" in member.get(place).text


def test_an_invitation_is_declined_and_one_is_withdrawn(app, member, place):
    guest = verified(app)
    member.send(f"{place}/invitations", page=place, email=guest.email, role="member")
    guest.send(action(guest.get(ALL), "reject")[0], page=ALL)
    assert said_by(guest.get(ALL)) == ["The invitation is declined."]
    member.send(f"{place}/invitations", page=place, email=guest.email, role="member")
    (withdrawing,) = action(member.get(place), "withdraw")
    member.send(withdrawing, page=place)
    assert said_by(member.get(place)) == ["The invitation is withdrawn."]
    assert action(guest.get(ALL), "accept") == []
    assert role_of(app, guest, place) is None


def test_an_address_that_nobody_verified_sees_no_invitation(app, member, place):
    guest = Visitor(app).sign_up()
    member.send(f"{place}/invitations", page=place, email=guest.email, role="member")
    assert "You are invited" not in guest.get(ALL).text


@pytest.mark.parametrize(
    ("fields", "field", "text"),
    [
        ({"email": "nobody"}, "email", "Not a valid email address."),
        ({"email": "a@pages.example", "role": "king"}, "role", "Not a valid choice."),
    ],
)
def test_what_is_wrong_with_an_invitation_is_said_beside_its_field(member, place, fields, field, text):
    response = member.send(f"{place}/invitations", page=place, **{"role": "member"} | fields)
    assert (response.status_code, wrong_with(response, field)) == (400, text)


def test_somebody_is_invited_once_at_a_time(member, place):
    for status in (303, 409):
        response = member.send(f"{place}/invitations", page=place, email="twice@pages.example", role="member")
        assert response.status_code == status
    assert "Is already taken." in (wrong_with(response, "email") or "") + "".join(alerts_of(response))


def test_roles_are_changed_and_members_removed(app, member, place):
    guest = join(place, member, verified(app))
    page = member.get(place)
    (own,) = [path for path, text in LEAVING.findall(page.text) if text == "Leave"]
    (removing,) = [path for path, text in LEAVING.findall(page.text) if text == "Remove"]
    changing = removing.removesuffix("remove") + "role"
    assert set(action(page, "role")) == {changing, own.removesuffix("remove") + "role"}
    assert member.send(changing, page=place, role="admin").headers["Location"] == place
    assert said_by(member.get(place)) == ["The role is changed."]
    assert role_of(app, guest, place) == "admin"
    assert member.send(changing, page=place, role="king").status_code == 400
    assert member.send(removing, page=place).headers["Location"] == place
    assert said_by(member.get(place)) == ["The member is removed."]
    assert role_of(app, guest, place) is None


def test_the_last_owner_stays_and_is_told_so(member, place):
    (changing,) = action(member.get(place), "role")
    response = member.send(changing, page=place, role="member")
    assert (response.status_code, alerts_of(response)) == (400, ["The last owner of an organization stays."])
    (leaving,) = action(member.get(place), "remove")
    response = member.send(leaving, page=place)
    assert (response.status_code, alerts_of(response)) == (400, ["The last owner of an organization stays."])


def test_a_member_sees_colleagues_changes_nothing_and_may_leave(app, member, place):
    guest = join(place, member, verified(app))
    page = guest.get(place)
    assert "Ada Example" in page.text
    assert member.email not in page.text
    assert action(page, "role") == action(page, "invitations") == []
    (leaving,) = action(page, "remove")
    (others,) = [each for each in action(member.get(place), "role") if each.rsplit("/", 1)[0] not in leaving]
    refused = guest.send(others, page=place, role="member")
    assert (refused.status_code, alerts_of(refused)) == (403, ["You may not do this"])
    refused = guest.send(f"{place}/invitations", page=place, email="x@pages.example", role="member")
    assert refused.status_code == 403
    response = guest.send(leaving, page=place)
    assert response.headers["Location"] == ALL
    assert said_by(guest.get(ALL)) == ["You have left the organization."]
    assert guest.get(place).status_code == 404


def test_an_organization_of_strangers_is_not_there(app, member, place):
    stranger = Visitor(app).sign_up()
    assert stranger.get(place).status_code == 404
    assert stranger.send(f"{place}/invitations", page=ALL, email="x@pages.example", role="member").status_code == 404
