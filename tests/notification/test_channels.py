"""Channels that plugins bring, and switches of a type by channel."""

from __future__ import annotations

import pytest

from app.extension_points import CHANNELS, Channel
from app.foundation.errors import Unavailable
from app.jobs import registry
from tests.notification.test_preferences import NOTIFICATION, PREFERENCES, prefer, told


@pytest.fixture
def pager(monkeypatch):
    """A channel that keeps what it delivers."""
    delivered = []
    monkeypatch.setitem(CHANNELS, "pager", Channel(lambda notification: delivered.append(notification.title)))
    return delivered


def work(app):
    registry.work(app, concurrency=1, until_empty=True)


def test_a_channel_is_off_until_somebody_wants_it(app, owner, pager):
    assert "pager" not in told(app, owner)["channels"]
    assert prefer(owner, channels={"pager": True})["channels"]["pager"] is True
    assert "pager" in told(app, owner)["channels"]
    work(app)
    assert pager == ["Ada wrote"]
    (told_last, *_) = owner.get(NOTIFICATION).json["data"]
    assert told_last["deliveryStatus"] == "delivered"


def test_a_channel_that_is_on_by_default_is_on_for_those_who_said_nothing_of_it(app, owner, monkeypatch):
    prefer(owner, meetingLeadMinutes=10)
    monkeypatch.setitem(CHANNELS, "pager", Channel(lambda notification: None, default=True))
    assert "pager" in told(app, owner)["channels"]


@pytest.mark.parametrize("is_intrusive", [True, False])
def test_an_intrusive_channel_rests_in_quiet_hours(app, owner, monkeypatch, is_intrusive):
    monkeypatch.setitem(CHANNELS, "pager", Channel(lambda notification: None, intrusive=is_intrusive, default=True))
    prefer(owner, quietHours={"enabled": True, "start": "00:00", "end": "23:59", "timeZone": "UTC"})
    assert ("pager" in told(app, owner)["channels"]) is not is_intrusive


def test_a_channel_that_fails_says_so(app, owner, monkeypatch):
    def fail(notification):
        raise ValueError

    monkeypatch.setitem(CHANNELS, "pager", Channel(fail))
    prefer(owner, channels={"pager": True})
    told(app, owner)
    work(app)
    (last, *_) = owner.get(NOTIFICATION).json["data"]
    assert last["deliveryStatus"] == "failed"


def test_a_channel_that_is_away_is_tried_again(app, owner, monkeypatch):
    tries = []

    def be_away(notification):
        tries.append(notification.id)
        raise Unavailable

    monkeypatch.setitem(CHANNELS, "pager", Channel(be_away))
    prefer(owner, channels={"pager": True})
    told(app, owner)
    work(app)
    (last, *_) = owner.get(NOTIFICATION).json["data"]
    assert (len(tries), last["deliveryStatus"]) == (1, "pending")


def test_a_type_is_switched_off_for_one_channel(app, owner):
    prefer(owner, channels={"email": True}, types={"MESSAGE/email": False})
    assert told(app, owner)["channels"] == ["stream", "teams"]
    assert "email" in told(app, owner, type="MENTION")["channels"]
    assert prefer(owner, types={"MESSAGE/email": True})["types"]["MESSAGE/email"] is True
    assert "email" in told(app, owner)["channels"]


@pytest.mark.parametrize("name", ["MESSAGE/pigeon", "OTHER/email", "MESSAGE/", "/email"])
def test_a_switch_of_a_channel_or_type_that_is_none_is_refused(owner, name):
    assert owner.put(PREFERENCES, {"types": {name: False}}).status_code == 400
