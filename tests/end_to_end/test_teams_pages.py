"""The tab and its configuration in a real browser, with TeamsJS in a frame of a host that speaks its protocol."""

from __future__ import annotations

import time
from functools import partial
from uuid import UUID, uuid4

import pytest
from joserfc import jwt
from playwright.sync_api import expect
from sqlalchemy import select

from app.auth.models.identity import AuthAccount
from app.notification.routing import notify
from app.testing.database import unit_of_work
from tests.end_to_end.service import free_port, gunicorn, started
from tests.teams.microsoft import APP_ID, METADATA, TENANT, A, microsoft

pytestmark = pytest.mark.full

WEB = "5e3ce6c0-2b1f-4285-8d4b-75ee78787346"
HOST = "https://teams.microsoft.com/host"
# What Teams does around a tab, as far as TeamsJS waits for it.
FRAME = """<!doctype html><iframe src="%(src)s" width="100%%" height="900"></iframe><script>
const told = window.told = [];
const runtime = JSON.stringify({apiVersion: 4, hostVersionsInfo: {}, isLegacyTeams: false, supports: {
  pages: {appButton: {}, tabs: {}, config: {}, backStack: {}, fullTrust: {}}, teamsCore: {}, logs: {}}});
const context = {locale: "en-us", sessionId: "1", theme: "%(theme)s", hostName: "Teams", hostClientType: "web",
  entityId: "rowgate", frameContext: "%(frame)s"};
const answers = {
  initialize: () => ["%(frame)s", "web", runtime, "2.0.0"],
  getContext: () => [context],
  "authentication.getAuthToken": () => [true, "%(token)s"],
  "settings.setSettings": () => [true],
};
addEventListener("message", ({data, source, origin}) => {
  if (!data || !data.func) return;
  told.push([data.func, data.args]);
  const answer = answers[data.func];
  const {id, uuid, uuidAsString} = data;
  if (answer) source.postMessage({id, uuid, uuidAsString, args: answer()}, origin);
});
window.say = (func, ...args) => frames[0].postMessage({func, args}, "*");
</script>"""


@pytest.fixture(scope="module")
def service(app, var_dir, tmp_path_factory):
    """Where the service is, set up for Teams, and the Microsoft that it asks."""
    port, log = free_port(), tmp_path_factory.mktemp("tab") / "log"
    with microsoft() as ms:
        settings = {
            "TEAMS_APP_ID": APP_ID, "MICROSOFT_AUTHORITY": ms.url, "TEAMS_BOT_METADATA_URL": ms.url + METADATA,
        }  # fmt: skip
        with started(gunicorn(), port, log, VAR_DIR=var_dir, **settings):
            yield f"http://127.0.0.1:{port}", ms


def framed(browser, service, path, *, person="", theme="default", frame="content", width=420, routes=None):
    """A page of the service in a tab of Teams; ``routes`` answer once each in the place of the service."""
    address, ms = service
    claims = {
        "iss": f"{ms.url}/{TENANT}/v2.0", "aud": APP_ID, "tid": TENANT, "oid": person, "azp": WEB, "name": "Ada",
        "scp": "access_as_user", "preferred_username": f"{person}@tab.example", "exp": int(time.time()) + 600,
    }  # fmt: skip
    token = jwt.encode({"alg": "RS256", "kid": A.kid}, claims, A)
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    body = FRAME % {"src": address + path, "theme": theme, "frame": frame, "token": token}
    page.route("**/*", lambda route: route.fallback() if "127.0.0.1" in route.request.url else route.abort())
    page.route(HOST, lambda route: route.fulfill(body=body, content_type="text/html"))
    for pattern, answer in (routes or {}).items():
        page.route(pattern, partial(fulfill, answer), times=1)
    page.goto(HOST)
    return page, page.frame_locator("iframe")


def fulfill(answer, route):
    route.fulfill(**answer)


def tell(app, person, title):
    """Notify somebody who is known by an object id."""
    with app.app_context(), unit_of_work() as unit:
        user_id = unit.session.scalar(select(AuthAccount.user_id).where(AuthAccount.account_id == person))
        notify(unit, user_id, "MENTION", title, "see canvas 7", {"canvasId": "cv_7"})


@pytest.mark.parametrize("theme", ["default", "dark", "contrast"])
def test_the_tab_signs_in_silently_and_shows_notifications_live(app, service, browser, tmp_path, theme):
    person = str(uuid4())
    page, tab = framed(browser, service, "/teams-tab", person=person, theme=theme)
    expect(tab.locator("#state")).to_have_text("Live", timeout=15_000)
    expect(tab.locator("#no-notifications")).to_be_visible()
    tell(app, person, "Bob mentioned you")
    expect(tab.locator("#notifications li.unread strong")).to_have_text("Bob mentioned you")
    assert tab.locator("html").get_attribute("data-theme") == theme
    page.screenshot(path=tmp_path / f"{theme}.png")
    assert page.evaluate("frames[0].length") == 0
    wide = tab.locator("html").evaluate("page => page.scrollWidth - page.clientWidth")
    assert wide == 0, "nothing hangs over on the width of a phone"


def test_a_notification_is_marked_read_with_the_keyboard(app, service, browser):
    person = str(uuid4())
    page, tab = framed(browser, service, "/teams-tab", person=person)
    expect(tab.locator("#state")).to_have_text("Live", timeout=15_000)
    tell(app, person, "Bob mentioned you")
    button = tab.get_by_role("button", name="Mark read: Bob mentioned you")
    button.focus()
    page.keyboard.press("Enter")
    expect(tab.locator("#notifications li.unread")).to_have_count(0)


def test_preferences_are_edited_and_kept(service, browser):
    person = str(uuid4())
    _, tab = framed(browser, service, "/teams-tab", person=person)
    expect(tab.locator("#state")).to_have_text("Live", timeout=15_000)
    tab.get_by_label("Messages").uncheck()
    tab.get_by_label("minutes before a meeting").fill("12")
    tab.get_by_role("button", name="Save").click()
    expect(tab.locator("#saved")).to_have_text("Saved.")
    _, again = framed(browser, service, "/teams-tab", person=person)
    expect(again.locator("#state")).to_have_text("Live", timeout=15_000)
    expect(again.get_by_label("Messages")).not_to_be_checked()
    expect(again.get_by_label("minutes before a meeting")).to_have_value("12")


def test_the_theme_follows_teams(service, browser):
    page, tab = framed(browser, service, "/teams-tab", person=str(uuid4()))
    expect(tab.locator("#state")).to_have_text("Live", timeout=15_000)
    page.evaluate("say('themeChange', 'contrast')")
    expect(tab.locator("html")).to_have_attribute("data-theme", "contrast")


def test_outside_teams_the_page_asks_to_sign_in(service, browser):
    page = browser.new_page()
    page.goto(f"{service[0]}/teams-tab")
    expect(page.locator("#state")).to_contain_text("Sign in to the service first", timeout=15_000)


def test_outside_teams_the_page_goes_on_when_another_has_renewed_the_bearer(app, service, browser):
    address, email = service[0], f"{uuid4().hex}@tab.example"
    context = browser.new_context(base_url=address)
    made = context.request.post("/api/auth/signup", data={"email": email, "password": "correct horse battery"})
    page = context.new_page()
    page.goto("/teams-tab")
    expect(page.locator("#state")).to_have_text("Live", timeout=15_000)
    with app.app_context(), unit_of_work() as unit:
        notify(unit, UUID(made.json()["user"]["id"]), "MENTION", "Bob mentioned you")
    assert context.request.post("/api/auth/token", headers={"Sec-Fetch-Site": "same-origin"}).ok
    page.get_by_role("button", name="Mark read: Bob mentioned you").click()
    expect(page.locator("#notifications li")).to_be_focused()
    expect(page.locator("#notifications li.unread")).to_have_count(0)


def test_the_stream_is_followed_although_something_else_failed(app, service, browser):
    person = str(uuid4())
    away = {"status": 503, "json": {"error": "Not now"}}
    paths = ("**/api/teams/meetings?*", "**/notifications/preferences", "**/notification/notification?*")
    _, tab = framed(browser, service, "/teams-tab", person=person, routes=dict.fromkeys(paths, away))
    expect(tab.locator("#state")).to_have_text("Live", timeout=15_000)
    tell(app, person, "Bob mentioned you")
    expect(tab.locator("#notifications li.unread strong")).to_have_text("Bob mentioned you")


def test_after_a_reset_the_list_is_loaded_anew(service, browser):
    gone = {"id": "gone", "title": "Gone", "createdAt": "2026-01-01T00:00:00.000Z", "sequence": 0}
    reset = "event: reset\ndata: {}\n\nevent: ready\nid: 0\ndata: {}\n\n"
    routes = {
        "**/notification/notification?*": {"json": {"data": [gone]}},
        "**/stream?*": {"body": reset, "content_type": "text/event-stream"},
    }
    _, tab = framed(browser, service, "/teams-tab", person=str(uuid4()), routes=routes)
    expect(tab.locator("#no-notifications")).to_be_visible(timeout=15_000)
    expect(tab.locator("#notifications li")).to_have_count(0)


def test_the_configuration_page_saves_the_tab(service, browser):
    address, _ = service
    page, settings = framed(browser, service, "/api/integrations/teams/tab/config", frame="settings")
    name = settings.get_by_label("Name of the tab")
    expect(name).to_be_visible()
    page.wait_for_function("told.some(([func, args]) => func === 'settings.setValidityState' && args[0] === true)")
    name.fill("")
    page.wait_for_function("told.some(([func, args]) => func === 'settings.setValidityState' && args[0] === false)")
    name.fill("Cranes")
    page.evaluate("say('settings.save', {})")
    page.wait_for_function("told.some(([func]) => func === 'settings.save.success')")
    saved = page.evaluate("told.find(([func]) => func === 'settings.setSettings')[1][0]")
    assert saved["contentUrl"] == saved["websiteUrl"] == f"{address}/teams-tab"
    assert saved["suggestedDisplayName"] == "Cranes"
