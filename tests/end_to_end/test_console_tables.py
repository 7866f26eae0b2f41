"""What can be asked of a table of records in the console: an order, words, and conditions with operators."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

CONTACTS = "/console#/models/api/v1/crm/contact"
COMPANIES = "/console#/models/api/v1/crm/company"
INDUSTRIES = {"Anvil Works": "forging", "Grain Works": "farming", "Mill Works": None, "Zinc": "mining"}
ANVIL, GRAIN, MILL, ZINC = INDUSTRIES


@pytest.fixture
def companies(page, email):
    """The table of companies, of which Anvil Works is the newest."""
    made = """async (companies) => {
        const { call } = await import("/static/api.js");
        for (const [name, industry] of companies) await call("POST", "/api/v1/crm/company", { name, industry });
    }"""
    page.evaluate(made, list(reversed(INDUSTRIES.items())))
    page.goto(COMPANIES)
    expect_names(page, *INDUSTRIES)
    return page


def expect_names(page, *names):
    """Exactly these companies are shown, in this order."""
    expect(page.locator("tbody tr td:nth-child(2)")).to_have_text(list(names))


def head(page, name):
    return page.get_by_role("columnheader", name=name)


def choose(page, field, operator, value=None):
    page.get_by_label("Field").select_option(field)
    page.get_by_label("Operator").select_option(operator)
    if value is not None:
        page.get_by_label("Value").fill(value)
    page.get_by_role("button", name="Filter").click()


def test_the_head_of_a_column_sorts_up_then_down_then_not_at_all(companies):
    order = head(companies, "name")
    expect(order).to_have_attribute("aria-sort", "none")
    steps = [
        ("ascending", [ANVIL, GRAIN, MILL, ZINC]),
        ("descending", [ZINC, MILL, GRAIN, ANVIL]),
        ("none", [ANVIL, GRAIN, MILL, ZINC]),
    ]
    for state, names in steps:
        order.get_by_role("button").click()
        expect(order).to_have_attribute("aria-sort", state)
        expect_names(companies, *names)


def test_a_head_keeps_the_focus_when_the_keyboard_sorts_by_it(companies):
    button = head(companies, "name").get_by_role("button")
    button.focus()
    for state in ("ascending", "descending"):
        companies.keyboard.press("Enter")
        expect(head(companies, "name")).to_have_attribute("aria-sort", state)
        expect(button).to_be_focused()


def test_one_column_is_sorted_by_at_a_time(companies):
    head(companies, "name").get_by_role("button").click()
    expect(head(companies, "name")).to_have_attribute("aria-sort", "ascending")
    head(companies, "industry").get_by_role("button").click()
    expect(head(companies, "industry")).to_have_attribute("aria-sort", "ascending")
    expect(head(companies, "name")).to_have_attribute("aria-sort", "none")


def test_fields_that_cannot_be_sorted_by_have_plain_heads(page, email):
    record = {"id": "1", "type": "MESSAGE", "body": "Hello", "createdAt": "2026-01-01T00:00:00.000Z"}
    answer = {"data": [record], "meta": {"count": 1}}
    page.route("**/api/v1/notification/notification?*", lambda route: route.fulfill(json=answer))
    page.goto("/console#/models/api/v1/notification/notification")
    expect(head(page, "createdAt").get_by_role("button")).to_have_count(1)
    expect(head(page, "body")).to_be_visible()
    expect(head(page, "body").get_by_role("button")).to_have_count(0)


def test_sorting_begins_at_the_first_page_again(page, email):
    asked = []

    def answer(route):
        asked.append(route.request.url.partition("?")[2])
        route.fulfill(json={"data": [{"id": str(n), "firstName": f"N{n}"} for n in range(20)], "meta": {"count": 60}})

    page.route("**/api/v1/crm/contact?*", answer)
    page.goto(CONTACTS)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("21 to 40 of 60")).to_be_visible()
    head(page, "firstName").get_by_role("button").click()
    expect(page.get_by_text("1 to 20 of 60")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("21 to 40 of 60")).to_be_visible()
    assert asked[-2:] == ["take=20&skip=0&sort=firstName", "take=20&skip=20&sort=firstName"]


def test_a_second_press_counts_while_the_first_is_answered(companies):
    held = []
    companies.route("**/api/v1/crm/company?*", lambda route: held.append(route), times=1)
    with companies.expect_request("**/api/v1/crm/company?*"):
        head(companies, "name").get_by_role("button").click()
    head(companies, "name").get_by_role("button").click()
    expect(head(companies, "name")).to_have_attribute("aria-sort", "descending")
    held[0].continue_()
    expect_names(companies, ZINC, MILL, GRAIN, ANVIL)


def test_words_are_searched_for_and_taken_back(companies):
    companies.get_by_role("searchbox", name="Search").fill("gra farm")
    companies.keyboard.press("Enter")
    expect_names(companies, GRAIN)
    companies.get_by_role("searchbox", name="Search").fill("")
    companies.get_by_role("button", name="Search").click()
    expect_names(companies, *INDUSTRIES)


def test_models_without_text_to_search_have_no_search_box(page, email):
    page.goto("/console#/models/api/v1/auth/session")
    expect(page.get_by_label("Field")).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_count(0)


def test_a_condition_takes_an_operator(companies):
    choose(companies, "industry", "ends with", "MING")
    expect_names(companies, GRAIN)
    choose(companies, "name", "is one of", "Anvil Works,Zinc")
    expect_names(companies, ANVIL, ZINC)


def test_empty_fields_are_found_without_a_value_and_the_condition_is_cleared(companies):
    choose(companies, "industry", "is empty")
    expect(companies.get_by_label("Value")).to_be_hidden()
    expect_names(companies, MILL)
    companies.get_by_role("button", name="Clear").click()
    expect_names(companies, *INDUSTRIES)


def test_a_field_offers_the_operators_of_its_kind(companies):
    companies.get_by_label("Field").select_option("createdAt")
    offered = companies.get_by_label("Operator").locator("option").all_inner_texts()
    assert "is at least" in offered
    assert "contains" not in offered
    assert "is empty" not in offered


def test_an_operator_stays_chosen_when_the_next_field_takes_it(companies):
    companies.get_by_label("Field").select_option("industry")
    companies.get_by_label("Operator").select_option("contains")
    companies.get_by_label("Field").select_option("name")
    expect(companies.get_by_label("Operator")).to_have_value("contains")
    companies.get_by_label("Field").select_option("createdAt")
    expect(companies.get_by_label("Operator")).to_have_value("eq")


def test_an_order_words_and_a_condition_hold_together(companies):
    head(companies, "name").get_by_role("button").click()
    head(companies, "name").get_by_role("button").click()
    companies.get_by_role("searchbox", name="Search").fill("works")
    companies.keyboard.press("Enter")
    choose(companies, "industry", "is not empty")
    expect_names(companies, GRAIN, ANVIL)


def test_a_refused_condition_is_said_and_forgotten(companies):
    choose(companies, "createdAt", "is at least", "yesterday")
    expect(companies.locator("#message")).to_contain_text("createdAt[gte]")
    head(companies, "name").get_by_role("button").click()
    expect(head(companies, "name")).to_have_attribute("aria-sort", "ascending")


def test_a_table_loads_the_description_of_its_domain_alone(page, email):
    with page.expect_request("**/api/v1/openapi.json*") as asked:
        page.goto(CONTACTS)
    assert asked.value.url.endswith("openapi.json?domain=crm")


def test_what_is_asked_of_a_table_is_no_wider_than_a_phone(companies):
    assert companies.evaluate("document.documentElement.scrollWidth") <= 390
