"""Records of the studio: checked as one types, kept while unsaved, related, and reached by keyboard."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.storage.models import StorageBucket, StorageUpload


def test_what_is_wrong_is_said_at_its_field_while_one_types(desk):
    page = desk.open("/crm/company/create")
    website = page.get_by_role("textbox", name="Website")
    website.fill("javascript:alert(1)")
    website.blur()
    expect(page.get_by_text("This is no address")).to_be_visible()
    website.fill("https://harbour.example")
    expect(page.get_by_text("This is no address")).to_have_count(0)


def test_what_the_service_refuses_is_said_at_its_field(desk):
    company = desk.shop.make(CrmCompany)
    desk.shop.make(CrmContact, email="ada@taken.example", companyId=company["id"])
    page = desk.open(f'/crm/contact/create?source={{"companyId":"{company["id"]}"}}')
    for label, text in (("First name", "Ada"), ("Last name", "Byron"), ("E-mail", "ada@taken.example")):
        page.get_by_role("textbox", name=label).fill(text)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text(re.compile("meets something that is there already.*Request "))).to_be_visible()


def test_a_refusal_is_said_in_the_language_of_the_reader(seat):
    desk = seat(locale="de-DE")
    deal = desk.shop.make(CrmDeal, stage="lead")
    page = desk.open(f"/crm/deal/{deal['id']}/show")
    page.get_by_role("button", name="Interessent: Verschieben nach").click()
    page.get_by_role("menuitem", name="Verloren").click()
    expect(page.get_by_text("Grund des Verlusts: Wird benötigt, wenn ein Geschäft verloren ist.")).to_be_visible()


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


def test_moves_that_a_state_does_not_allow_are_not_offered(desk):
    deal = desk.shop.make(CrmDeal, stage="won")
    page = desk.open(f"/crm/deal/{deal['id']}")
    page.get_by_role("combobox", name="Stage").click()
    expect(page.get_by_role("option")).to_have_text(["Won", "Negotiation"])


def test_a_state_moves_from_its_badge(desk):
    deal = desk.shop.make(CrmDeal, stage="won")
    page = desk.open(f"/crm/deal/{deal['id']}/show")
    page.get_by_role("button", name="Won: Move to").click()
    expect(page.get_by_role("menuitem")).to_have_text(["Negotiation"])
    page.get_by_role("menuitem", name="Negotiation").click()
    expect(page.get_by_role("button", name="Negotiation: Move to")).to_be_visible()
    assert desk.shop.owner.get(f"/api/v1/crm/deal/{deal['id']}").json["stage"] == "negotiation"


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


def test_related_records_are_tabs_that_make_new_ones_of_this_one(desk):
    company = desk.shop.make(CrmCompany, name="Harbour Works")
    desk.shop.make(CrmDeal, name="Crane", companyId=company["id"])
    page = desk.open(f"/crm/company/{company['id']}/show")
    page.get_by_role("tab", name="Deals").click()
    expect(page.get_by_role("link", name="Crane")).to_be_visible()
    page.get_by_role("tabpanel").get_by_role("link", name="New").click()
    expect(page.get_by_role("combobox", name="Company")).to_have_value("Harbour Works")


def test_a_deletion_counts_once_it_is_not_taken_back(desk):
    company = desk.shop.make(CrmCompany, name="Harbour Works")
    page = desk.open(f"/crm/company/{company['id']}/show")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("Harbour Works is deleted.")).to_be_visible()
    expect(page.get_by_text("Harbour Works is deleted.")).to_have_count(0)
    assert desk.shop.owner.get(f"/api/v1/crm/company/{company['id']}").status_code == 404


def test_keys_of_the_keyboard_lead_everywhere(desk):
    company = desk.shop.make(CrmCompany)
    page = desk.open("/crm/company")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="New: Company")).to_be_visible()
    desk.open(f"/crm/company/{company['id']}/show")
    page.keyboard.press("e")
    expect(page.get_by_role("heading", name=re.compile("^Edit"))).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("list of deals")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Deals")).to_be_visible()


def test_json_is_checked_while_it_is_typed(desk):
    organization = desk.shop.owner.organization_id
    page = desk.open(f"/auth/organization/{organization}")
    page.get_by_role("button", name="More fields").click()
    editor = page.get_by_role("textbox", name="Metadata")
    editor.fill("{broken")
    editor.blur()
    expect(page.get_by_text(re.compile("^This is not JSON"))).to_be_visible()
    editor.fill('{"floor": 4}')
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/show")
    assert desk.shop.owner.get(f"/api/v1/auth/organization/{organization}").json["metadata"] == {"floor": 4}


def test_long_text_is_markdown_with_a_preview(desk):
    deal = desk.shop.make(CrmDeal, description="### Plan\n\nTwo **cranes**.")
    page = desk.open(f"/crm/deal/{deal['id']}/show")
    expect(page.get_by_role("heading", name="Plan", level=2)).to_be_visible()
    desk.open(f"/crm/deal/{deal['id']}")
    page.get_by_role("tab", name="Preview").click()
    expect(page.locator("strong", has_text="cranes")).to_be_visible()


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


def test_a_larger_file_for_a_bucket_of_its_own_is_refused_with_the_reason(desk, tmp_path):
    file = tmp_path / "large.txt"
    file.write_text("Quay 4.\n" * 100_000)
    (bucket,) = desk.shop.owner.get(StorageBucket.collection_path()).json["data"]
    page = desk.open(f'/storage/upload/create?source={{"bucketId":"{bucket["id"]}"}}')
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("leave the bucket empty")).to_be_visible()
    assert desk.shop.owner.get(StorageUpload.collection_path()).json["data"] == []


def test_a_file_beyond_what_the_service_takes_is_refused_before_it_is_sent(desk, tmp_path):
    file = tmp_path / "huge.txt"
    file.write_bytes(b"x" * (25 * 1024 * 1024 + 1))
    page = desk.open("/storage/upload/create")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_text("This file is larger than files may be: at most 25 MiB.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("The form is not valid.")).to_be_visible()
    assert desk.shop.owner.get(StorageUpload.collection_path()).json["data"] == []


def test_the_keyboard_saves_a_form(desk):
    page = desk.open("/crm/company/create")
    page.get_by_role("textbox", name="Name").fill("Harbour Works")
    page.keyboard.press("Control+s")
    page.wait_for_url("**/show")
    assert [each["name"] for each in desk.shop.owner.get(CrmCompany.collection_path()).json["data"]] == [
        "Harbour Works"
    ]


def test_what_is_said_at_a_field_is_not_said_once_more(desk):
    page = desk.open("/crm/company/create")
    page.route(
        re.compile("/api/v1/crm/company$"),
        lambda route: route.fulfill(
            status=400, json={"error": "Invalid name: Is taken.", "details": {"fields": {"name": ["Is taken."]}}}
        ),
    )
    page.get_by_role("textbox", name="Name").fill("Harbour Works")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("see what is said at the fields")).to_be_visible()
    expect(page.get_by_text("Is taken.")).to_have_count(1)


def test_what_is_wrong_with_a_field_is_said_by_its_label(desk):
    deal = desk.shop.make(CrmDeal, stage="lead")
    page = desk.open(f"/crm/deal/{deal['id']}/show")
    page.get_by_role("button", name="Lead: Move to").click()
    page.get_by_role("menuitem", name="Lost").click()
    expect(page.get_by_text("Lost reason: Is required when a deal is lost.")).to_be_visible()


def test_words_are_looked_for_where_somebody_chooses(desk):
    page = desk.open("/crm/deal")
    page.keyboard.press("Control+k")
    page.keyboard.type("harbour")
    expect(page.get_by_role("option")).to_have_text(["Search Deals for “harbour”", "Search for “harbour” in …"])
    page.get_by_role("option", name="Search for “harbour” in …").click()
    page.keyboard.type("companies")
    page.get_by_role("option", name="Search Companies for “harbour”").click()
    page.wait_for_url("**/crm/company?q=harbour")


def test_a_new_user_is_told_of_by_mail(seat):
    page = seat("admin").open("/auth/user/create")
    expect(page.get_by_text("gets a mail with a link")).to_be_visible()
