"""Access in the studio: keys, members and teams that grants narrow, and what the narrowed see."""

from __future__ import annotations

import re
from datetime import timedelta

import httpx2
import pytest
from playwright.sync_api import expect
from sqlalchemy import delete, update

from app.auth.models.identity import AuthSession
from app.auth.models.organizations import AuthMember, AuthTeam
from app.crm.models import CrmCompany, CrmDeal
from app.foundation.clock import now
from app.testing.database import transaction
from app.testing.waiting import await_true
from tests.end_to_end.test_account_pages import AXE
from tests.studio.conftest import PASSWORD
from tests.studio.test_variants import FOUND, RULES

pytestmark = pytest.mark.full

WON = [{"models": ["crm/deal"], "operations": ["list", "read"], "where": {"stage": {"in": ["won"]}}}]


def choose(place, label, *names):
    """Choose options of an input that takes several."""
    place.get_by_role("combobox", name=label).click()
    for name in names:
        place.page.get_by_role("option", name=name, exact=True).click()
    place.page.keyboard.press("Escape")


def add_stage(page, place, stage):
    """Add the condition that deals are of a stage."""
    place.get_by_role("button", name="Filter", exact=True).click()
    page.get_by_role("menuitem", name="Stage").click()
    form = page.get_by_role("dialog", name="Stage")
    form.get_by_role("checkbox", name=stage).check()
    form.get_by_role("button", name="Apply").click()


def names(service, secret, model="deal"):
    """The names of the records that a key lists, or the status where it lists none."""
    answer = httpx2.get(f"{service}/api/v1/crm/{model}", headers={"Authorization": f"Bearer {secret}"})
    return [each["name"] for each in answer.json()["data"]] if answer.status_code == 200 else answer.status_code


def unbroken(page):
    """The page has nothing that axe finds wrong."""
    page.evaluate(AXE.read_text())
    assert page.evaluate(FOUND, RULES) == []


def test_a_new_key_is_narrowed_to_what_was_chosen_and_later_to_nothing(desk, service):
    for name, stage in (("Crane", "won"), ("Anchor", "lead")):
        desk.shop.make(CrmDeal, name=name, stage=stage)
    page = desk.open("/keys/create")
    page.get_by_role("textbox", name="Name").fill("Partner")
    page.get_by_role("radio", name=re.compile("^A list")).check()
    expect(page.get_by_text("nothing is open")).to_be_visible()
    page.get_by_role("button", name="Add a grant").click()
    grant = page.get_by_role("region", name="Grant 1")
    choose(grant, "Models", "CRM: Deals")
    add_stage(page, grant, "Won")
    expect(grant.get_by_role("button", name="Stage is one of Won", exact=True)).to_be_visible()
    unbroken(page)
    page.get_by_role("button", name="New key").click()
    dialog = page.get_by_role("dialog", name="This is your new key")
    secret = dialog.get_by_role("textbox", name="Key").input_value()
    dialog.get_by_role("checkbox", name="I have stored the key").check()
    dialog.get_by_role("button", name="Done").click()
    assert [names(service, secret), names(service, secret, "company")] == [["Crane"], 403]

    sees = page.get_by_role("region", name="What this key may do")
    expect(sees.get_by_role("status")).to_contain_text("Allowed")
    expect(sees.get_by_role("status")).to_contain_text("Grant 1 of the key opens it")
    unbroken(page)
    page.get_by_role("button", name="Remove grant 1").click()
    page.get_by_role("button", name="Save the access").click()
    expect(sees.get_by_role("status")).to_contain_text("Refused")
    assert names(service, secret) == 403


def test_a_stored_key_is_narrowed_on_recent_proof(app, desk):
    page = desk.open("/keys/create")
    page.get_by_role("textbox", name="Name").fill("Partner")
    page.get_by_role("button", name="New key").click()
    dialog = page.get_by_role("dialog", name="This is your new key")
    dialog.get_by_role("checkbox", name="I have stored the key").check()
    dialog.get_by_role("button", name="Done").click()
    with app.app_context(), transaction() as session:
        own = AuthSession.user_id == desk.shop.owner.user_id
        session.execute(update(AuthSession).where(own).values(authenticated_at=now() - timedelta(minutes=11)))
    page.get_by_role("radio", name=re.compile("^A list")).check()
    page.get_by_role("button", name="Save the access").click()
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Confirm that it is you").click()
    proof = opened.value
    proof.get_by_label("Password").first.fill(PASSWORD)
    proof.get_by_role("button", name=re.compile("Confirm|Continue")).first.click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="What this key may do").get_by_role("status")).to_contain_text("Refused")


def test_what_is_refused_stands_at_the_grant(desk):
    page = desk.open("/keys/create")
    page.get_by_role("textbox", name="Name").fill("Partner")
    page.get_by_role("radio", name=re.compile("^A list")).check()
    page.get_by_role("button", name="Add a grant").click()
    page.get_by_role("button", name="New key").click()
    grant = page.get_by_role("region", name="Grant 1")
    expect(grant.get_by_text("Must name at least one.")).to_be_visible()
    choose(grant, "Models", "Access: API keys")
    grant.get_by_role("button", name="Create").click()
    page.get_by_role("button", name="New key").click()
    expect(grant.get_by_text("Accounts and organizations are written by no grant.")).to_be_visible()


@pytest.fixture
def team(desk):
    """An organization of the person at the desk, who acts in it."""
    return acting(desk, desk.shop.owner.post("/api/v1/auth/organization", {"name": "Harbour Works"}).json)


def acting(desk, organization):
    """The organization, once the person at the desk acts in it."""
    desk.open()
    desk.page.get_by_role("button", name=re.compile("^Act in")).click()
    desk.page.get_by_role("menuitem", name=organization["name"]).click()
    expect(desk.page.get_by_role("button", name=f"Act in: {organization['name']}")).to_be_visible()
    return organization


def join(app, organization, user_id):
    """Make somebody a member of an organization."""
    with app.app_context(), transaction() as session:
        session.add(AuthMember(organization_id=organization["id"], user_id=user_id, role="member"))


def test_a_manager_narrows_a_member_and_a_team(app, cast, desk, team):
    colleague = cast.user()
    join(app, team, colleague.user_id)
    made = desk.shop.make(AuthTeam, name="Cranes", organizationId=team["id"])
    page = desk.open("/organization/members")
    page.get_by_role("button", name=re.compile("^Access: ")).click()
    dialog = page.get_by_role("dialog", name=re.compile("^Access of"))
    sees = dialog.get_by_role("region", name="What this member may do")
    expect(sees.get_by_role("status")).to_contain_text("Allowed")
    dialog.get_by_role("radio", name=re.compile("^A list")).check()
    dialog.get_by_role("button", name="Add a grant").click()
    choose(dialog, "Models", "CRM: all models")
    unbroken(page)
    dialog.get_by_role("button", name="Save the access").click()
    expect(sees.get_by_role("status")).to_contain_text("Grant 1 of the membership")
    expect(dialog.get_by_role("button", name="Save the access")).to_be_disabled()
    members = f"/api/v1/auth/member?organizationId={team['id']}&userId={colleague.user_id}"
    member = desk.shop.owner.get(members).json["data"][0]["id"]
    stored = desk.shop.owner.get(f"/api/v1/auth/member/{member}/_access").json["access"]
    assert stored == [{"models": ["crm/*"], "operations": ["list", "read"]}]

    page = desk.open("/organization/teams")
    page.get_by_role("button", name="Access: Cranes").click()
    dialog = page.get_by_role("dialog", name="Access of Cranes")
    dialog.get_by_role("radio", name=re.compile("^A list")).check()
    dialog.get_by_role("button", name="Save the access").click()
    # The button is disabled while it is saved, too.
    await_true(lambda: desk.shop.owner.get(f"/api/v1/auth/team/{made['id']}/_access").json["access"] == [])


def test_a_narrowed_member_finds_what_is_open_and_no_page_is_broken(app, cast, seat, workshop):
    desk, owner = seat(), workshop.owner
    harbour = owner.post("/api/v1/auth/organization", {"name": "Harbour Works"}).json
    company = workshop.make(CrmCompany, name="Slipway", organizationId=harbour["id"])
    for name, stage in (("Crane", "won"), ("Anchor", "lead")):
        given = {"organizationId": harbour["id"], "companyId": company["id"], "contactId": None}
        workshop.make(CrmDeal, name=name, stage=stage, **given)
    join(app, harbour, desk.shop.owner.user_id)
    acting(desk, harbour)
    members = f"/api/v1/auth/member?organizationId={harbour['id']}&userId={desk.shop.owner.user_id}"
    member = owner.get(members).json["data"][0]["id"]
    assert owner.put(f"/api/v1/auth/member/{member}/_access", {"access": WON}).status_code == 200
    with app.app_context(), transaction() as session:
        home = AuthMember.organization_id == desk.shop.owner.organization_id
        session.execute(delete(AuthMember).where(home))

    page = desk.open()
    main = page.get_by_role("main")
    expect(main.get_by_role("link", name="Deals")).to_be_visible()
    expect(main.get_by_role("link", name="Companies")).to_have_count(0)
    unbroken(page)
    page = desk.open("/crm/deal")
    expect(page.get_by_role("link", name="Crane")).to_be_visible()
    expect(page.get_by_text("1 record", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Views")).to_have_count(0)
    expect(page.get_by_role("link", name="New")).to_have_count(0)
    for closed in ("Export", "Import"):
        expect(page.get_by_role("button", name=closed)).to_have_count(0)
    page.get_by_role("link", name="Crane").click()
    expect(page.get_by_role("heading", name="Crane", level=1)).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    for path in ("/keys", "/keys/create", "/organization", "/crm/company"):
        desk.open(path)
        expect(page.get_by_text("This page does not work as it should")).to_have_count(0)


def test_an_invitation_carries_grants(desk, team):
    page = desk.open("/organization/invitations")
    page.get_by_role("button", name="Invite").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="E-mail address").fill("ines@harbour.example")
    dialog.get_by_role("radio", name=re.compile("^A list")).check()
    dialog.get_by_role("button", name="Add a grant").click()
    dialog.get_by_role("button", name="Invite").click()
    expect(dialog.get_by_text("Must name at least one.")).to_be_visible()
    choose(dialog, "Models", "CRM: all models")
    dialog.get_by_role("button", name="Invite").click()
    expect(page.get_by_role("row").filter(has_text="ines@harbour.example")).to_contain_text("Pending")
    (made,) = desk.shop.owner.get(f"/api/v1/auth/invitation?organizationId={team['id']}").json["data"]
    stored = desk.shop.owner.get(f"/api/v1/auth/invitation/{made['id']}").json["access"]
    assert stored == [{"models": ["crm/*"], "operations": ["list", "read"]}]
