"""A plugin's own components, by the example of `docs/studio.md`."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from app.crm.models import CrmDeal
from config import ROOT
from tests.end_to_end.service import free_port, gunicorn, started

PAGE = (ROOT / "docs" / "studio.md").read_text()


def block(kind: str) -> str:
    """The only example of a language on the page."""
    (found,) = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


@pytest.fixture(scope="module")
def service(app, var_dir, tmp_path_factory):
    """A service with the plugin that the page describes."""
    folder = tmp_path_factory.mktemp("plugins")
    (folder / "stages" / "studio").mkdir(parents=True)
    (folder / "stages" / "__init__.py").write_text(block("python"))
    (folder / "stages" / "studio" / "index.js").write_text(block("js"))
    port = free_port()
    with started(gunicorn(), port, folder / "log", VAR_DIR=var_dir, PLUGINS="stages", PYTHONPATH=f"{ROOT}:{folder}"):
        yield f"http://localhost:{port}"


@pytest.mark.full
def test_a_component_of_a_plugin_stands_in_place_of_the_details(desk):
    deal = desk.shop.make(CrmDeal, name="Crane", amount=1234500, stage="lead")
    page = desk.open(f"/crm/deal/{deal['id']}/show")
    expect(page.get_by_role("main")).to_contain_text("12,345.00")
    expect(page.get_by_text("Nobody has said when this closes.")).to_be_visible()


@pytest.mark.full
def test_a_page_of_a_plugin_is_in_the_navigation(desk):
    desk.shop.make(CrmDeal, name="Crane", stage="lead")
    desk.open().get_by_role("navigation").get_by_role("link", name="Stages").click()
    expect(desk.page.get_by_role("heading", name="Stages")).to_be_visible()
    expect(desk.page.get_by_role("listitem").filter(has_text="lead: 1")).to_be_visible()
