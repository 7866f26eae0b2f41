"""The page of the documentation, on another origin, in a real browser."""

from __future__ import annotations

import json
import re
from uuid import uuid4

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from app.auth.models.identity import AuthUser
from app.notification.routing import notify
from app.testing.database import unit_of_work
from config import ROOT

(SHOWN,) = re.findall(r"```js\n(.*?)```", (ROOT / "docs" / "front-end.md").read_text(), re.DOTALL)
CHANGE = f"""async ([address, token]) => {{
    {SHOWN}
    const headers = {{ Authorization: `Bearer ${{token}}`, "Content-Type": "application/json" }};
    const patched = await fetch(address, {{ method: "PATCH", headers, body: '{{"employees": 7}}' }})
        .then((answer) => answer.status, (error) => error.name);
    const changed = await change(address, token, {{ employees: 7 }});
    return {{
        PATCH: patched,
        PUT: [changed.status, (await changed.json()).employees, changed.url.includes("?ifMatch=%22")],
    }};
}}"""


@pytest.fixture
def elsewhere(serve_elsewhere):
    """The origin of a server that has nothing but the pages."""
    return serve_elsewhere(ROOT / "docs" / "front-end")


@pytest.fixture
def service(shared_service):
    return shared_service.url


def test_a_page_of_another_origin_signs_up_uploads_and_follows_notifications(app, browser, service, elsewhere):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{elsewhere}/index.html?rowgate={service}")
    email = f"front-{uuid4().hex[:8]}@example.com"
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill("correct horse battery")
    for button in ("Make an account", "Sign in"):
        page.get_by_role("button", name=button).click()
        expect(page.get_by_role("status")).to_contain_text(f"Signed in as {email}. Notifications are on.")
    assert context.cookies() == []
    page.get_by_label("File").set_input_files({"name": "plan.txt", "mimeType": "text/plain", "buffer": b"Hello"})
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("status")).to_contain_text(f"Uploaded to {service}/api/upload/")
    with app.app_context(), unit_of_work() as unit:
        notify(unit, unit.session.scalar(select(AuthUser.id).where(AuthUser.email == email)), "MESSAGE", "Ships ahoy")
    expect(page.get_by_role("list", name="Notifications")).to_contain_text("Ships ahoy")


def test_a_page_of_another_origin_changes_records_with_put(browser, cast, service, elsewhere):
    owner = cast.user()
    works = owner.post("/api/v1/crm/company", {"name": "Pier"}).json
    page = browser.new_context().new_page()
    page.goto(f"{elsewhere}/index.html")
    outcome = page.evaluate(CHANGE, [f"{service}/api/v1/crm/company/{works['id']}", owner.token])
    assert outcome == {"PATCH": "TypeError", "PUT": [200, 7, True]}


def test_the_page_is_a_vite_project_as_well():
    project = json.loads((ROOT / "docs" / "front-end" / "package.json").read_text())
    assert project["scripts"]["dev"].startswith("vite")
    assert "import.meta.env?.VITE_ROWGATE_URL" in (ROOT / "docs" / "front-end" / "index.html").read_text()
