"""The meeting routes, and the reminder before a meeting starts."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from app.foundation.clock import now, wire
from app.teams import meetings
from app.teams.models import IntegrationTeamsMeeting
from app.testing.database import transaction

MEETINGS = "/api/teams/meetings"
NOTIFICATION = "/api/v1/notification/notification"
PREFERENCES = "/api/integrations/teams/notifications/preferences"


@pytest.fixture
def plan(app, owner):
    """Plans a meeting of the owner."""

    def plan(starts=timedelta(hours=1), **values):
        with app.app_context(), transaction() as session:
            meeting = IntegrationTeamsMeeting(
                tenant_id="t", teams_meeting_id=uuid4().hex, start_date_time=now() + starts,
                **{"participant_ids": [str(owner.user_id)], "subject": "Weekly", **values},
            )  # fmt: skip
            session.add(meeting)
            session.flush()
            return str(meeting.id)

    return plan


def test_a_meeting_is_listed_and_read_by_its_people(owner, plan, cast):
    first, second = plan(), plan(timedelta(hours=2))
    answer = owner.get(MEETINGS).json
    assert [row["id"] for row in answer["data"]] == [second, first]
    assert answer["meta"] == {"count": 2, "take": 20, "skip": 0}
    assert owner.get(f"{MEETINGS}/{first}").json == answer["data"][1]
    assert cast.anonymous.get(MEETINGS).status_code == cast.anonymous.get(f"{MEETINGS}/{first}").status_code == 403
    stranger = cast.user()
    assert stranger.get(MEETINGS).json["data"] == []
    for who, identifier in ((stranger, first), (owner, "MCMx=="), (owner, str(uuid4()))):
        missing = who.get(f"{MEETINGS}/{identifier}")
        assert (missing.status_code, missing.json["code"]) == (404, "TEAMS_004")


def test_meetings_are_found_by_time_and_state(owner, plan):
    early, late = plan(), plan(timedelta(hours=5), status="ended")
    border = wire(now() + timedelta(hours=3))
    found = {
        "from": [late], "to": [early],
    }  # fmt: skip
    for name, expected in found.items():
        assert [row["id"] for row in owner.get(MEETINGS, query_string={name: border}).json["data"]] == expected
    assert [row["id"] for row in owner.get(f"{MEETINGS}?status=ended").json["data"]] == [late]


@pytest.mark.parametrize("query", ["take=0", "from=yesterday", "status=over", "subject=x", "status=ended&status=ended"])
def test_a_bad_query_is_refused(owner, query):
    assert owner.get(f"{MEETINGS}?{query}").status_code == 400


def test_people_are_reminded_once_as_long_before_as_they_wish(app, owner, plan):
    plan(timedelta(minutes=20))
    plan(timedelta(minutes=2), participant_ids=[str(uuid4())])  # somebody who is gone
    with app.app_context():
        meetings.remind()
        assert owner.get(NOTIFICATION).json["data"] == []
        owner.put(PREFERENCES, {"meetingLeadMinutes": 30})
        for _ in range(2):
            meetings.remind()
    (told,) = owner.get(NOTIFICATION).json["data"]
    assert (told["type"], told["title"]) == ("MEETING_STARTING", "Weekly is about to start")
