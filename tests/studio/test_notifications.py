"""The bell of the studio: one's own notifications, whoever else's somebody may read."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from app.notification.models import NotificationNotification
from app.testing.workshop import Workshop

PATH = NotificationNotification.collection_path()


@pytest.fixture
def told(cast):
    """Notify somebody, and return the notification."""
    return lambda actor, title: Workshop(cast, actor).make(
        NotificationNotification, userId=str(actor.user_id), title=title
    )


def unread(page, count):
    return page.get_by_role("button", name=f"Notifications, {count} unread")


@pytest.mark.full
def test_the_bell_of_an_admin_shows_and_marks_their_own_alone(seat, cast, told):
    desk, other = seat("admin"), cast.user()
    told(desk.shop.owner, "For the admin")
    theirs = told(other, "For somebody else")
    page = desk.open()
    unread(page, 1).click()
    dialog = page.get_by_role("dialog", name="Notifications")
    expect(dialog.get_by_text("For the admin")).to_be_visible()
    expect(dialog.get_by_text("For somebody else")).to_have_count(0)
    dialog.get_by_role("button", name="Mark all as read").click()
    expect(dialog.get_by_role("button", name="Mark all as read")).to_be_disabled()
    assert other.get(f"{PATH}/{theirs['id']}").json["readAt"] is None
    dialog.get_by_role("link", name="All notifications").click()
    expect(unread(page, 0)).to_be_visible()
    expect(page.get_by_role("link", name="For the admin")).to_be_visible()
    expect(page.get_by_role("link", name="For somebody else")).to_have_count(0)


@pytest.mark.full
def test_all_are_marked_those_that_are_not_shown_as_well(desk, told):
    for number in range(25):
        told(desk.shop.owner, f"Note {number}")
    page = desk.open()
    unread(page, 25).click()
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_role("button", name="Mark all as read")).to_be_disabled()
    found = desk.shop.owner.get(PATH, query_string={"take": 100}).json["data"]
    assert [each["title"] for each in found if each["readAt"] is None] == []


@pytest.mark.full
def test_one_that_comes_is_counted_at_once(desk, told):
    page = desk.open()
    expect(page.get_by_role("button", name=re.compile("^Notifications, 0"))).to_be_attached()
    told(desk.shop.owner, "Just now")
    expect(unread(page, 1)).to_be_attached()
