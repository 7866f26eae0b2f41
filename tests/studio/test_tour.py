"""A tour through the studio: from the overview to the list of every model, and to the pages of its own."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from app.crm.models import CrmDeal
from app.engine.declare.catalogue import every_model

pytestmark = pytest.mark.full

SECRETS = "() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML])"


def lists(page):
    """Where the links of the overview lead that are to lists."""
    models = page.get_by_role("region", name="All models")
    return models.get_by_role("link").evaluate_all("links => links.map((link) => link.getAttribute('href'))")


def test_every_list_and_page_is_reached_from_the_overview(office):
    office.shop.make(CrmDeal, name="Crane")
    page = office.open()
    found = lists(page)
    assert len(found) == len(list(every_model()))
    for href in found:
        link = page.get_by_role("region", name="All models").locator(f"a[href='{href}']")
        name = link.inner_text()
        link.click()
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        expect(page.get_by_role("grid").or_(page.get_by_text("Nothing here yet"))).to_be_visible()
        expect(page.get_by_role("main").get_by_role("alert")).to_have_count(0)
        assert page.title() == f"{name} · Rowgate studio"
        page.get_by_role("link", name="Overview").click()
    for name, heading in (("API keys", "API keys"), ("Organization", "Ada Byron")):
        page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text(heading)
    # Nobody who reads what the browser keeps has the session.
    assert "rg_sess_" not in page.evaluate(SECRETS)
