"""Pages of every sort on phone and desktop, light and dark, in English and German, by the rules of WCAG 2.2 AA."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from app.crm.models import CrmCompany, CrmDeal
from tests.end_to_end.test_account_pages import AXE
from tests.studio.conftest import DESKTOP, PHONE
from tests.writes import created

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
FOUND = """async (rules) => (await axe.run(document, { runOnly: rules })).violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).slice(0, 3).join(" | ")}`)"""
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


# Each pair of a size, a scheme and a language occurs in one of them.
VARIANTS = [
    (DESKTOP, "light", "en-US"),
    (DESKTOP, "dark", "de-DE"),
    (PHONE, "light", "de-DE"),
    (PHONE, "dark", "en-US"),
]


@pytest.mark.full
@pytest.mark.parametrize(
    ("size", "scheme", "locale"), VARIANTS, ids=["desktop-light", "desktop-dark", "phone-light", "phone-dark"]
)
def test_no_page_has_what_axe_finds_wrong_or_is_too_wide(seat, size, scheme, locale):
    desk = seat(locale=locale, color_scheme=scheme, **size)
    company = desk.shop.make(CrmCompany, name="Harbour Works", website="https://harbour.example")
    deal = desk.shop.make(CrmDeal, name="Crane", companyId=company["id"], description="# Plan\n\n- one", stage="lead")
    index = created(desk.shop.owner, "ai-rag/index", name="Port")["id"]
    created(desk.shop.owner, "ai-rag/document", indexId=index, title="Timetable", content="The ferry leaves at noon.")
    panels = [{"kind": "bar", "model": "crm/deal", "group": "stage", "title": "Stages"}, {"kind": "text", "text": "Us"}]
    given = {"name": "Sales", "definition": {"panels": panels}}
    dashboard = desk.shop.owner.post("/api/v1/_dashboards", given).json["id"]
    found, titles = {}, []
    for path in (
        "",
        "/crm/deal",
        "/crm/deal/create",
        f"/crm/deal/{deal['id']}/show",
        f"/crm/deal/{deal['id']}",
        "/keys",
        "/keys/create",
        "/assistants",
        "/organization/members",
        "/dashboards",
        f"/dashboards/{dashboard}",
        "/jobs",
        "/design",
        f"/ai-rag/index/{index}/sources",
        f"/ai-rag/index/{index}/search?text=ferry",
    ):
        page = desk.open(path)
        expect(page.get_by_role("progressbar")).to_have_count(0)
        assert page.locator("html").get_attribute("lang") == locale[:2]
        page.evaluate(AXE.read_text())
        if wrong := page.evaluate(FOUND, RULES):
            found[path] = wrong
        if page.evaluate(WIDER) > 0:
            found.setdefault(path, []).append("wider than the window")
        titles.append(page.title())
    assert found == {}
    assert len(set(titles)) == len(titles)


@pytest.mark.full
def test_every_control_of_a_list_is_reached_by_the_keyboard_alone(desk):
    desk.shop.make(CrmCompany, name="Harbour Works")
    page = desk.open("/crm/company")
    page.get_by_role("link", name="Skip to content").focus()
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"
        )
        reached.add((name or "").strip())
    assert {"Filter", "View", "Export", "Import", "New", "Sort by Name", "Harbour Works", "Views"} <= reached
