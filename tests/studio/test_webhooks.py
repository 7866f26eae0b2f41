"""Webhooks in the studio: made by picking events, tried, looked at, and brought up to date."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from app.crm.models import CrmCompany
from app.webhooks import service as deliveries

HOOKS = "/api/v1/_webhooks"
SECRET = re.compile(r"whsec_[0-9A-Za-z+/=]{44}")


def deliver(app):
    """Send what is due; the browser has the loop of this thread."""
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(deliveries.deliver_due, app).result()


@pytest.fixture
def hook(desk, loopback):
    """The page of a webhook that was made in the studio."""
    loopback.answer("/hook", "thanks", status=200)
    page = desk.open("/webhooks")
    page.get_by_role("button", name="New webhook").click()
    dialog = page.get_by_role("dialog", name="New webhook")
    dialog.get_by_role("textbox", name="Address").fill(f"{loopback.url}/hook")
    dialog.get_by_role("combobox", name="Events").fill("Companies")
    page.get_by_role("option", name="Companies: all changes").click()
    page.keyboard.press("Escape")
    dialog.get_by_role("button", name="New webhook").click()
    shown = page.get_by_role("dialog", name="Secret of the webhook")
    assert SECRET.fullmatch(shown.get_by_role("textbox", name="Secret").input_value())
    shown.get_by_role("checkbox", name="I have stored the secret").check()
    shown.get_by_role("button", name="Done").click()
    expect(page.get_by_role("heading", name=f"{loopback.url}/hook", level=1)).to_be_visible()
    return page


@pytest.mark.full
def test_a_webhook_is_tried_and_what_was_sent_and_answered_is_shown(app, desk, hook):
    assert not SECRET.search(hook.content())
    hook.get_by_role("button", name="Send a test").click()
    expect(hook.get_by_text("It is on its way.")).to_be_visible()
    desk.shop.make(CrmCompany, name="Harbour Works")
    assert deliver(app) >= 2
    listed = hook.get_by_role("list", name="Deliveries")
    expect(listed.get_by_text("Delivered")).to_have_count(2)
    listed.get_by_role("button", name=re.compile("Companies: new")).click()
    expect(listed.get_by_text("Harbour Works")).to_be_visible()
    expect(listed.get_by_text("thanks")).to_be_visible()
    listed.get_by_role("button", name="Send once more").click()
    expect(listed.get_by_text("Waits")).to_be_visible()


@pytest.mark.full
def test_one_that_was_switched_off_says_why_and_sends_again_what_it_has_missed(app, desk, hook, loopback):
    loopback.answer("/hook", status=410, times=1)
    desk.shop.make(CrmCompany, name="Harbour Works")
    deliver(app)
    hook.reload()
    expect(hook.get_by_text("the address answered that it is gone")).to_be_visible()
    hook.get_by_role("button", name="Switch on").click()
    hook.get_by_role("dialog").get_by_role("button", name="Send again").click()
    expect(hook.get_by_role("dialog")).to_have_count(0)
    (row,) = desk.shop.owner.get(HOOKS).json["data"]
    assert (row["enabled"], row["disabledReason"]) == (True, None)


@pytest.mark.full
def test_an_address_that_is_refused_says_so_at_its_field(desk):
    page = desk.open("/webhooks")
    page.get_by_role("button", name="New webhook").click()
    dialog = page.get_by_role("dialog", name="New webhook")
    dialog.get_by_role("textbox", name="Address").fill("https://10.0.0.1/")
    dialog.get_by_role("combobox", name="Events").click()
    page.get_by_role("option", name="Everything", exact=True).click()
    page.keyboard.press("Escape")
    dialog.get_by_role("button", name="New webhook").click()
    expect(dialog.get_by_text("an address of a private network")).to_be_visible()


@pytest.mark.full
def test_a_webhook_is_deleted(desk, hook):
    hook.get_by_role("button", name="Delete").click()
    hook.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(hook.get_by_role("heading", name="Webhooks")).to_be_visible()
    assert desk.shop.owner.get(HOOKS).json["data"] == []
