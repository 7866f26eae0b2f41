"""What people work with beside lists and forms: comments, dashboards, first steps, and a dense list."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from app.auth.models.organizations import AuthMember
from app.crm.models import CrmCompany, CrmDeal
from app.testing.database import transaction

WHOLLY_SHOWN = """() => {
    const below = ({ bottom }) => bottom > document.querySelector("[role=grid]").getBoundingClientRect().bottom;
    return [...document.querySelectorAll(".record")].filter((row) => !below(row.getBoundingClientRect())).length;
}"""


def test_a_dense_list_shows_thirty_rows(desk):
    for number in range(34):
        desk.shop.make(CrmCompany, name=f"Company {number:02}")
    desk.page.set_viewport_size({"width": 1440, "height": 900})
    page = desk.open("/crm/company?density=compact")
    expect(page.get_by_role("link", name="Company 33")).to_be_visible()
    assert page.evaluate(WHOLLY_SHOWN) >= 30


@pytest.mark.full
def test_a_comment_names_a_colleague_who_hears_of_it(app, cast, desk):
    deal, colleague = desk.shop.make(CrmDeal, name="Crane"), cast.user()
    name = colleague.get(f"/api/v1/auth/user/{colleague.user_id}").json["name"]
    with app.app_context(), transaction() as session:
        organization = desk.shop.owner.organization_id
        session.add(AuthMember(organization_id=organization, user_id=colleague.user_id, role="member"))
    page = desk.open(f"/crm/deal/{deal['id']}/show")
    activity = page.get_by_role("complementary", name="Activity")
    text = activity.get_by_label("Write a comment")
    text.press_sequentially("Ask @User")
    page.get_by_role("option", name=name).click()
    text.press_sequentially("about the price")
    activity.get_by_role("button", name="Comment", exact=True).click()
    expect(activity.get_by_role("listitem").filter(has_text=f"Ask @{name} about the price")).to_be_visible()
    expect(text).to_have_value("")
    (told,) = colleague.get("/api/v1/notification/notification").json["data"]
    assert (told["type"], told["data"]["id"]) == ("MENTION", deal["id"])


@pytest.mark.full
def test_a_comment_is_changed_and_removed_where_it_stands(desk):
    deal = desk.shop.make(CrmDeal, name="Crane")
    path = f"{CrmDeal.collection_path()}/{deal['id']}/_comments"
    assert desk.shop.owner.post(path, {"text": "On Monday"}).status_code == 201
    page = desk.open(f"/crm/deal/{deal['id']}/show")
    more = page.get_by_role("button", name="More of the comment")
    more.click()
    page.get_by_role("menuitem", name="Change").click()
    page.get_by_label("Change", exact=True).fill("On Tuesday")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("On Tuesday", exact=True)).to_be_visible()
    more.click()
    page.get_by_role("menuitem", name="Remove").click()
    expect(page.get_by_text("Nobody has written anything yet.")).to_be_visible()


@pytest.mark.full
def test_a_dashboard_is_made_of_panels_that_follow_what_changes(desk):
    company = desk.shop.make(CrmCompany, name="Harbour Works")["id"]
    desk.shop.make(CrmDeal, name="Crane", companyId=company, stage="won", amount=50_000)
    page = desk.open("/dashboards")
    page.get_by_role("button", name="New dashboard").click()
    stages = page.get_by_role("region", name="Deals by stage")
    expect(stages.get_by_role("img")).to_have_attribute("aria-label", "Deals by stage: Won $500.00")
    page.get_by_role("button", name="Add a panel").click()
    form = page.get_by_role("dialog", name="Add a panel")
    form.get_by_label("Shows").click()
    page.get_by_role("option", name="A figure").click()
    form.get_by_label("Title").fill("Pipeline")
    form.get_by_label("Of which records").click()
    page.get_by_role("option", name="Deals").click()
    form.get_by_label("Measure").click()
    page.get_by_role("option", name="Sum").click()
    form.get_by_role("button", name="Keep").click()
    figure = page.get_by_role("region", name="Pipeline")
    expect(figure.get_by_text("$500.00")).to_be_visible()
    desk.shop.make(CrmDeal, name="Quay", companyId=company, stage="lead", amount=25_000)
    expect(figure.get_by_text("$750.00")).to_be_visible()
    page.reload()
    expect(page.get_by_role("region", name="Pipeline").get_by_text("$750.00")).to_be_visible()


@pytest.mark.full
def test_a_chart_is_saved_as_a_table_and_as_a_picture(desk):
    desk.shop.make(CrmDeal, name="Crane", stage="won", amount=50_000)
    page = desk.open("")
    stages = page.get_by_role("region", name="Deals by stage")
    expect(stages.locator("svg.recharts-surface").first).to_be_visible()
    saved = {}
    for kind in ("CSV", "PNG"):
        stages.get_by_role("button", name="More of").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=f"Save as {kind}").click()
        saved[kind] = download.value.path().read_bytes()
    assert saved["CSV"].decode("utf-8-sig") == "Stage,Sum of Amount\r\nWon,50000"
    assert saved["PNG"].startswith(b"\x89PNG")


@pytest.mark.full
def test_the_first_steps_of_an_empty_organization_are_ticked_off(desk):
    page = desk.open("")
    steps = page.get_by_role("region", name="First steps")
    expect(steps.get_by_role("listitem")).to_have_count(4)
    expect(steps.get_by_role("img", name="Done")).to_have_count(0)
    desk.shop.make(CrmCompany, name="Harbour Works")
    page = desk.open("")
    expect(steps.get_by_role("img", name="Done")).to_have_count(1)
    steps.get_by_role("button", name="Hide").click()
    expect(steps).to_have_count(0)


@pytest.mark.full
def test_the_colour_of_an_organization_is_that_of_the_studio(desk):
    page = desk.open("/organization/settings")
    page.get_by_label("Colour").fill("#0a7d5c")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name=re.compile("Undo")).wait_for()
    page = desk.open("/crm/company")
    button = page.get_by_role("link", name="New", exact=True).first
    expect(button).to_have_css("background-color", "rgb(10, 125, 92)")
    stored = desk.shop.owner.get(f"/api/v1/auth/organization/{desk.shop.owner.organization_id}").json["metadata"]
    assert json.dumps(stored) == '{"accent": "#0a7d5c"}'


@pytest.mark.full
def test_what_is_pinned_stands_at_the_top_of_the_navigation(desk):
    page = desk.open("/crm/company")
    page.get_by_role("button", name="Pin to the navigation").click()
    pinned = page.get_by_role("navigation", name="Main navigation").get_by_role("list", name="Pinned")
    expect(pinned.get_by_role("link")).to_have_text(["Companies"])
    page.reload()
    expect(pinned.get_by_role("link")).to_have_text(["Companies"])


@pytest.mark.full
def test_totals_are_of_all_that_a_list_shows(desk):
    company = desk.shop.make(CrmCompany, name="Harbour Works")["id"]
    for amount in (10_000, 20_000):
        desk.shop.make(CrmDeal, companyId=company, amount=amount)
    page = desk.open("/crm/deal")
    page.get_by_role("button", name="View", exact=True).click()
    page.get_by_role("button", name="Total of Amount").click()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Sum of Amount")).to_be_visible()
    expect(page.get_by_text("$300.00", exact=True)).to_be_visible()
