"""Imports in the studio: files as people have them, checked, mended and imported."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from openpyxl import Workbook
from playwright.sync_api import expect

from app.crm.models import CrmCompany, CrmContact, CrmDeal


def choose(desk, path, title, file):
    """The dialog of imports of a list, with a file."""
    page = desk.open(path)
    page.get_by_role("button", name="Import").click()
    dialog = page.get_by_role("dialog", name=title)
    dialog.locator("input[type=file]").set_input_files(file)
    return dialog


@pytest.mark.full
def test_a_file_is_mapped_checked_and_imported(desk, tmp_path):
    company = desk.shop.make(CrmCompany, name="Harbour Works")
    file = tmp_path / "people.csv"
    rows = "\n".join(f"Ada{n};Byron;ada{n}@import.example;{company['id']}" for n in range(500))
    file.write_text(f"First name;Surname;E-mail;Firm\n{rows}\n")
    dialog = choose(desk, "/crm/contact", "Import Contacts", file)
    expect(dialog.get_by_text("Not mapped, though required: Last name, Company")).to_be_visible()
    for column, field in (("Surname", "Last name *"), ("Firm", "Company *")):
        dialog.get_by_role("combobox", name=f"Field: {column}").click()
        desk.page.get_by_role("option", name=field, exact=True).click()
    dialog.get_by_role("button", name="Check").click()
    expect(dialog.get_by_text("All rows can be imported.")).to_be_visible()
    dialog.get_by_role("button", name="Import 500 rows").click()
    expect(dialog.get_by_text("500 made, 0 changed, 0 left, 0 refused")).to_be_visible()
    assert desk.shop.owner.get(CrmContact.collection_path()).json["meta"]["count"] == 500


@pytest.mark.full
def test_a_check_counts_what_the_import_makes(desk, tmp_path):
    file = tmp_path / "companies.csv"
    rows = "\n".join(f"Company {n}," for n in range(600))
    file.write_text(f"name,website\n{rows}\nBad,nowhere\n")
    dialog = choose(desk, "/crm/company", "Import Companies", file)
    dialog.get_by_role("button", name="Check").click()
    counts = dialog.get_by_text("600 would be made, 0 changed, 0 left, 1 refused.")
    expect(counts).to_contain_text("nothing is imported")
    dialog.get_by_role("button", name="Import 601 rows").click()
    expect(dialog.get_by_text("0 made, 0 changed, 0 left, 1 refused")).to_be_visible()
    expect(dialog.get_by_role("textbox", name="website, Row 602")).to_have_value("nowhere")
    assert desk.shop.owner.get(CrmCompany.collection_path()).json["total"] == 0


@pytest.mark.full
def test_what_was_refused_of_a_file_is_mended_and_imported_too(desk, tmp_path):
    file = tmp_path / "companies.csv"
    file.write_text("name,website\nGood,\nBad,nowhere\nWorse,nothing\n")
    dialog = choose(desk, "/crm/company", "Import Companies", file)
    dialog.get_by_role("checkbox", name="Import the good rows").check()
    dialog.get_by_role("button", name="Import 3 rows").click()
    expect(dialog.get_by_text("1 made, 0 changed, 0 left, 2 refused")).to_be_visible()
    wrong = dialog.get_by_role("textbox", name="website, Row 2")
    expect(wrong).to_have_accessible_description(re.compile("URL"))
    wrong.fill("https://mended.example")
    dialog.get_by_role("row", name=re.compile("Row 3")).get_by_role("button", name="Leave this row out").click()
    dialog.get_by_role("button", name="Import 1 row").click()
    expect(dialog.get_by_text("1 made, 0 changed, 0 left, 0 refused")).to_be_visible()
    rows = desk.shop.owner.get(CrmCompany.collection_path()).json["data"]
    assert {row["name"]: row["website"] for row in rows} == {"Good": None, "Bad": "https://mended.example"}


@pytest.mark.full
def test_a_file_as_people_have_it_is_read_shown_and_remembered(desk, tmp_path):
    company = desk.shop.make(CrmCompany, name="Harbour Works")
    file = tmp_path / "deals.csv"
    rows = f"Größe;1.250,50 €;31.12.2026;{company['id']}\nKöln;7,00 €;1.2.2026;{company['id']}\n"
    file.write_bytes(f"Name;Betrag;Termin;Firma\n{rows}".encode("cp1252"))
    dialog = choose(desk, "/crm/deal", "Import Deals", file)
    expect(dialog.get_by_role("combobox", name="Letters")).to_have_text("Western European (Windows-1252)")
    for column, field in (("Betrag", "Amount"), ("Termin", "Expected close"), ("Firma", "Company *")):
        dialog.get_by_role("combobox", name=f"Field: {column}").click()
        desk.page.get_by_role("option", name=field, exact=True).click()
    expect(dialog.get_by_text("→ $1,250.50")).to_be_visible()
    dialog.get_by_role("button", name="Import 2 rows").click()
    expect(dialog.get_by_text("2 made, 0 changed, 0 left, 0 refused")).to_be_visible()
    deals = desk.shop.owner.get(f"{CrmDeal.collection_path()}?sort=name").json["data"]
    assert [(deal["name"], deal["amount"]) for deal in deals] == [("Größe", 125050), ("Köln", 700)]
    dialog.get_by_role("button", name="Another file").click()
    dialog.locator("input[type=file]").set_input_files(file)
    expect(dialog.get_by_role("combobox", name="Field: Betrag")).to_have_text("Amount")


@pytest.mark.full
def test_a_spreadsheet_is_imported(desk, tmp_path):
    company = desk.shop.make(CrmCompany, name="Harbour Works")
    file = tmp_path / "deals.xlsx"
    book = Workbook()
    book.active.append(["Name", "Amount", "Expected close", "Company"])
    book.active.append(["Crane", 1250, datetime(2026, 12, 31, 8, 30), company["name"]])
    book.save(file)
    dialog = choose(desk, "/crm/deal", "Import Deals", file)
    dialog.get_by_role("button", name="Import 1 row").click()
    expect(dialog.get_by_text("1 made, 0 changed, 0 left, 0 refused")).to_be_visible()
    [deal] = desk.shop.owner.get(CrmDeal.collection_path()).json["data"]
    assert (deal["amount"], deal["companyId"]) == (125000, company["id"])
    assert deal["expectedCloseAt"][:10] == "2026-12-31"
