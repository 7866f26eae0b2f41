"""Organizations in the studio: the one that is acted in, its people, teams, storage and settings."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from app.auth.models.organizations import AuthMember
from app.crm.models import CrmCompany
from app.testing.database import transaction

pytestmark = pytest.mark.full

INVITATION = "/api/v1/auth/invitation"


@pytest.fixture
def team(desk):
    """An organization of the person at the desk, who acts in it."""
    made = desk.shop.owner.post("/api/v1/auth/organization", {"name": "Harbour Works"}).json
    desk.open()
    desk.page.get_by_role("button", name=re.compile("^Act in")).click()
    desk.page.get_by_role("menuitem", name="Harbour Works").click()
    expect(desk.page.get_by_role("button", name="Act in: Harbour Works")).to_be_visible()
    return made


@pytest.fixture
def colleague(app, cast, team):
    """A member of it, by name."""
    actor = cast.user()
    with app.app_context(), transaction() as session:
        session.add(AuthMember(organization_id=team["id"], user_id=actor.user_id, role="member"))
    return actor


def test_a_personal_organization_is_told_from_a_team(desk, team):
    page = desk.open("/organization")
    expect(page.get_by_role("heading", name="Harbour Works")).to_be_visible()
    expect(page.get_by_role("main").get_by_text("Team", exact=True)).to_be_visible()
    page.get_by_role("button", name=re.compile("^Act in")).click()
    expect(page.get_by_role("menuitem", name=re.compile("Personal"))).to_be_visible()


def test_a_list_shows_the_records_of_the_organization_that_is_acted_in(desk, team):
    desk.shop.make(CrmCompany, name="Of one's own")
    desk.shop.make(CrmCompany, name="Of the team", organizationId=team["id"])
    page = desk.open("/crm/company")
    expect(page.get_by_role("link", name="Of the team")).to_be_visible()
    expect(page.get_by_role("link", name="Of one's own")).to_have_count(0)
    expect(page.get_by_text("1 record", exact=True)).to_be_visible()
    page.get_by_role("button", name="Show those of all organizations").click()
    expect(page.get_by_role("link", name="Of one's own")).to_be_visible()
    page.goto(page.url)
    expect(page.get_by_text("2 records")).to_be_visible()
    page.get_by_role("button", name="Only of Harbour Works").click()
    expect(page.get_by_text("1 record", exact=True)).to_be_visible()


def test_a_colleague_is_invited_and_the_invitation_cancelled(desk, team):
    page = desk.open("/organization/invitations")
    page.get_by_role("button", name="Invite").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="E-mail address").fill("ines@harbour.example")
    dialog.get_by_role("button", name="Invite").click()
    row = page.get_by_role("row").filter(has_text="ines@harbour.example")
    expect(row).to_contain_text("Pending")
    row.get_by_role("button", name=re.compile("Cancel")).click()
    expect(row).not_to_contain_text("Pending")


def test_a_member_gets_another_role_and_the_old_one_again_and_is_removed(desk, team, colleague):
    page = desk.open("/organization/members")
    others = page.get_by_role("row").filter(has=page.get_by_role("combobox")).filter(has_not_text="Ada Byron")
    row = others.first
    row.get_by_role("combobox").click()
    page.get_by_role("option", name="Admin").click()
    members = f"/api/v1/auth/member?organizationId={team['id']}&userId={colleague.user_id}"
    expect(row.get_by_role("combobox")).to_contain_text("Admin")
    assert desk.shop.owner.get(members).json["data"][0]["role"] == "admin"
    page.get_by_role("button", name="Undo").click()
    expect(row.get_by_role("combobox")).to_contain_text("Member")
    assert desk.shop.owner.get(members).json["data"][0]["role"] == "member"
    row.get_by_role("button", name=re.compile("Remove")).click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Remove")).click()
    expect(page.get_by_text("is removed.")).to_be_visible()
    expect(others).to_have_count(0)
    assert desk.shop.owner.get(members).json["data"] == []


def test_a_team_is_made_and_a_member_added(desk, team, colleague):
    page = desk.open("/organization/teams")
    page.get_by_role("button", name="New team").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name").fill("Cranes")
    dialog.get_by_role("button", name=re.compile("Save|New team|Create")).click()
    expect(page.get_by_role("heading", name="Cranes")).to_be_visible()


def test_settings_are_changed_and_what_is_taken_is_said_at_its_field(desk, team):
    page = desk.open("/organization/settings")
    page.get_by_role("textbox", name="Name", exact=True).fill("Harbour Works North")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Harbour Works North")).to_be_visible()
    place = f"/api/v1/auth/organization/{team['id']}"
    assert desk.shop.owner.get(place).json["name"] == "Harbour Works North"
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="Harbour Works North")).to_have_count(0)
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_have_value("Harbour Works")


def test_buckets_say_how_full_they_are(desk, team):
    bucket = {"name": "plans", "organizationId": team["id"], "quotaBytes": 10 * 1024 * 1024}
    desk.shop.owner.post("/api/v1/storage/bucket", bucket)
    page = desk.open("/organization/storage")
    expect(page.get_by_role("progressbar", name="plans")).to_have_attribute("aria-valuetext", "0 B of 10 MiB used")
    page.get_by_role("link", name="plans", exact=True).click()
    expect(page.get_by_role("heading", name="plans", level=1)).to_be_visible()
