"""The preferences route, and what preferences do to notifications."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from app.foundation.clock import now
from app.foundation.errors import NotFound
from app.notification.models import NotificationPreference
from app.notification.routing import is_quiet, notify
from app.testing.database import transaction, unit_of_work

PREFERENCES = "/api/integrations/teams/notifications/preferences"
NOTIFICATION = "/api/v1/notification/notification"
SHOWN = {
    "userId", "enabled", "channels", "types", "quietHours", "meetingLeadMinutes", "mutedChannelIds", "createdAt",
    "updatedAt",
}  # fmt: skip


def told(app, owner, type="MESSAGE", **data):
    """The notification that somebody gets."""
    with app.app_context(), unit_of_work() as unit:
        notify(unit, owner.user_id, type, "Ada wrote", "see canvas 7", data)
    return owner.get(NOTIFICATION).json["data"][0]


def prefer(owner, **body):
    response = owner.put(PREFERENCES, body)
    assert response.status_code == 200, response.json
    return response.json


def test_preferences_are_there_from_the_start_and_laid_over(owner):
    first = owner.get(PREFERENCES).json
    assert set(first) == SHOWN
    assert first["channels"] == {"stream": True, "teams": True, "email": False}
    changed = prefer(owner, types={"MESSAGE": False}, quietHours={"enabled": True}, meetingLeadMinutes=10)
    assert changed["types"] == {**first["types"], "MESSAGE": False}
    assert changed["quietHours"] == {**first["quietHours"], "enabled": True}
    assert changed == owner.get(PREFERENCES).json
    stored = owner.get("/api/v1/notification/preference").json["data"][0]
    assert {name: stored[name] for name in SHOWN} == changed


def test_who_removed_the_preferences_has_the_defaults_again(owner):
    prefer(owner, enabled=False)
    stored = owner.get("/api/v1/notification/preference").json["data"][0]["id"]
    owner.delete(f"/api/v1/notification/preference/{stored}")
    assert owner.get(PREFERENCES).json["enabled"] is True


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"types": {"OTHER": True}}, "types"),
        ({"types": {"MESSAGE": "yes"}}, "types"),
        ({"channels": {"pigeon": True}}, "channels"),
        ({"quietHours": {"start": "25:00"}}, "quietHours"),
        ({"quietHours": {"end": "07:0\u0665"}}, "quietHours"),
        ({"quietHours": {"timeZone": "Mars/Crater"}}, "quietHours"),
        ({"meetingLeadMinutes": 500}, "meetingLeadMinutes"),
        ({"sound": True}, "sound"),
    ],
)
def test_what_is_not_understood_is_refused_and_changes_nothing(owner, body, field):
    before = owner.get(PREFERENCES).json
    response = owner.put(PREFERENCES, body)
    assert (response.status_code, list(response.json["details"]["fields"])) == (400, [field])
    assert owner.get(PREFERENCES).json == before


def test_nobody_but_a_user_has_preferences(cast):
    assert cast.nobody.get(PREFERENCES).status_code == 401
    assert cast.anonymous.get(PREFERENCES).status_code == 403
    assert cast.key(cast.user(), "read").put(PREFERENCES, {}).status_code == 403


def test_a_notification_takes_the_channels_that_are_open(app, owner):
    assert told(app, owner)["channels"] == ["stream", "teams"]
    prefer(owner, channels={"teams": False})
    assert told(app, owner)["channels"] == ["stream"]


@pytest.mark.parametrize("body", [{"enabled": False}, {"types": {"MESSAGE": False}}, {"mutedChannelIds": ["19:c1"]}])
def test_what_is_not_wanted_is_kept_but_not_sent(app, owner, body):
    prefer(owner, **body)
    notification = told(app, owner, channelId="19:c1")
    assert (notification["channels"], notification["deliveryStatus"]) == ([], "suppressed")


def test_a_muted_channel_mutes_nothing_else(app, owner):
    prefer(owner, mutedChannelIds=["19:c1"])
    assert told(app, owner, channelId="19:c2")["channels"] == ["stream", "teams"]


def test_quiet_hours_leave_the_stream_alone(app, owner):
    start, end = now() - timedelta(hours=1), now() + timedelta(hours=1)
    prefer(owner, quietHours={"enabled": True, "start": f"{start:%H:%M}", "end": f"{end:%H:%M}"})
    assert told(app, owner)["channels"] == ["stream"]


@pytest.mark.parametrize(
    ("clock", "quiet"),
    [("21:59", False), ("22:00", True), ("23:30", True), ("03:00", True), ("06:59", True), ("07:00", False)],
)
def test_quiet_hours_go_past_midnight_in_the_users_own_time(clock, quiet):
    hours = {"enabled": True, "start": "22:00", "end": "07:00", "timeZone": "Etc/GMT-2"}
    moment = datetime.fromisoformat(f"2026-11-21T{clock}:00+02:00").astimezone(UTC)
    assert is_quiet(hours, moment) is quiet
    assert not is_quiet({**hours, "enabled": False}, moment)


def test_quiet_hours_in_a_zone_that_this_host_does_not_know_keep_nobody_from_telling(app, owner):
    prefer(owner, quietHours={"enabled": True})
    hours = {"enabled": True, "start": "00:00", "end": "23:59", "timeZone": "Mars/Crater"}
    with app.app_context(), transaction() as session:
        own = NotificationPreference.user_id == owner.user_id
        session.execute(update(NotificationPreference).where(own).values(quiet_hours=hours))
    assert told(app, owner)["channels"] == ["stream", "teams"]


def test_a_notification_belongs_to_what_it_tells_of(app, owner):
    with app.app_context(), suppress(NotFound), unit_of_work() as unit:
        notify(unit, owner.user_id, "MESSAGE", "Ada wrote")
        raise NotFound()
    assert owner.get(NOTIFICATION).json["meta"]["count"] == 0


def test_the_receiver_marks_it_read(app, owner, cast):
    identifier = told(app, owner)["id"]
    moment = "2026-11-21T10:00:00.000Z"
    assert owner.patch(f"{NOTIFICATION}/{identifier}", {"readAt": moment}).json["readAt"] == moment
    assert cast.user().get(f"{NOTIFICATION}/{identifier}").status_code == 404
