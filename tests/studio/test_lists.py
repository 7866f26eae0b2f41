"""Lists of the studio: what is searched, filtered, sorted, chosen and kept."""

from __future__ import annotations

import csv
import io
import re

import pytest
from playwright.sync_api import expect

from app.crm.models import CrmCompany, CrmDeal

DEALS = "/crm/deal"
STAGES = ("lead", "qualified", "won")


@pytest.fixture
def deals(desk):
    """Three deals of one company, of 100, 200 and 300 dollars."""
    company = desk.shop.make(CrmCompany, name="Harbour Works")
    for number, stage in enumerate(STAGES, 1):
        desk.shop.make(CrmDeal, name=f"Deal {number}", companyId=company["id"], amount=number * 10_000, stage=stage)
    return desk


def expect_names(page, *wanted):
    """These are the rows in sight, by the link of each."""
    expect(page.locator("[role=rowgroup] [role=row] [role=gridcell]:nth-child(2) a")).to_have_text(list(wanted))


def add_filter(page, field):
    page.get_by_role("button", name="Filter", exact=True).click()
    page.get_by_role("menuitem", name=field, exact=True).click()
    return page.get_by_role("dialog", name=field)


@pytest.mark.full
def test_a_header_sorts_up_then_down_then_not_at_all(deals):
    page = deals.open(DEALS)
    head = page.get_by_role("button", name="Sort by Amount")
    column = page.get_by_role("columnheader", name="Amount")
    for order, wanted in (("none", "321"), ("ascending", "123"), ("descending", "321"), ("none", "321")):
        expect(column).to_have_attribute("aria-sort", order)
        expect_names(page, *(f"Deal {number}" for number in wanted))
        head.click()


@pytest.mark.full
def test_the_address_holds_all_that_is_chosen(deals):
    page = deals.open(DEALS)
    page.get_by_role("button", name="Sort by Amount").click()
    form = add_filter(page, "Amount")
    form.get_by_label("Amount", exact=True).fill("150")
    form.get_by_role("button", name="Apply").click()
    for _ in range(2):
        expect_names(page, "Deal 2", "Deal 3")
        expect(page.get_by_role("button", name="Amount is at least $150.00", exact=True)).to_be_visible()
        page.goto(page.url)


@pytest.mark.full
def test_words_are_searched_for_as_they_are_typed(deals):
    page = deals.open(DEALS)
    page.keyboard.press("/")
    page.keyboard.type("Deal 2")
    expect_names(page, "Deal 2")


@pytest.mark.full
def test_a_search_ranks_by_meaning_until_a_header_sorts(deals):
    """By words alone, as nothing makes vectors here."""
    page = deals.open(DEALS)
    page.get_by_role("button", name="By meaning").click()
    page.get_by_label("Search Deals").fill("Deal 2")
    expect_names(page, "Deal 2")
    expect(page.get_by_text("The best record, by words alone")).to_be_visible()
    page.get_by_label("Search Deals").fill("Deal")
    expect(page.get_by_text("The 3 best records, by words alone")).to_be_visible()
    page.goto(page.url)
    expect(page.get_by_role("button", name="By meaning", pressed=True)).to_be_visible()
    page.get_by_role("button", name="Sort by Amount").click()
    expect_names(page, "Deal 1", "Deal 2", "Deal 3")
    expect(page.get_by_text("3 records")).to_be_visible()


@pytest.mark.full
def test_rows_are_grouped_with_what_each_group_comes_to(deals):
    page = deals.open(f"{DEALS}?totals=amount&columns=name,amount")
    page.get_by_role("button", name="View", exact=True).click()
    page.get_by_role("combobox", name="Group by").click()
    page.get_by_role("option", name="Stage", exact=True).click()
    page.keyboard.press("Escape")
    groups = page.get_by_role("main").get_by_role("region")
    expect(groups).to_have_text([re.compile(f"{stage}1Amount\\{total}") for stage, total in
                                 (("Lead", "$100.00"), ("Qualified", "$200.00"), ("Won", "$300.00"))])  # fmt: skip
    page.get_by_role("button", name="Qualified").click()
    expect_names(page, "Deal 2")
    page.reload()
    expect(groups).to_have_count(3)


@pytest.mark.full
def test_a_view_is_saved_and_opened_again(deals):
    page = deals.open(DEALS)
    page.get_by_role("button", name="Sort by Amount").click()
    page.get_by_role("button", name="Views").click()
    page.get_by_role("button", name="Save as a view").click()
    page.get_by_label("Name of the view").fill("Small first")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="View: Small first")).to_be_visible()
    page = deals.open(DEALS)
    page.get_by_role("button", name="Views").click()
    page.get_by_role("button", name=re.compile("^Small first")).click()
    expect_names(page, "Deal 1", "Deal 2", "Deal 3")


@pytest.mark.full
def test_a_condition_on_a_related_record_offers_the_first_ones_at_once(deals):
    page = deals.open(DEALS)
    add_filter(page, "Company")
    page.get_by_role("option", name="Harbour Works").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("button", name="Company is Harbour Works", exact=True)).to_be_visible()


def test_a_field_is_changed_where_it_stands(deals):
    page = deals.open(DEALS)
    page.get_by_role("button", name="Edit Amount of Deal 2").click()
    form = page.get_by_role("dialog", name="Amount")
    form.get_by_label("Amount", exact=True).fill("250,50")
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_role("row").filter(has_text="Deal 2")).to_contain_text("$250.50")


def test_chosen_rows_are_changed_duplicated_and_deleted(deals):
    page = deals.open(DEALS)
    for name in ("Deal 1", "Deal 2"):
        page.get_by_role("checkbox", name=f"Select {name}").check()
    page.get_by_role("button", name="Change", exact=True).click()
    dialog = page.get_by_role("dialog", name="Change 2 records")
    dialog.get_by_role("combobox", name="Field").click()
    page.get_by_role("option", name="Priority").click()
    dialog.get_by_role("combobox", name="Priority").click()
    page.get_by_role("option", name="High").click()
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("row").filter(has_text="High")).to_have_count(2)
    page.get_by_role("checkbox", name="Select Deal 3").check()
    page.get_by_role("button", name="Duplicate", exact=True).click()
    expect(page.get_by_role("link", name="Deal 3")).to_have_count(2)
    page.get_by_role("checkbox", name="Select all that are loaded").check()
    page.get_by_role("region", name="Actions").get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Nothing here yet")).to_be_visible()


@pytest.mark.full
def test_what_is_filtered_is_exported(deals, tmp_path):
    page = deals.open(f'{DEALS}?filter=[["amount","gte",20000]]&sort=amount')
    page.get_by_role("button", name="Export").click()
    expect(page.get_by_text("related records by their IDs, amounts in hundredths")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
    assert [(row["name"], row["amount"]) for row in rows] == [("Deal 2", "20000"), ("Deal 3", "30000")]
