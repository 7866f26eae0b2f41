"""Sharing in the studio: with people and addresses, what is shared with whoever looks, and links."""

from __future__ import annotations

import httpx2
import pytest
from playwright.sync_api import expect

from app.ai.models.chats import AiChat, AiVote
from app.crm.models import CrmCompany
from tests.studio.test_access import unbroken

pytestmark = pytest.mark.full


def test_a_record_is_shared_by_a_link_that_is_counted_and_ended(desk):
    made = desk.shop.make(CrmCompany, name="Slipway")
    page = desk.open(f"/crm/company/{made['id']}/show")
    page.get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog", name="Share Slipway")
    expect(dialog.get_by_text("No links")).to_be_visible()
    dialog.get_by_role("button", name="Make a link").click()
    address = dialog.locator("code").inner_text()
    unbroken(page)
    shown = httpx2.get(address)
    assert (shown.status_code, shown.json()["record"]["name"]) == (200, "Slipway")
    dialog.get_by_role("button", name="Close").click()
    page.reload()
    page.get_by_role("button", name="Share").click()
    expect(dialog.get_by_text("Followed once")).to_be_visible()
    expect(dialog.locator("code")).to_have_count(0)
    dialog.get_by_role("button", name="End the link").click()
    expect(dialog.get_by_text("No links")).to_be_visible()
    assert httpx2.get(address).status_code == 404


def test_a_record_is_shared_with_an_address_and_found_by_whoever_has_it(app, cast, desk, seat):
    made = desk.shop.make(CrmCompany, name="Slipway")
    guest = seat()
    path = f"/api/v1/auth/organization/{desk.shop.owner.organization_id}"
    dialog = desk.open(f"/crm/company/{made['id']}/show").get_by_role("dialog", name="Share Slipway")
    desk.page.get_by_role("button", name="Share").click()
    who = dialog.get_by_label("Name or e-mail address")
    for status, told in ((403, "The organization shares records with its members alone"), (200, guest.email)):
        assert desk.shop.owner.put(path, {"outsideShares": status == 200}).status_code == 200
        who.fill(guest.email)
        dialog.get_by_role("button", name="Share", exact=True).click()
        expect(dialog.get_by_text(told)).to_be_visible()
    unbroken(desk.page)
    page = guest.open("/shared-with-me")
    page.get_by_role("link", name="Slipway").click()
    expect(page.get_by_role("heading", name="Slipway")).to_be_visible()
    dialog.get_by_role("combobox", name=f"What {guest.email} may do").click()
    desk.page.get_by_role("option", name="Read and change").click()
    expect(dialog.get_by_role("combobox", name=f"What {guest.email} may do")).to_have_text("Read and change")
    assert desk.shop.owner.get(f"/api/v1/crm/company/{made['id']}/_sharing").json["data"][0]["may"] == "write"
    dialog.get_by_role("button", name=f"Share no more with {guest.email}").click()
    expect(dialog.get_by_text("Shared with nobody")).to_be_visible()
    page = guest.open("/shared-with-me")
    expect(page.get_by_text("Nothing is shared with you")).to_be_visible()


def test_colleagues_and_teams_are_offered_by_name(cast, desk):
    member = cast.colleague(desk.shop.owner)
    name = member.get(f"/api/v1/auth/user/{member.user_id}").json["name"]
    desk.shop.owner.post("/api/v1/auth/team", {"name": "Deck crew"})
    made = desk.shop.make(AiChat, title="Crane")
    page = desk.open(f"/ai/chat/{made['id']}/show")
    page.get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog", name="Share Crane")
    for each in (name, "Deck crew"):
        dialog.get_by_label("Name or e-mail address").fill(each)
        page.get_by_role("option", name=each).click()
        dialog.get_by_role("button", name="Share", exact=True).click()
        expect(dialog.get_by_role("button", name=f"Share no more with {each}")).to_be_visible()
    unbroken(page)
    assert member.get(f"/api/v1/ai/chat/{made['id']}").status_code == 200


def test_nothing_is_offered_for_what_is_not_shared(desk):
    made = desk.shop.make(AiVote)
    page = desk.open(f"/ai/vote/{made['id']}/show")
    expect(page.get_by_role("link", name="Edit")).to_be_visible()
    expect(page.get_by_role("button", name="Share")).to_have_count(0)
