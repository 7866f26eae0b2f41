"""Organizations that want a second factor of their members, on the pages."""

from __future__ import annotations

import re

import pytest

from app.auth.models.organizations import AuthMember
from app.testing.database import transaction
from tests.account.test_security import id_of
from tests.account.test_two_factor import begin, code_of, confirm
from tests.account.visitors import Visitor, alerts_of, said_by


def own_organization(visitor):
    """The page of a new organization of a visitor."""
    return visitor.send("/account/organizations", name="Harbour Works").headers["Location"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Set up a second factor or a passkey of your own first"),
        ("de", "Richten Sie zuerst selbst einen zweiten Faktor oder einen Passkey ein"),
    ],
)
def test_a_manager_without_a_second_factor_asks_nobody_for_one(app, language, text):
    manager = Visitor(app, language).sign_up()
    place = own_organization(manager)
    refused = manager.send(f"{place}/guard", page=place, requireTwoFactor="y")
    assert (refused.status_code, alerts_of(refused)) == (403, [text])


def test_the_second_factor_is_asked_for_and_no_more(app, member):
    place = own_organization(member)
    _, key, kept = begin(member)
    confirm(member, kept, code_of(key))
    assert "Second factor needed" not in member.get(place).text
    assert member.send(f"{place}/guard", page=place, requireTwoFactor="y").headers["Location"] == place
    page = member.get(place)
    assert said_by(page) == ["Saved."]
    assert "Second factor needed" in page.text
    assert re.search(r'<input checked id="requireTwoFactor"', page.text)
    other = Visitor(app).sign_up()
    joined = AuthMember(organization_id=place.rpartition("/")[2], user_id=id_of(other), role="member")
    with app.app_context(), transaction() as session:
        session.add(joined)
    assert other.get(place).status_code == 404
    assert "They wait for your second factor" in other.get("/account/security").text
    assert "Harbour Works" in other.get("/account/security").text
    assert "Not reachable without a second factor: Harbour Works." in other.get("/account/organizations").text
    member.send(f"{place}/guard", page=place)
    assert "Harbour Works." not in other.get("/account/organizations").text
    assert "Second factor needed" not in member.get(place).text


def test_the_switch_is_for_managers_of_shared_organizations(app, member):
    place, other = own_organization(member), Visitor(app).sign_up()
    assert "requireTwoFactor" in member.get(place).text
    joined = AuthMember(organization_id=place.rpartition("/")[2], user_id=id_of(other), role="member")
    with app.app_context(), transaction() as session:
        session.add(joined)
    page = other.get(place).text
    assert "Harbour Works" in page
    assert "requireTwoFactor" not in page
    assert other.send(f"{place}/guard", page=place, requireTwoFactor="y").status_code == 403
    places = re.findall(r'href="(/account/organizations/[0-9a-f-]{36})"', other.get("/account/organizations").text)
    assert len(places) == 2
    assert all("requireTwoFactor" not in other.get(each).text for each in places)
