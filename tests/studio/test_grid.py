"""Lists of the studio as spreadsheets: keys go from cell to cell, blocks are copied, pasted, filled down and undone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from app.crm.models import CrmCompany, CrmDeal

COLUMNS = "/crm/deal?columns=name,stage,amount&sort=name"
# What the clipboard holds is put into the page by the keys that a person would press.
WRITE = "text => navigator.clipboard.writeText(text)"
READ = "() => navigator.clipboard.readText()"


@pytest.fixture
def page(desk):
    company = desk.shop.make(CrmCompany, name="Harbour Works")
    for number in range(1, 5):
        desk.shop.make(CrmDeal, name=f"Deal {number}", companyId=company["id"], amount=number * 10_000, stage="lead")
    page = desk.open(COLUMNS)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    expect(page.get_by_role("link", name="Deal 4")).to_be_visible()
    return page


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def deals(desk):
    found = desk.shop.owner.get(f"{CrmDeal.collection_path()}?sort=name").json["data"]
    return [(deal["name"], deal["stage"], deal["amount"]) for deal in found]


def amounts(page):
    return page.locator("[role=row] [data-column='2']")


@pytest.mark.full
def test_keys_go_from_cell_to_cell_and_open_one(desk, page):
    page.get_by_role("grid").focus()
    press(page, "ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight")
    head = page.get_by_role("grid").get_attribute("aria-activedescendant")
    assert page.locator(f"[id='{head}']").inner_text() == "$200.00"
    press(page, "Enter")
    form = page.get_by_role("dialog", name="Amount")
    form.get_by_label("Amount").fill("250")
    press(page, "Enter")
    expect(amounts(page)).to_have_text(["$100.00", "$250.00", "$300.00", "$400.00"])
    assert deals(desk)[1] == ("Deal 2", "lead", 25_000)


def test_a_block_of_a_spreadsheet_is_pasted_at_once_and_undone_at_once(desk, page):
    before = deals(desk)
    page.locator("[data-row='1'][data-column='1']").click()
    page.evaluate(WRITE, "Qualified\t1,250.50\nqualified\t7\n")
    press(page, "Control+v")
    expect(page.get_by_text("2 records changed")).to_be_visible()
    expect(amounts(page)).to_have_text(["$100.00", "$1,250.50", "$7.00", "$400.00"])
    assert deals(desk)[1:3] == [("Deal 2", "qualified", 125_050), ("Deal 3", "qualified", 700)]
    page.get_by_role("button", name="Undo").click()
    expect(amounts(page)).to_have_text(["$100.00", "$200.00", "$300.00", "$400.00"])
    assert deals(desk) == before


@pytest.mark.full
def test_cells_are_copied_and_filled_down(desk, page):
    page.locator("[data-row='0'][data-column='1']").click()
    page.locator("[data-row='2'][data-column='2']").click(modifiers=["Shift"])
    press(page, "Control+c")
    assert page.evaluate(READ) == "lead\t100.00\nlead\t200.00\nlead\t300.00"
    press(page, "Control+d")
    expect(amounts(page)).to_have_text(["$100.00", "$100.00", "$100.00", "$400.00"])
    assert [amount for _, _, amount in deals(desk)] == [10_000, 10_000, 10_000, 40_000]


@pytest.mark.full
def test_a_block_with_one_bad_cell_changes_nothing(desk, page):
    before = deals(desk)
    page.locator("[data-row='0'][data-column='1']").click()
    page.evaluate(WRITE, "qualified\t100\nperhaps\t200")
    press(page, "Control+v")
    expect(page.get_by_role("alert")).to_contain_text("Invalid stage")
    assert deals(desk) == before
