"""The description of the API in a real browser: one domain at a time, on a phone's width."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.full

DOCS = "/api/v1/docs"
LIST = "#operations-crm-listCrmContact"
QUERY = "#operations-crm-queryCrmContact"


@pytest.fixture
def asked(page):
    """The queries of the descriptions that the page loads."""
    found = []
    page.on("request", lambda sent: "openapi.json" in sent.url and found.append(sent.url.partition("?")[2]))
    return found


def test_the_first_domain_is_shown_by_its_part_alone(page, asked):
    page.goto(DOCS)
    expect(page.locator(".opblock").first).to_be_visible()
    expect(page.get_by_role("navigation", name="Domains").locator("[aria-current=page]")).to_have_text("ai")
    assert asked == ["domain=ai"]


def test_another_domain_is_chosen_by_keyboard(page, asked):
    page.goto(f"{DOCS}?domain=platform")
    page.get_by_role("link", name="crm", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator(LIST)).to_be_visible()
    expect(page).to_have_title("Rowgate API: crm")
    assert asked[-1] == "domain=crm"


def test_a_link_to_an_operation_leads_to_the_domain_that_has_it(page):
    page.goto(f"{DOCS}#/sign-in/signUp")
    page.wait_for_url(re.compile(r"\?domain=auth#/sign-in/signUp$"))
    expect(page.locator("#operations-sign-in-signUp .opblock-body")).to_be_visible()


def test_parameters_that_operations_share_are_shown(page):
    page.goto(f"{DOCS}?domain=crm")
    page.locator(f"{LIST} .opblock-summary-control").click()
    expect(page.get_by_text("email[contains]", exact=True)).to_be_visible()


def test_conditions_on_related_records_are_shown_by_their_first_step(page):
    page.goto(f"{DOCS}?domain=crm")
    page.locator(f"{QUERY} .opblock-summary-control").click()
    expect(page.locator(f"{QUERY} .opblock-section-request-body")).to_contain_text("createdAt")


def test_the_description_is_no_wider_than_a_phone(page):
    page.goto(f"{DOCS}?domain=crm")
    expect(page.locator(LIST)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
