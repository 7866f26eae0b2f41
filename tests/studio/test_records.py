"""Records of the studio: checked as one types, kept while unsaved, related, and reached by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from app.crm.models import CrmCompany, CrmDeal
from app.storage.models import StorageUpload


def test_a_reference_is_found_by_its_words_or_made_on_the_spot(desk):
    desk.shop.make(CrmCompany, name="Harbour Works")
    page = desk.open("/crm/contact/create")
    company = page.get_by_role("combobox", name="Company")
    company.fill("harb")
    page.get_by_role("option", name="Harbour Works").click()
    expect(company).to_have_value("Harbour Works")
    company.fill("Skerry Freight")
    page.get_by_role("option", name=re.compile("New.*Skerry Freight")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("textbox", name="Name")).to_have_value("Skerry Freight")
    dialog.get_by_role("button", name="Save").click()
    expect(company).to_have_value("Skerry Freight")


@pytest.mark.full
def test_a_state_moves_from_its_badge(desk):
    deal = desk.shop.make(CrmDeal, stage="won")
    page = desk.open(f"/crm/deal/{deal['id']}/show")
    page.get_by_role("button", name="Won: Move to").click()
    expect(page.get_by_role("menuitem")).to_have_text(["Negotiation"])
    page.get_by_role("menuitem", name="Negotiation").click()
    expect(page.get_by_role("button", name="Negotiation: Move to")).to_be_visible()
    assert desk.shop.owner.get(f"/api/v1/crm/deal/{deal['id']}").json["stage"] == "negotiation"


@pytest.mark.full
def test_what_is_not_saved_is_asked_about_and_offered_again(desk):
    company = desk.shop.make(CrmCompany, name="Harbour Works")
    page = desk.open(f"/crm/company/{company['id']}")
    page.get_by_role("textbox", name="Industry").fill("shipping")
    page.wait_for_function("() => Object.keys(sessionStorage).some((key) => key.startsWith('rowgate.draft:'))")
    page.goto(page.url)
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("textbox", name="Industry")).to_have_value("shipping")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/show")
    assert desk.shop.owner.get(f"/api/v1/crm/company/{company['id']}").json["industry"] == "shipping"
    assert page.evaluate("() => Object.keys(sessionStorage).filter((key) => key.startsWith('rowgate.draft:'))") == []


@pytest.mark.full
def test_a_record_is_printed_whole_and_by_itself(desk):
    deal = desk.shop.make(CrmDeal, name="Cranes", description="\n\n".join(f"Paragraph {n}" for n in range(200)))
    page = desk.open(f"/crm/deal/{deal['id']}/show")
    expect(page.get_by_role("button", name="Print")).to_be_visible()
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.get_by_role("heading", name="Cranes")).to_be_visible()
    expect(page.get_by_role("button", name="Print")).to_be_hidden()
    expect(page.get_by_role("navigation", name="Main navigation")).to_be_hidden()
    assert page.evaluate("() => document.body.scrollHeight > 3000")
    assert page.get_by_text("Paragraph 199").evaluate("(text) => getComputedStyle(text).color") == "rgb(0, 0, 0)"


@pytest.mark.full
def test_related_records_are_tabs_that_make_new_ones_of_this_one(desk):
    company = desk.shop.make(CrmCompany, name="Harbour Works")
    desk.shop.make(CrmDeal, name="Crane", companyId=company["id"])
    page = desk.open(f"/crm/company/{company['id']}/show")
    page.get_by_role("tab", name="Deals").click()
    expect(page.get_by_role("link", name="Crane")).to_be_visible()
    page.get_by_role("tabpanel").get_by_role("link", name="New").click()
    expect(page.get_by_role("combobox", name="Company")).to_have_value("Harbour Works")


@pytest.mark.full
def test_keys_of_the_keyboard_lead_everywhere(desk):
    company = desk.shop.make(CrmCompany)
    page = desk.open("/crm/company")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="New: Company")).to_be_visible()
    page.get_by_role("textbox", name="Name").fill("Harbour Works")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("heading", name="Harbour Works")).to_be_visible()
    desk.open(f"/crm/company/{company['id']}/show")
    page.keyboard.press("e")
    expect(page.get_by_role("heading", name=re.compile("^Edit"))).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("list of deals")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Deals")).to_be_visible()


@pytest.mark.full
def test_the_palette_finds_records_of_what_one_uses(desk):
    deal = desk.shop.make(CrmDeal, name="Quay cranes")
    page = desk.open("/crm/deal")
    page.keyboard.press("Control+k")
    page.keyboard.type("cranes")
    page.get_by_role("option", name="Quay cranes").click()
    page.wait_for_url(f"**/crm/deal/{deal['id']}/show")


@pytest.mark.full
def test_a_file_is_dropped_seen_and_kept(desk, tmp_path):
    file = tmp_path / "plan.txt"
    file.write_text("Quay 4 has two cranes.")
    page = desk.open("/storage/upload/create")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_role("textbox", name="Filename")).to_have_value("plan.txt")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/show")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert download.value.path().read_text() == "Quay 4 has two cranes."


@pytest.mark.full
def test_a_larger_file_goes_once_it_is_saved_with_what_the_form_says_of_it(desk, tmp_path):
    file = tmp_path / "large.txt"
    file.write_text("Quay 4.\n" * 100_000)
    page = desk.open("/storage/upload/create")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_text("At most 25 MiB.")).to_be_visible()
    page.get_by_role("textbox", name="Filename").fill("quay.txt")
    page.get_by_role("combobox", name="Visibility").click()
    page.get_by_role("option", name="Public").click()
    assert desk.shop.owner.get(StorageUpload.collection_path()).json["data"] == []
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/show")
    (stored,) = desk.shop.owner.get(StorageUpload.collection_path()).json["data"]
    assert (stored["filename"], stored["size"], stored["visibility"]) == ("quay.txt", 800_000, "public")


@pytest.mark.full
def test_words_are_looked_for_where_somebody_chooses(desk):
    page = desk.open("/crm/deal")
    page.keyboard.press("Control+k")
    page.keyboard.type("harbour")
    expect(page.get_by_role("option")).to_have_text(["Search Deals for “harbour”", "Search for “harbour” in …"])
    page.get_by_role("option", name="Search for “harbour” in …").click()
    page.keyboard.type("companies")
    page.get_by_role("option", name="Search Companies for “harbour”").click()
    page.wait_for_url("**/crm/company?q=harbour")
