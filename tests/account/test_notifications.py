"""How one is notified, chosen on the page."""

from __future__ import annotations

import re

import pytest

from tests.account.visitors import alerts_of, said_by, wrong_with
from tests.auth.sign_in.visitors import SAME_ORIGIN

PAGE = "/account/notifications"
PREFERENCES = "/api/integrations/teams/notifications/preferences"
HOURS = {"start": "21:30", "end": "06:00", "timeZone": "Europe/Berlin", "meetingLeadMinutes": "15"}
CHOSEN = {"enabled": "y", "channels": ["stream", "email"], "types": ["MENTION"], "quiet": "y", **HOURS}


def stored(member):
    return member.client.get(PREFERENCES, headers=SAME_ORIGIN).json


def checked(page):
    return set(re.findall(r'<input checked[^>]* value="([^"]+)"', page.text))


def plainly(page):
    """What is checked, but for the types by channel."""
    return {each for each in checked(page) if "/" not in each}


def test_what_is_chosen_is_kept_and_shown(member):
    assert member.send(PAGE, **CHOSEN).headers["Location"] == PAGE
    kept = stored(member)
    assert kept["channels"] == {"stream": True, "teams": False, "email": True}
    assert [name for name, is_on in kept["types"].items() if is_on] == ["MENTION"]
    hours = {"enabled": True, "start": "21:30", "end": "06:00", "timeZone": "Europe/Berlin"}
    assert (kept["quietHours"], kept["meetingLeadMinutes"]) == (hours, 15)
    page = member.get(PAGE)
    assert said_by(page) == ["Saved."]
    assert plainly(page) == {"y", "stream", "email", "MENTION"}
    assert '<option selected value="Europe/Berlin">Europe/Berlin</option>' in page.text


def test_a_type_is_switched_off_for_one_channel(member):
    page = member.get(PAGE)
    offered = checked(page) & set(re.findall(r'value="(\w+/\w+)"', page.text))
    assert {"MENTION/email", "MENTION/stream"} <= offered
    member.send(PAGE, **CHOSEN | {"by_channel": sorted(offered - {"MENTION/email"})})
    kept = stored(member)["types"]
    assert {name: is_on for name, is_on in kept.items() if "/" in name} == {"MENTION/email": False}
    assert "MENTION/email" not in checked(member.get(PAGE))
    member.send(PAGE, **CHOSEN | {"by_channel": sorted(offered)})
    assert stored(member)["types"]["MENTION/email"] is True


def test_nothing_at_all_can_be_chosen(member):
    member.send(PAGE, **HOURS)
    kept = stored(member)
    assert kept["enabled"] is False
    assert not any([*kept["channels"].values(), *kept["types"].values(), kept["quietHours"]["enabled"]])


@pytest.mark.parametrize(
    ("fields", "field", "text"),
    [
        ({"start": "25:00"}, "start", "Enter a time such as 22:00."),
        ({"end": ""}, "end", "This field is required."),
        ({"timeZone": "Mars/Base"}, "timeZone", "Not a valid choice."),
        ({"meetingLeadMinutes": "121"}, "meetingLeadMinutes", "Number must be between 0 and 120."),
        ({"meetingLeadMinutes": "soon"}, "meetingLeadMinutes", "Not a valid integer value."),
    ],
)
def test_what_does_not_fit_is_said_beside_its_field_and_keeps_the_rest(member, fields, field, text):
    before = stored(member)
    response = member.send(PAGE, **CHOSEN | fields)
    assert (response.status_code, wrong_with(response, field)) == (400, text)
    assert plainly(response) == {"y", "stream", "email", "MENTION"}
    assert stored(member) == before


def test_a_channel_that_there_is_not_is_refused(member):
    before = stored(member)
    response = member.send(PAGE, **CHOSEN | {"channels": ["pigeon"]})
    assert response.status_code == 400
    assert alerts_of(response) == ["Check what is marked below."]
    assert stored(member) == before


def test_preferences_that_were_deleted_come_back_with_the_defaults(member):
    member.send(PAGE, **CHOSEN)
    token = member.client.post("/api/auth/token", headers=SAME_ORIGIN).json["token"]
    bearer = {"Authorization": f"Bearer {token}"}
    own = member.client.get("/api/v1/notification/preference", headers=bearer).json["data"][0]
    member.client.delete(f"/api/v1/notification/preference/{own['id']}", headers=bearer)
    assert "stream" in checked(member.get(PAGE))
    assert "teams" in checked(member.get(PAGE))
