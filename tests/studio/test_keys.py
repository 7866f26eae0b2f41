"""API keys in the studio: shown once, used, rotated, changed and revoked."""

from __future__ import annotations

import re

import httpx2
import pytest
from playwright.sync_api import expect

from app.testing.waiting import await_true

SECRET = re.compile(r"rg_key_[0-9A-Za-z]{49}")


def make_key(desk, name="Nightly export"):
    """Make a key on its page, and give its secret."""
    page = desk.open("/keys/create")
    page.get_by_role("textbox", name="Name").fill(name)
    page.get_by_role("button", name="New key").click()
    dialog = page.get_by_role("dialog", name="This is your new key")
    secret = dialog.get_by_role("textbox", name="Key").input_value()
    assert SECRET.fullmatch(secret)
    expect(dialog.get_by_role("button", name="Done")).to_be_disabled()
    dialog.get_by_role("checkbox", name="I have stored the key").check()
    dialog.get_by_role("button", name="Done").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    return secret


def use(service, secret, path="/api/v1/crm/deal"):
    return httpx2.get(service + path, headers={"Authorization": f"Bearer {secret}"}).status_code


@pytest.fixture
def secret(desk):
    return make_key(desk)


@pytest.mark.full
def test_a_secret_is_shown_once_and_kept_nowhere(desk, secret):
    page = desk.page
    assert secret not in page.content()
    page.reload()
    expect(page.get_by_role("heading", name="Nightly export")).to_be_visible()
    assert secret not in page.content()
    assert secret not in page.evaluate(
        "() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])"
    )


@pytest.mark.full
def test_a_copied_secret_counts_as_stored(seat):
    desk = seat(permissions=["clipboard-read", "clipboard-write"])
    page = desk.open("/keys/create")
    page.get_by_role("textbox", name="Name").fill("Copied")
    page.get_by_role("button", name="New key").click()
    dialog = page.get_by_role("dialog", name="This is your new key")
    dialog.get_by_role("button", name="Copy").click()
    expect(dialog.get_by_role("button", name="Done")).to_be_enabled()
    assert SECRET.fullmatch(page.evaluate("() => navigator.clipboard.readText()"))


@pytest.mark.full
def test_the_use_of_a_key_is_shown_by_outcome_and_by_request(desk, service, secret):
    assert [use(service, secret) for _ in range(3)] == [200] * 3
    page = desk.page

    def seen():
        page.reload()
        expect(page.get_by_role("heading", name="Last uses")).to_be_visible()
        return page.get_by_role("cell", name="GET /api/v1/crm/deal").count() == 3

    await_true(seen, 20)
    page.get_by_role("button", name="As a table").click()
    expect(page.get_by_role("row").filter(has_text="3").first).to_be_visible()


@pytest.mark.full
def test_a_rotated_key_has_a_new_secret_and_the_old_one_works_on(desk, service, secret):
    page = desk.page
    page.get_by_role("button", name="Rotate").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox").click()
    page.get_by_role("option", name="5 minutes").click()
    dialog.get_by_role("button", name="Rotate").click()
    shown = page.get_by_role("dialog", name="This is your new key")
    new = shown.get_by_role("textbox", name="Key").input_value()
    assert new != secret
    assert [use(service, each) for each in (secret, new)] == [200, 200]


@pytest.mark.full
def test_a_key_is_disabled_enabled_and_revoked(desk, service, secret):
    page = desk.page
    page.get_by_role("button", name="Disable").click()
    expect(page.get_by_role("button", name="Enable")).to_be_visible()
    assert use(service, secret) == 401
    page.get_by_role("button", name="Enable").click()
    expect(page.get_by_role("button", name="Disable")).to_be_visible()
    assert use(service, secret) == 200
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    page.wait_for_url("**/console/keys")
    assert use(service, secret) == 401
