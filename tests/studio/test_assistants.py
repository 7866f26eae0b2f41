"""Assistants in the studio: configurations to copy, tools to try, and apps to disconnect."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from app.crm.models import CrmCompany, CrmContact
from tests.account.visitors import Visitor
from tests.auth.clients.connecting import Client, connect, register
from tests.end_to_end.test_account_pages import AXE
from tests.studio.conftest import PASSWORD, PHONE
from tests.studio.test_variants import FOUND, RULES, WIDER


@pytest.fixture
def page(desk):
    return desk.open("/assistants")


def choose(page, label, option):
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option, exact=True).click()


def ask_for(page, model):
    choose(page, "Tool", "Query records")
    choose(page, "model", model)


def run(page):
    page.get_by_role("button", name="Run").click()


def check(page):
    """Look for what axe finds wrong, and for what is too wide."""
    page.evaluate(AXE.read_text())
    assert page.evaluate(FOUND, RULES) == []
    assert page.evaluate(WIDER) <= 0


@pytest.mark.full
def test_the_navigation_leads_to_configurations_that_are_copied(seat, service):
    desk = seat(permissions=["clipboard-read", "clipboard-write"])
    page = desk.open("")
    page.get_by_role("navigation").get_by_role("link", name="Connect an assistant").click()
    expect(page).to_have_title("Connect an assistant · Rowgate studio")
    page.get_by_role("button", name="Copy: Address").click()
    assert page.evaluate("() => navigator.clipboard.readText()") == f"{service}/mcp"
    # With the arrows, as a keyboard has it.
    page.get_by_role("tab", name="Claude Code").focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="VS Code")).to_have_attribute("aria-selected", "true")
    page.get_by_role("switch", name="With an API key instead").check()
    page.get_by_role("button", name="Copy: Configuration of VS Code").click()
    expect(page.get_by_role("button", name="Copied: Configuration of VS Code")).to_be_visible()
    copied = json.loads(page.evaluate("() => navigator.clipboard.readText()"))
    headers = {"Authorization": "Bearer <API key>"}
    assert copied == {"servers": {"rowgate": {"type": "http", "url": f"{service}/mcp", "headers": headers}}}
    check(page)
    page.get_by_role("link", name="Open API keys").click()
    expect(page.get_by_role("heading", name="API keys", level=1)).to_be_visible()


@pytest.mark.full
def test_a_tool_answers_what_its_form_asks_for(desk, page):
    desk.shop.make(CrmContact, firstName="Grace", lastName="Hopper")
    desk.shop.make(CrmContact, firstName="Ada", lastName="Lovelace")
    ask_for(page, "crm/contact")
    page.get_by_label("where").fill('{"firstName": "Grace"}')
    page.get_by_label("fields").fill("lastName, firstName")
    page.get_by_label("take").fill("5")
    run(page)
    answer = page.get_by_role("group", name="Answer", exact=True)
    expect(answer).to_contain_text("Hopper")
    found = json.loads(answer.inner_text())
    assert [(each["firstName"], each["lastName"]) for each in found["data"]] == [("Grace", "Hopper")]
    assert (found["meta"]["take"], found["meta"]["count"]) == (5, 1)
    expect(page.get_by_role("status").filter(has_text="The tool has answered.")).to_have_count(1)
    check(page)


@pytest.mark.full
def test_what_is_wrong_is_said_in_words_before_it_is_sent_and_after(page):
    ask_for(page, "crm/contact")
    where = page.get_by_label("where")
    where.fill("{oops")
    run(page)
    expect(where).to_be_focused()
    expect(page.get_by_text("This is not JSON")).to_be_visible()
    where.fill('{"nothing": 1}')
    run(page)
    refused = page.get_by_role("alert")
    expect(refused).to_contain_text("The tool could not do this")
    expect(refused).to_contain_text("Unknown field")
    check(page)
    where.fill("")
    page.get_by_label("take").fill("100")
    run(page)
    expect(refused).to_contain_text("50")


@pytest.mark.full
def test_a_tool_that_writes_asks_first_and_then_really_does(desk, page):
    choose(page, "Tool", "Create a record")
    choose(page, "model", "crm/company")
    page.get_by_label("values").fill('{"name": "Harbour Works"}')
    run(page)
    question = page.get_by_role("dialog", name="Create a record: really?")
    question.get_by_role("button", name="Cancel").click()
    path = CrmCompany.collection_path()
    assert desk.shop.owner.get(path).json["data"] == []
    run(page)
    question.get_by_role("button", name="Run").click()
    expect(page.get_by_role("group", name="Answer", exact=True)).to_contain_text("Harbour Works")
    assert [each["name"] for each in desk.shop.owner.get(path).json["data"]] == ["Harbour Works"]


@pytest.mark.full
def test_an_app_is_listed_and_disconnected(app, desk, page):
    apps = page.locator("section").filter(has=page.get_by_role("heading", name="Connected apps"))
    expect(apps).to_contain_text("No app is connected")
    person, client = Visitor(app), Client(app, register(app, "Harbour helper"))
    person.email = desk.email
    assert person.sign_in(password=PASSWORD).status_code == 303
    connect(person, client, may="read")
    page.reload()
    row = page.get_by_role("row").filter(has_text="Harbour helper")
    expect(row).to_contain_text(re.compile("Read.*Never"))
    assert client.call("list_models").status_code == 200
    check(page)
    row.get_by_role("button", name="Disconnect: Harbour helper").click()
    question = page.get_by_role("dialog", name="Disconnect Harbour helper?")
    question.get_by_role("button", name="Disconnect").click()
    expect(apps).to_contain_text("No app is connected")
    assert client.call("list_models").status_code == 401


@pytest.mark.full
def test_it_is_read_and_filled_in_on_a_phone_in_german(seat):
    desk = seat(locale="de-DE", color_scheme="dark", **PHONE)
    desk.shop.make(CrmContact, firstName="Grace", lastName="Hopper")
    page = desk.open("/assistants")
    choose(page, "Werkzeug", "Query records")
    choose(page, "model", "crm/contact")
    page.get_by_role("button", name="Ausführen").click()
    expect(page.get_by_role("group", name="Antwort", exact=True)).to_contain_text("Hopper")
    check(page)
