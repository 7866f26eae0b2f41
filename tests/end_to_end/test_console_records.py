"""Records of any model in the console: made, found, changed, deleted, and what is said when that fails."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

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
    expect(page.get_by_role("cell", name="<b>Harbour</b> Works")).to_be_visible()
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
    expect(page.get_by_role("alert")).to_contain_text("name:")


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
        ("crm/company", "revenue", "revenue: is not a number"),
        ("analytics/activity", "metadata", "metadata: is not JSON"),
    ],
)
def test_what_cannot_be_read_is_said_in_the_dialog(page, email, model, field, said):
    page.goto(f"/console#/models/api/v1/{model}")
    page.get_by_role("button", name="New").click()
    page.get_by_label(re.compile(f"^{field}")).fill("many")
    page.locator("dialog form").evaluate("form => (form.noValidate = true)")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_have_text(said)


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
