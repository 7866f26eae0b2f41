"""Links in the studio: made beside a record, followed without an account, and ended."""

from __future__ import annotations

import httpx2
import pytest
from playwright.sync_api import expect

from app.ai.models.chats import AiVote
from app.crm.models import CrmCompany
from tests.studio.test_access import unbroken

pytestmark = pytest.mark.full


def test_a_record_is_shared_by_a_link_that_is_counted_and_ended(desk):
    made = desk.shop.make(CrmCompany, name="Slipway")
    page = desk.open(f"/crm/company/{made['id']}/show")
    page.get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog", name="Links to Slipway")
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


def test_no_link_is_offered_of_what_takes_none(desk):
    made = desk.shop.make(AiVote)
    page = desk.open(f"/ai/vote/{made['id']}/show")
    expect(page.get_by_role("link", name="Edit")).to_be_visible()
    expect(page.get_by_role("button", name="Share")).to_have_count(0)
