"""The studio in a real browser, and somebody who is signed in to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sqlalchemy import select

from app.auth.credentials import sessions
from app.auth.models.identity import AuthUser
from app.auth.organizations import organizations
from app.testing.cast import Actor
from app.testing.database import transaction, unit_of_work
from app.testing.workshop import Workshop
from tests.end_to_end.conftest import browser, launched  # noqa: F401
from tests.end_to_end.shared import Service

PASSWORD = "correct horse battery"
DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
# Scrolls a table on in each frame until a text is there.
SCROLLED_TO = """(text) => {
    const table = document.querySelector("[role=grid]");
    table.scrollBy(0, 500);
    return table.textContent.includes(text);
}"""
SIGN_UP = """async ([email, password]) => {
    const body = JSON.stringify({ name: "Ada Byron", email, password });
    const headers = { "Content-Type": "application/json" };
    return (await fetch("/api/auth/signup", { method: "POST", headers, body })).status;
}"""


@pytest.fixture(scope="session")
def service(shared_service: Service) -> str:
    """Where the service of the studio is."""
    return shared_service.url


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The browser of all tests of the studio; it is closed before others begin, which run loops of their own."""
    with launched() as opened:
        yield opened


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Say what each page showed when a test failed."""
    report = yield
    opened = getattr(item, "funcargs", {}).get("chromium")
    if report.when == "call" and report.failed and opened is not None:
        for page in (page for context in opened.contexts for page in context.pages):
            report.sections.append((page.url, page.locator("body").aria_snapshot()))
    return report


@dataclass
class Desk:
    """A browser in which somebody is signed in: its page, and what makes records that this person sees."""

    page: Page
    context: BrowserContext
    shop: Workshop
    email: str
    watched: Watched

    def open(self, path: str = "") -> Page:
        """The page of the studio at ``path``, once its heading is there."""
        self.page.goto(f"/console{path}")
        heading = self.page.get_by_role("heading", level=1)
        expect(heading).to_be_visible()
        expect(heading).not_to_have_text("Loading …")
        return self.page


class Watched:
    """What no page of the studio may do: raise, meet its own policy, or ask anybody but the service."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self._raised: list[str] = []
        self._origin = origin
        context.on("page", self._watch)
        context.on("request", self._note)

    def _note(self, request: Any) -> None:
        sent = urlsplit(request.url)
        if sent.scheme not in ("blob", "data") and f"{sent.scheme}://{sent.netloc}" != self._origin:
            self._raised.append(f"a request to {request.url}")

    def _watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self._raised.append(str(error)))
        page.on("dialog", self._dialog)
        page.on("console", self._hear)

    def _dialog(self, dialog: Any) -> None:
        if dialog.type == "alert":
            self._raised.append(f"a script said {dialog.message}")
        dialog.accept()

    def _hear(self, message: Any) -> None:
        # Browsers log each status from 400 on; the tests ask for some.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self._raised.append(message.text)

    def look(self) -> None:
        """Fail for what was done since the last look."""
        raised, self._raised = self._raised, []
        assert raised == []


@pytest.fixture(scope="module")
def _make(chromium: Browser, service: str, app: Any, cast: Any) -> Callable[..., Desk]:
    def make(role: str = "user", **options: Any) -> Desk:
        context = chromium.new_context(
            base_url=service,
            # What moves between the press and the release of a button is not clicked.
            **{"locale": "en-US", "timezone_id": "UTC", "reduced_motion": "reduce", **DESKTOP, **options},
        )
        watched = Watched(context, service)
        page, email = context.new_page(), f"studio-{uuid4().hex[:8]}@example.com"
        page.goto("/account/sign-in")
        assert page.evaluate(SIGN_UP, [email, PASSWORD]) == 200
        return Desk(page, context, Workshop(cast, _actor(app, email, role)), email, watched)

    return make


@pytest.fixture
def seat(_make: Callable[..., Desk]) -> Iterator[Callable[..., Desk]]:
    """Makes desks; what their pages raise, and whom else they ask, fails the test."""
    desks: list[Desk] = []

    def make(role: str = "user", **options: Any) -> Desk:
        desks.append(_make(role, **options))
        return desks[-1]

    yield make
    for desk in desks:
        desk.context.close()
    for desk in desks:
        desk.watched.look()


@pytest.fixture
def desk(seat: Callable[..., Desk]) -> Desk:
    """The desk of a user."""
    return seat()


@pytest.fixture(scope="module")
def _office(_make: Callable[..., Desk]) -> Iterator[Desk]:
    desk = _make("admin")
    yield desk
    desk.context.close()


@pytest.fixture
def office(_office: Desk) -> Iterator[Desk]:
    """The desk of an admin, who may see and do what there is, for all tests of a module."""
    yield _office
    _office.watched.look()


def _actor(app: Any, email: str, role: str) -> Actor:
    """The same person with a session of their own, by which tests ask the service."""
    with app.app_context():
        with transaction() as session:
            user = session.scalars(select(AuthUser).where(AuthUser.email == email)).one()
            user.role, user.email_verified = role, True
            user_id: UUID = user.id
        with unit_of_work() as unit:
            found = unit.session.get_one(AuthUser, user_id)
            home = organizations.personal_organization_of(unit.session, user_id)
            return Actor(app, sessions.open_session(unit, found).token, user_id, home)
