"""The webhook receiver: what is kept, what follows, and how soon the sender has its answer."""

from __future__ import annotations

import threading
import time
from uuid import uuid4

import pytest
from sqlalchemy import select, text

from app.jobs import registry
from app.teams import processing
from app.teams.models import IntegrationTeamsConversation, IntegrationTeamsMeeting
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.teams.inbox import WEBHOOK, key_of, stored
from tests.teams.microsoft import APP_ID, TENANT

NOTIFICATION = "/api/v1/notification/notification"


def test_a_message_is_kept_and_processed(teams, ms, send):
    activity = ms.activity()
    response = send(activity)
    assert (response.status_code, response.data) == (200, b"")
    assert stored(teams, dedupe_key=key_of(activity), status="processed", kind="bot_message") == 1


@pytest.mark.parametrize("body", [{}, {"type": 5}, {"value": {"a": 1}}, {"value": [], "type": None}])
def test_what_is_neither_activity_nor_notification_is_400(teams, body):
    assert Actor(teams).post(WEBHOOK, body).status_code == 400


def test_an_invoke_is_no_notification_whatever_its_value_is(teams, ms):
    activity = ms.activity(type="invoke", name="task/fetch", value=[{"subscriptionId": "x"}])
    assert Actor(teams).post(WEBHOOK, activity).status_code == 401


def test_other_bodies_and_verbs_are_refused(teams):
    actor = Actor(teams)
    assert actor.send("POST", WEBHOOK, data="x", content_type="text/plain").status_code == 415
    assert actor.get(WEBHOOK).status_code == 405


def test_a_repetition_has_its_effects_once(teams, ms, send, known):
    ada = known("ada-oid")
    activity = ms.activity()
    assert [send(activity).status_code for _ in range(3)] == [200, 200, 200]
    activities = ada.get("/api/v1/analytics/activity?activityType=BOT_MESSAGE").json["data"]
    assert [each["metadata"]["activityId"] for each in activities] == [activity["id"]]


def test_who_is_named_and_who_spoke_before_hear_of_a_message(ms, send, known):
    channel = f"19:{uuid4().hex}@thread.tacv2"
    ada, bob, eve = known("ada-oid-2"), known("bob-oid"), known("eve-oid")

    def speak(sender, *mentioned):
        there = {"id": channel, "conversationType": "channel", "tenantId": TENANT}
        named = [{"type": "mention", "text": "x", "mentioned": {"id": f"29:{each}"}} for each in mentioned]
        author = {"from": {"id": f"29:{sender}", "name": sender[:3].title(), "aadObjectId": sender}}
        send(ms.activity(entities=named, text="The plan is ready", conversation=there, **author))

    own = {"id": f"a:{uuid4().hex}", "conversationType": "personal", "tenantId": TENANT}
    send(ms.activity(conversation=own, **{"from": {"id": "29:eve-oid", "aadObjectId": "eve-oid"}}))
    speak("bob-oid")
    speak("ada-oid-2", "eve-oid")
    assert [row["type"] for row in bob.get(NOTIFICATION).json["data"]] == ["MESSAGE"]
    (told,) = eve.get(NOTIFICATION).json["data"]
    assert (told["type"], told["title"], told["body"]) == ("MENTION", "Ada mentioned you", "The plan is ready")
    assert ada.get(NOTIFICATION).json["meta"]["count"] == 0


@pytest.mark.parametrize("about", ["the team", "the channel"])
def test_who_was_taken_out_hears_nothing_more(ms, send, known, about):
    channel, team = f"19:{uuid4().hex}@thread.tacv2", f"19:{uuid4().hex}"
    gone = known(f"gone-{channel}")
    there = {"conversation": {"id": channel, "conversationType": "channel", "tenantId": TENANT}}
    of_team = {"channelData": {"tenant": {"id": TENANT}, "team": {"id": team}}}
    send(ms.activity(**there, **of_team, **{"from": {"id": "29:gone", "aadObjectId": f"gone-{channel}"}}))
    elsewhere = {"conversation": {**there["conversation"], "id": "19:general@thread.tacv2"}}
    where = {**elsewhere, **of_team} if about == "the team" else {**there, "channelData": {"tenant": {"id": TENANT}}}
    send(ms.activity(type="conversationUpdate", membersRemoved=[{"id": "29:gone"}], **where))
    send(ms.activity(**there, **of_team, text="confidential"))
    assert gone.get(NOTIFICATION).json["meta"]["count"] == 0


def test_who_merely_says_to_have_spoken_hears_nothing(teams_cast, ms, send, known):
    known("ada-oid-5")
    channel, eavesdropper = f"19:{uuid4().hex}@thread.tacv2", teams_cast.user()
    claimed = {"activityType": "BOT_MESSAGE", "metadata": {"conversationId": channel}}
    eavesdropper.post("/api/v1/analytics/activity", claimed)
    there = {"id": channel, "conversationType": "channel", "tenantId": TENANT}
    assert send(ms.activity(conversation=there)).status_code == 200
    assert eavesdropper.get(NOTIFICATION).json["meta"]["count"] == 0


@pytest.mark.parametrize(
    "odd",
    [
        {"channelData": {"tenant": {"id": TENANT}, "channel": {"id": {"a": 1}}, "team": []}, "locale": "x" * 99},
        {"entities": "none", "from": "nobody"},
        {"type": "conversationUpdate", "membersRemoved": [{"id": {}}, {"aadObjectId": []}], "recipient": {"id": ["x"]}},
        {"type": "event", "name": "application/vnd.microsoft.meetingStart",
         "value": {"StartTime": "0001-01-01T00:00:00+14:00"}, "channelData": {"meeting": {"id": "odd"}}},
    ],
)  # fmt: skip
def test_odd_members_of_an_activity_do_no_harm(teams, ms, send, odd):
    activity = ms.activity(**odd)
    assert send(activity).status_code == 200
    assert stored(teams, dedupe_key=key_of(activity), status="processed") == 1


def test_an_event_about_members_leaves_the_channel_known(teams, ms, send):
    there = {"id": f"19:{uuid4().hex}@thread.tacv2", "conversationType": "channel", "tenantId": TENANT}
    send(ms.activity(conversation=there))
    joined = {"tenant": {"id": TENANT}, "team": {"id": "19:t1"}, "eventType": "teamMemberAdded"}
    send(ms.activity(type="conversationUpdate", conversation=there, channelData=joined))
    bot = {"id": f"28:{APP_ID}"}
    send(ms.activity(type="installationUpdate", action="remove", conversation=there))
    send(ms.activity(type="conversationUpdate", membersRemoved=[bot], conversation=there, channelData=joined))
    with teams.app_context(), transaction() as session:
        wanted = IntegrationTeamsConversation.conversation_id == there["id"]
        kept = session.scalars(select(IntegrationTeamsConversation).where(wanted)).one()
        assert kept.teams_channel_id == there["id"]
        assert kept.removed_at is not None


def test_the_newest_address_of_a_conversation_is_kept(teams, ms, send):
    conversation = {"id": f"19:{uuid4().hex}@thread.tacv2", "conversationType": "channel", "tenantId": TENANT}
    old = f"{ms.url}/old/"
    send(ms.activity(type="conversationUpdate", conversation=conversation, serviceUrl=old), serviceurl=old)
    send(ms.activity(type="installationUpdate", action="remove", conversation=conversation))
    with teams.app_context(), transaction() as session:
        wanted = IntegrationTeamsConversation.conversation_id == conversation["id"]
        kept = session.scalars(select(IntegrationTeamsConversation).where(wanted)).one()
        assert kept.service_url == ms.url + "/"
        assert kept.removed_at is not None
        assert kept.reference["conversation"]["tenantId"] == TENANT


def test_a_channel_that_another_one_tells_of_is_known_by_itself(teams, ms, send):
    known = IntegrationTeamsConversation

    def happens(where, about, event_type):
        told = {**about, "eventType": event_type}
        send(ms.activity(type="conversationUpdate", conversation=where, channelData=told))
        open_ = (known.conversation_id.in_([general["id"], new]), known.removed_at.is_(None))
        with teams.app_context(), transaction() as session:
            return set(session.scalars(select(known.teams_channel_id).where(*open_)))

    general = {"id": f"19:{uuid4().hex}@thread.tacv2", "conversationType": "channel", "tenantId": TENANT}
    new = f"19:{uuid4().hex}@thread.tacv2"
    send(ms.activity(conversation=general))
    about = {"tenant": {"id": TENANT}, "channel": {"id": new}, "team": {"id": "19:t1"}}
    assert happens(general, about, "channelCreated") == {general["id"], new}
    assert happens(general, about, "channelDeleted") == {general["id"]}
    assert happens(general, about, "channelRestored") == {general["id"], new}


def test_what_signs_people_in_elsewhere_is_not_kept(teams, ms, send):
    secret = uuid4().hex
    send(ms.activity(type="invoke", name="signin/tokenExchange", value={"token": secret}))
    with teams.app_context(), transaction() as session:
        holding = text("SELECT count(*) FROM integration_inbound_event WHERE payload::text LIKE :secret")
        assert session.scalar(holding, {"secret": f"%{secret}%"}) == 0


def meeting_event(ms, what, meeting, **values):
    value = {
        "MeetingType": "Scheduled", "Title": "Weekly", "Id": meeting, "JoinUrl": "https://teams.example/join",
        "StartTime": "2026-01-01T09:00:00.0000000Z",
    }  # fmt: skip
    return ms.activity(
        type="event", name=f"application/vnd.microsoft.meeting{what}", value=value, text=None,
        conversation={"id": "19:meeting_x@thread.v2", "isGroup": True, "tenantId": TENANT},
        channelData={"tenant": {"id": TENANT}, "meeting": {"id": meeting}}, **values,
    )  # fmt: skip


def test_meetings_start_and_end(teams, ms, send, known):
    organizer, meeting = known("ada-oid-3"), f"MCMx/{uuid4().hex}+="
    sender = {"from": {"id": "29:u", "aadObjectId": "ada-oid-3"}}
    assert send(meeting_event(ms, "Start", meeting, **sender)).status_code == 200
    (told,) = organizer.get(NOTIFICATION).json["data"]
    assert (told["type"], told["title"]) == ("MEETING_STARTING", "Weekly has started")
    send(meeting_event(ms, "End", meeting, **sender))
    with teams.app_context(), transaction() as session:
        wanted = IntegrationTeamsMeeting.teams_meeting_id == meeting
        kept = session.scalars(select(IntegrationTeamsMeeting).where(wanted)).one()
        assert (kept.status, kept.subject, kept.type) == ("ended", "Weekly", "Scheduled")
        assert kept.actual_start_date_time is not None
        assert kept.start_date_time.isoformat() == "2026-01-01T09:00:00+00:00"


def test_each_occurrence_of_a_meeting_that_recurs_is_told_of(ms, send, known):
    organizer, meeting = known("ada-oid-6"), f"MCMx/{uuid4().hex}+="
    sender = {"from": {"id": "29:u", "aadObjectId": "ada-oid-6"}}
    for week in ("01", "08"):
        send(meeting_event(ms, "Start", meeting, timestamp=f"2026-01-{week}T09:00:00.000Z", **sender))
        send(meeting_event(ms, "End", meeting, timestamp=f"2026-01-{week}T10:00:00.000Z", **sender))
    send(meeting_event(ms, "Start", meeting, timestamp="2026-01-08T09:30:00.000Z", **sender))  # late
    assert organizer.get(NOTIFICATION).json["meta"]["count"] == 2


def test_unknown_types_are_kept_and_ignored(teams, ms, send):
    activity = ms.activity(type="typing")
    assert send(activity).status_code == 200
    assert stored(teams, dedupe_key=key_of(activity), status="ignored") == 1


def test_an_unknown_invoke_is_501(ms, send):
    response = send(ms.activity(type="invoke", name="composeExtension/query", value={}))
    assert (response.status_code, response.data) == (501, b"")


def test_a_task_is_answered_in_the_body(ms, send):
    response = send(ms.activity(type="invoke", name="task/fetch", value={}))
    assert response.json["task"]["type"] == "message"
    assert send(ms.activity(type="invoke", name="signin/verifyState", value={})).json == {}


@pytest.mark.alone
def test_slow_work_goes_on_while_the_sender_has_its_answer(teams, ms, send, monkeypatch):
    handle, answered = processing.handle, threading.Event()

    def sleepy(session, event):
        answered.wait(30)
        handle(session, event)

    send()  # the keys are there
    monkeypatch.setattr(processing, "handle", sleepy)
    activity = ms.activity()
    begun = time.monotonic()
    assert send(activity).status_code == 202
    assert time.monotonic() - begun < 3
    answered.set()
    monkeypatch.setattr(processing, "handle", handle)
    registry.work(teams, concurrency=1, until_empty=True)
    assert stored(teams, dedupe_key=key_of(activity), status="processed") == 1


def test_work_that_fails_is_done_by_its_job(teams, ms, send, monkeypatch, known):
    ada, handle = known("ada-oid-4"), processing.handle

    def broken(session, event):
        handle(session, event)
        raise RuntimeError("after all was done")

    monkeypatch.setattr(processing, "handle", broken)
    activity = ms.activity(**{"from": {"id": "29:u", "name": "Ada", "aadObjectId": "ada-oid-4"}})
    assert send(activity).status_code == 202
    monkeypatch.setattr(processing, "handle", handle)
    registry.work(teams, concurrency=1, until_empty=True)
    assert stored(teams, dedupe_key=key_of(activity), status="processed") == 1
    assert ada.get("/api/v1/analytics/activity?activityType=BOT_MESSAGE").json["meta"]["count"] == 1
