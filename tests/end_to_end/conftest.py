"""A real browser, the pages of the service in it, and somebody who has signed up there."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from uuid import uuid4

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.end_to_end.packages import checked, compiled, interpreter, made, mypy

__all__ = ["checked", "compiled", "interpreter", "made", "mypy"]

# The first has no windows, and starts for half of the work.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    # Pages of the internet may not frame those of this machine in a browser that asks its user first.
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
]  # fmt: skip

expect.set_options(timeout=20_000)


@contextmanager
def launched():
    """A browser. While it is open, the process of the tests runs a loop of events, beside which there is no other."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def chromium():
    with launched() as opened:
        yield opened


@pytest.fixture
def browser(chromium):
    """A browser that knows nothing yet, and forgets at the end of the test."""
    yield chromium
    for context in chromium.contexts:
        context.close()


@pytest.fixture
def page(browser, shared_service):
    """A page on a phone's width; what its scripts raise, and what its policy forbids, fails the test."""
    raised = []

    def hear(message):
        # Browsers log each status from 400 on; the tests ask for some.
        if message.type == "error" and "Failed to load resource" not in message.text:
            raised.append(message.text)

    def watch(opened):
        opened.on("pageerror", lambda error: raised.append(str(error)))
        opened.on("console", hear)

    phone = {"viewport": {"width": 390, "height": 800}, "timezone_id": "America/Los_Angeles", "locale": "en-US"}
    context = browser.new_context(base_url=shared_service.url, **phone)
    context.on("page", watch)
    opened = context.new_page()
    opened.goto("/account/sign-in")
    yield opened
    context.close()
    assert raised == []


PASSWORD = "correct horse battery"


def sign_up(page):
    """Make an account on the page, and give its address."""
    address = f"pages-{uuid4().hex[:8]}@example.com"
    page.goto("/account/sign-up")
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("E-mail").fill(address)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Create an account").click()
    expect(page.get_by_role("heading", name="Profile")).to_be_visible()
    return address


@pytest.fixture
def email(page):
    """Somebody who has signed up on the page."""
    return sign_up(page)
