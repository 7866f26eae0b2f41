"""The way back in the studio: undo of what was just done, versions of a record, and the bin."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from app.crm.models import CrmCompany, CrmDeal

COMPANY = CrmCompany.collection_path()


@pytest.fixture
def company(desk):
    return desk.shop.make(CrmCompany, name="Harbour Works", industry="shipping")


def undo(page, said):
    expect(page.get_by_text(said)).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("It is undone.")).to_be_visible()


@pytest.mark.full
def test_a_deletion_is_undone_or_counts(desk, company):
    page = desk.open(f"/crm/company/{company['id']}/show")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("Harbour Works is deleted.")).to_be_visible()
    assert desk.shop.owner.get(f"{COMPANY}/{company['id']}").status_code == 404
    undo(page, "Harbour Works is deleted.")
    expect(page.get_by_role("link", name="Harbour Works")).to_be_visible()
    assert desk.shop.owner.get(f"{COMPANY}/{company['id']}").json["industry"] == "shipping"


@pytest.mark.full
def test_a_saved_form_is_undone(desk, company):
    page = desk.open(f"/crm/company/{company['id']}")
    page.get_by_role("textbox", name="Industry").fill("food")
    page.get_by_role("button", name="Save", exact=True).click()
    undo(page, "Saved")
    expect(page.get_by_text("shipping")).to_be_visible()
    assert desk.shop.owner.get(f"{COMPANY}/{company['id']}").json["industry"] == "shipping"


@pytest.mark.full
def test_what_somebody_has_changed_since_is_not_undone(desk, company):
    page = desk.open(f"/crm/company/{company['id']}")
    page.get_by_role("textbox", name="Industry").fill("food")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved")).to_be_visible()
    desk.shop.owner.put(f"{COMPANY}/{company['id']}", {"industry": "steel"})
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("1 records are not as the transaction left them")).to_be_visible()
    assert desk.shop.owner.get(f"{COMPANY}/{company['id']}").json["industry"] == "steel"


@pytest.mark.full
def test_chosen_rows_come_back_as_one(desk):
    deals = [desk.shop.make(CrmDeal, name=f"Crane {number}") for number in range(3)]
    page = desk.open("/crm/deal")
    page.get_by_role("checkbox", name="Select all that are loaded").check()
    page.get_by_role("region", name="Actions").get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    undo(page, "3 records deleted")
    for deal in deals:
        expect(page.get_by_role("link", name=deal["name"])).to_be_visible()


@pytest.mark.full
def test_an_import_is_undone(desk, tmp_path):
    file = tmp_path / "companies.csv"
    file.write_text("name\nOne\nTwo\n")
    page = desk.open("/crm/company")
    page.get_by_role("button", name="Import").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a file").click()
    chooser.value.set_files(file)
    page.get_by_role("button", name="Import 2 rows").click()
    expect(page.get_by_text("2 made, 0 changed")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Undo").click()
    expect(page.get_by_text("It is undone.")).to_be_visible()
    assert desk.shop.owner.get(COMPANY).json["data"] == []


def test_the_history_shows_who_changed_what_and_leads_back(desk, company):
    desk.shop.owner.put(f"{COMPANY}/{company['id']}", {"industry": "food", "employees": 12})
    page = desk.open(f"/crm/company/{company['id']}/show")
    page.get_by_role("button", name="History").click()
    dialog = page.get_by_role("dialog", name="History of Harbour Works")
    latest = dialog.get_by_role("listitem", name="Version 2")
    expect(latest).to_contain_text("changed by you")
    expect(latest.get_by_role("row").filter(has_text="Industry")).to_contain_text("shippingfood")
    expect(latest.get_by_role("button", name="Go back")).to_have_count(0)
    dialog.get_by_role("listitem", name="Version 1").get_by_role("button", name="Go back").click()
    expect(dialog.get_by_role("listitem", name="Version 3")).to_be_visible()
    assert desk.shop.owner.get(f"{COMPANY}/{company['id']}").json["industry"] == "shipping"


@pytest.mark.full
def test_the_bin_of_a_model_gives_back_what_was_deleted(desk, company):
    desk.shop.owner.delete(f"{COMPANY}/{company['id']}")
    page = desk.open("/crm/company")
    page.get_by_role("link", name="Bin").click()
    row = page.get_by_role("row").filter(has_text="Harbour Works")
    expect(row).to_contain_text("you")
    row.get_by_role("button", name="Restore").click()
    expect(page.get_by_text("The bin is empty.")).to_be_visible()
    assert desk.shop.owner.get(f"{COMPANY}/{company['id']}").status_code == 200


@pytest.mark.full
def test_the_changes_of_an_organization_are_filtered_and_taken_back(desk, company):
    deals = [desk.shop.make(CrmDeal, name=f"Crane {number}") for number in range(2)]
    desk.shop.owner.put(f"{COMPANY}/{company['id']}", {"industry": "food"})
    page = desk.open("/crm/company")
    page.get_by_role("link", name="Changes").click()
    entries = page.get_by_role("list", name="Changes").get_by_role("listitem")
    expect(entries.first).to_contain_text("Harbour Works")
    expect(entries.first.get_by_role("row").filter(has_text="Industry")).to_contain_text("shippingfood")
    page.get_by_role("combobox", name="Records").click()
    page.get_by_role("option", name="Deals").click()
    expect(entries).to_have_count(2)
    entries.filter(has_text="Crane 1").get_by_role("button", name="Undo: Crane 1").click()
    page.get_by_role("dialog").get_by_role("button", name="Undo").click()
    expect(page.get_by_text("It is undone.")).to_be_visible()
    expect(entries.first).to_contain_text("Deleted")
    assert [desk.shop.owner.get(f"{CrmDeal.collection_path()}/{deal['id']}").status_code for deal in deals] == [
        200,
        404,
    ]
