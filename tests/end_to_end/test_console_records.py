"""Records of any model in the console: made, found, changed, deleted, and what is said when that fails."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from sqlalchemy import update

from app.auth.models.identity import AuthUser
from app.testing.database import transaction

COMPANIES = "**/api/v1/crm/company?*"
COMPANY = "**/api/v1/crm/company/cm_1"


def show_company(page, **values):
    """Open the list of companies, which holds one with these values."""
    record = {"id": "cm_1", "name": "Harbour Works", "visibility": "private", **values}
    page.route(COMPANIES, lambda route: route.fulfill(json={"data": [record], "total": 1}))
    page.goto("/console#/models/api/v1/crm/company")
    page.get_by_role("button", name="Open").click()


def test_a_record_is_made_found_changed_and_deleted(page, email):
    page.get_by_role("link", name="Models").click()
    page.get_by_role("link", name="company", exact=True).click()
    page.get_by_role("button", name="New").click()
    page.get_by_label("name *").fill("<b>Harbour</b> Works")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("cell", name="<b>Harbour</b> Works", exact=True)).to_be_visible()
    page.get_by_label("Field").select_option("name")
    page.get_by_label("Value").fill("Nothing like it")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_text("No records.")).to_be_visible()
    page.get_by_label("Value").fill("")
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("button", name="Open").click()
    page.get_by_label("industry").fill("shipping")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("cell", name="shipping")).to_be_visible()
    expect(page.get_by_role("heading", name="crm / company")).to_be_focused()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Open").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No records.")).to_be_visible()


def test_what_the_service_refuses_is_said_in_the_dialog(page, email):
    page.goto("/console#/models/api/v1/crm/company")
    page.get_by_role("button", name="New").click()
    page.get_by_label("name *").fill("x" * 300)
    page.get_by_role("button", name="Save").click()
    name = page.get_by_label("name *")
    expect(name).to_be_focused()
    expect(name).to_have_accessible_description("Length must be between 1 and 200.")
    expect(page.get_by_role("dialog").get_by_role("alert")).to_have_text("")
    name.fill("Harbour Works")
    expect(name).to_have_accessible_description("")


def test_only_fields_that_were_changed_are_sent(page, email):
    show_company(page, name="Harbour\r\nWorks", website="a\r\nb", visibility="unheard of", revenue=100)
    page.route(COMPANY, lambda route: route.fulfill(json={}))
    page.get_by_label("industry").fill("shipping")
    with page.expect_request(COMPANY) as sent:
        page.get_by_role("button", name="Save").click()
    assert sent.value.post_data_json == {"industry": "shipping"}


def test_a_refused_deletion_is_said_in_the_dialog(page, email):
    show_company(page)
    page.route(COMPANY, lambda route: route.fulfill(status=409, json={"error": "It has deals"}))
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_have_text("It has deals")


@pytest.mark.parametrize(
    ("model", "field", "said"),
    [
        ("crm/company", "revenue", "Is not a number."),
        ("analytics/activity", "metadata", "Is not JSON."),
    ],
)
def test_what_cannot_be_read_is_said_in_the_dialog(page, email, model, field, said):
    page.goto(f"/console#/models/api/v1/{model}")
    page.get_by_role("button", name="New").click()
    page.get_by_label(re.compile(f"^{field}")).fill("many")
    page.locator("dialog form").evaluate("form => (form.noValidate = true)")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label(re.compile(f"^{field}"))).to_have_accessible_description(said)


def test_escape_asks_before_it_discards_what_was_entered(page, email):
    page.goto("/console#/models/api/v1/crm/company")
    page.get_by_role("button", name="New").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="New").click()
    page.get_by_label("name *").fill("Harbour Works")
    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.keyboard.press("Escape")
    expect(page.get_by_label("name *")).to_have_value("Harbour Works")
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert asked == ["Discard what you have entered?"] * 2


def test_a_file_is_uploaded(page, email, tmp_path):
    (tmp_path / "plan.txt").write_text("The crane may be 40 m high.")
    page.goto("/console#/models/api/v1/storage/upload")
    page.get_by_role("button", name="New").click()
    page.get_by_label("File").set_input_files(tmp_path / "plan.txt")
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_role("cell", name="plan.txt")).to_be_visible()
    expect(page.get_by_role("button", name="Open")).to_have_count(1)


def test_new_is_offered_to_those_who_may(page, email):
    page.goto("/console#/models/api/v1/platform/feature-flag")
    expect(page.get_by_role("heading", name="platform / feature-flag")).to_be_visible()
    expect(page.get_by_role("button", name="New")).to_have_count(0)


def test_an_admin_is_offered_what_admins_may(page, email, app):
    with app.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.email == email).values(role="admin"))
    page.goto("/console#/models/api/v1/platform/feature-flag")
    page.get_by_role("button", name="New").click()
    expect(page.get_by_label("key *")).to_be_visible()


def test_buttons_of_rows_say_which_record_they_open(page, email):
    show_company(page)
    expect(page.get_by_role("dialog", name="crm company Harbour Works")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Open Harbour Works", exact=True)).to_be_visible()


def test_pages_of_records_follow_each_other(page, email):
    def answer(route):
        skip = 20 if "skip=20" in route.request.url else 0
        route.fulfill(
            json={"data": [{"id": str(n), "name": f"N{n}"} for n in range(skip, min(skip + 20, 21))], "total": 21}
        )

    page.route(COMPANIES, answer)
    page.goto("/console#/models/api/v1/crm/company")
    expect(page.get_by_text("1 to 20 of 21")).to_have_attribute("role", "status")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("21 to 21 of 21")).to_be_visible()
    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    expect(page.get_by_role("heading", name="crm / company")).to_be_focused()


def test_keys_are_made_on_their_own_page_only(page, email):
    page.get_by_role("link", name="Models").click()
    expect(page.get_by_role("link", name="api-key", exact=True)).to_have_attribute("href", "#/keys")
    page.goto("/console#/models/api/v1/auth/api-key")
    expect(page.get_by_text("No records.")).to_be_visible()
    expect(page.get_by_role("button", name="New")).to_have_count(0)
    expect(page.get_by_role("button", name="Filter")).to_have_count(0)
