"""How somebody gets through many records: by scrolling, page by page, and in tables that look as they like them."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from app.crm.models import CrmCompany
from app.testing.database import transaction
from tests.studio.conftest import SCROLLED_TO

pytestmark = pytest.mark.full

COMPANIES = "/crm/company"
ROWS = 260


@pytest.fixture
def companies(app, desk):
    """So many companies, named by their number."""
    owner = desk.shop.owner
    with app.app_context(), transaction() as session:
        rows = ({"organization_id": owner.organization_id, "name": f"Company {n:03}"} for n in range(1, ROWS + 1))
        session.bulk_insert_mappings(CrmCompany, rows)
    return desk


def company(page, number):
    return page.get_by_role("link", name=f"Company {number:03}", exact=True)


def look(page, name, option):
    page.get_by_role("button", name="View", exact=True).click()
    page.get_by_role("dialog", name="View").get_by_role("combobox", name=name).click()
    page.get_by_role("option", name=option, exact=True).click()
    page.keyboard.press("Escape")


def test_a_list_is_scrolled_to_its_last_record(companies):
    page = companies.open(f"{COMPANIES}?sort=name")
    expect(company(page, 1)).to_be_visible()
    page.wait_for_function(SCROLLED_TO, arg=f"Company {ROWS}")
    expect(page.get_by_text(f"{ROWS} records")).to_be_visible()
    expect(company(page, 1)).to_have_count(0)


def test_pages_are_turned_and_jumped_to(companies):
    page = companies.open(f"{COMPANIES}?sort=name")
    look(page, "Paging", "Page by page")
    page.get_by_role("button", name="Next page").click()
    expect(company(page, 51)).to_be_visible()
    page.get_by_role("textbox", name="Go to page").fill("6")
    page.keyboard.press("Enter")
    expect(company(page, ROWS)).to_be_visible()
    expect(page.get_by_role("button", name="Next page")).to_be_disabled()
    page.goto(page.url)
    expect(company(page, 251)).to_be_visible()


def test_a_table_stays_as_somebody_likes_it(companies):
    page = companies.open(COMPANIES)
    row = page.get_by_role("row").nth(1)
    height = row.bounding_box()["height"]
    look(page, "Density", "Compact")
    edge = page.get_by_role("separator", name="Width of Name")
    width = int(edge.get_attribute("aria-valuenow"))
    edge.press("ArrowRight")
    expect(edge).to_have_attribute("aria-valuenow", str(width + 16))
    page.get_by_role("button", name="View", exact=True).click()
    page.get_by_role("button", name="Move Name down").click()
    page.get_by_role("dialog", name="View").get_by_role("checkbox", name="Updated").click()
    page.keyboard.press("Escape")
    page = companies.open(COMPANIES)
    expect(page.get_by_role("columnheader").nth(2)).to_contain_text("Name")
    expect(page.get_by_role("columnheader", name="Updated")).to_be_visible()
    assert row.bounding_box()["height"] < height
    expect(edge).to_have_attribute("aria-valuenow", str(width + 16))
