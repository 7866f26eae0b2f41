"""The studio while others write: what is shown changes by itself, and what somebody enters stays."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember
from app.crm.models import CrmCompany
from app.testing.database import transaction
from tests.studio.conftest import SCROLLED_TO

COMPANIES = "/crm/company"
PATH = CrmCompany.collection_path()


@pytest.fixture
def works(desk):
    """A company."""
    return desk.shop.make(CrmCompany, name="Harbour Works", industry="Freight")


@pytest.fixture
def ada(app, cast, desk):
    """A colleague who writes, called Ada."""
    colleague = cast.colleague(desk.shop.owner)
    with app.app_context(), transaction() as session:
        session.get_one(AuthUser, colleague.user_id).name = "Ada King"
    return colleague


@pytest.fixture
def look(desk):
    """Opens a page, and waits until it hears of changes."""

    def open_page(path):
        with desk.page.expect_response("**/_changes/stream*"):
            return desk.open(path)

    return open_page


def named(page, name):
    return page.get_by_role("main").get_by_role("textbox", name=name, exact=True)


def test_one_of_two_browsers_edits_and_the_other_sees_it_in_the_list_and_on_the_record(app, seat, desk, look, works):
    other = seat()
    with app.app_context(), transaction() as session:
        home, colleague = desk.shop.owner.organization_id, other.shop.owner.user_id
        session.add(AuthMember(organization_id=home, user_id=colleague, role="member"))
    record, shown = look(f"{COMPANIES}/{works['id']}/show"), desk.context.new_page()
    shown.goto(f"/console{COMPANIES}")
    expect(shown.get_by_text("1 record")).to_be_visible()
    editor = other.open(f"{COMPANIES}/{works['id']}")
    named(editor, "Name").fill("Harbour Foods")
    editor.get_by_role("button", name="Save", exact=True).click()
    expect(shown.get_by_text("Changed by Ada Byron: Harbour Foods")).to_be_visible()
    expect(record.get_by_role("heading", name="Harbour Foods")).to_be_visible()
    expect(shown.get_by_role("link", name="Harbour Foods")).to_be_visible()
    expect(record.get_by_text("Changed by Ada Byron: Harbour Foods")).to_be_visible()


@pytest.mark.full
def test_records_come_and_go_with_their_count(look, desk, ada, works):
    page = look(COMPANIES)
    expect(page.get_by_text("1 record")).to_be_visible()
    place = {"organizationId": str(desk.shop.owner.organization_id)}
    made = ada.post(PATH, {"name": "Crane Works"} | place).json
    expect(page.get_by_text("Added by Ada King: Crane Works")).to_be_visible()
    expect(page.get_by_text("2 records")).to_be_visible()
    assert ada.delete(f"{PATH}/{made['id']}").status_code == 200
    expect(page.get_by_text("No longer here: Crane Works")).to_be_visible()
    expect(page.get_by_text("1 record")).to_be_visible()
    expect(page.get_by_role("link", name="Crane Works")).to_have_count(0)


@pytest.mark.full
def test_what_somebody_enters_is_kept_beside_what_another_has_written(look, desk, ada, works):
    page = look(f"{COMPANIES}/{works['id']}")
    named(page, "Name").fill("Entered here")
    assert ada.put(f"{PATH}/{works['id']}", {"name": "By Ada", "industry": "Food"}).status_code == 200
    notice = page.get_by_role("alert").filter(has_text="Changed meanwhile by Ada King")
    expect(notice).to_be_visible()
    expect(named(page, "Name")).to_have_value("Entered here")
    notice.get_by_role("button", name="Compare").click()
    dialog = page.get_by_role("dialog", name="Somebody else has changed this record")
    expect(dialog.get_by_text("By Ada")).to_be_visible()
    dialog.get_by_role("button", name="Save this").click()
    page.wait_for_url("**/show")
    stored = desk.shop.owner.get(f"{PATH}/{works['id']}").json
    assert (stored["name"], stored["industry"]) == ("Entered here", "Food")


@pytest.mark.full
def test_what_changes_while_a_page_is_opened_is_shown(desk, ada):
    def write(route):
        ada.post(PATH, {"name": "Early Works", "organizationId": str(desk.shop.owner.organization_id)})
        route.continue_()

    desk.page.route("**/_changes/stream*", write, times=1)
    page = desk.open(COMPANIES)
    expect(page.get_by_role("link", name="Early Works")).to_be_visible()


@pytest.mark.full
def test_a_form_that_nobody_has_touched_shows_the_change(look, ada, works):
    page = look(f"{COMPANIES}/{works['id']}")
    expect(named(page, "Name")).to_have_value("Harbour Works")
    ada.put(f"{PATH}/{works['id']}", {"name": "By Ada"})
    expect(named(page, "Name")).to_have_value("By Ada")
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.full
def test_an_edited_cell_is_kept_and_both_versions_are_compared(look, desk, ada, works):
    page = look(COMPANIES)
    page.get_by_role("button", name="Edit Name of Harbour Works").focus()
    page.keyboard.press("Enter")
    cell = page.get_by_role("dialog", name="Name").get_by_role("textbox")
    cell.fill("Entered here")
    ada.put(f"{PATH}/{works['id']}", {"name": "By Ada"})
    expect(page.get_by_text(re.compile("^Changed by Ada King"))).to_be_visible()
    expect(cell).to_have_value("Entered here")
    page.get_by_role("dialog", name="Name").get_by_role("button", name="Save").click()
    dialog = page.get_by_role("dialog", name="Somebody else has changed this record")
    dialog.get_by_role("radio").last.check()
    dialog.get_by_role("button", name="Save this").click()
    expect(page.get_by_role("link", name="By Ada")).to_be_visible()
    assert desk.shop.owner.get(f"{PATH}/{works['id']}").json["name"] == "By Ada"


@pytest.mark.full
def test_a_long_list_says_that_there_is_something_new(app, look, desk, ada):
    home = desk.shop.owner.organization_id
    with app.app_context(), transaction() as session:
        rows = ({"organization_id": home, "name": f"Company {number:03}"} for number in range(500))
        session.bulk_insert_mappings(CrmCompany, rows)
    page = look(f"{COMPANIES}?sort=name")
    page.wait_for_function(SCROLLED_TO, arg="Company 499")
    ada.post(PATH, {"name": "Aardvark", "organizationId": str(home)})
    page.get_by_role("button", name="Show what is new").click()
    expect(page.get_by_role("link", name="Aardvark")).to_be_visible()
    expect(page.get_by_role("button", name="Show what is new")).to_have_count(0)


@pytest.mark.full
def test_nothing_is_missed_without_a_network_nor_while_the_machine_sleeps_for_an_hour(desk, look, ada):
    home = str(desk.shop.owner.organization_id)
    desk.page.clock.install()
    page = look(COMPANIES)
    for name in ("While away", "While asleep"):
        desk.context.set_offline(True)
        ada.post(PATH, {"name": name, "organizationId": home})
        if name == "While asleep":
            page.clock.fast_forward("01:00:00")
        desk.context.set_offline(False)
        expect(page.get_by_role("link", name=name)).to_be_visible(timeout=60_000)


@pytest.mark.full
def test_a_refusal_on_the_way_ends_nothing_for_good(desk, ada):
    refused = {"error": "Held back", "code": "FORBIDDEN", "details": {}}
    desk.page.clock.install()
    desk.page.route("**/_changes/stream*", lambda route: route.fulfill(status=403, json=refused), times=1)
    with desk.page.expect_response("**/_changes/stream*"):
        page = desk.open(COMPANIES)
    with page.expect_response("**/_changes/stream*"):
        page.clock.fast_forward("00:31")
    ada.post(PATH, {"name": "Crane Works", "organizationId": str(desk.shop.owner.organization_id)})
    expect(page.get_by_role("link", name="Crane Works")).to_be_visible()
