"""The webhook receiver: who is believed, what is kept, what follows, and how soon the sender has its answer."""

from __future__ import annotations

import hashlib
import hmac
import time
from base64 import urlsafe_b64encode
from uuid import uuid4

import pytest
from sqlalchemy import func, select

from app import jobs
from app.database import transaction
from app.models.internal import IntegrationInboundEvent, IntegrationTeamsConversation, IntegrationTeamsMeeting
from app.teams import processing
from tests.cast import Actor
from tests.chat.chains import made
from tests.teams.microsoft import APP_ID, BARE, BOT_ISSUER, TENANT, A, C, public

WEBHOOK = "/api/integrations/teams/webhooks"
NOTIFICATION = "/api/v1/notification/notification"


@pytest.fixture
def send(teams, ms):
    """Sends an activity as the Bot Framework does, or nearly so."""

    def send(activity=None, token=None, header=None, **claims):
        body = ms.activity() if activity is None else activity
        authorization = f"Bearer {token or ms.bot_token(**claims)}" if header is None else header
        headers = {"Authorization": authorization} if authorization else {}
        return Actor(teams).post(WEBHOOK, body, headers=headers)

    return send


def stored(teams, **values):
    """How many events are kept with these values."""
    with teams.app_context(), transaction() as session:
        wanted = [getattr(IntegrationInboundEvent, name) == value for name, value in values.items()]
        return session.scalar(select(func.count()).select_from(IntegrationInboundEvent).where(*wanted))


def key_of(activity):
    return f"bot:msteams:{activity['conversation']['id']}:{activity['id']}"


def test_a_message_is_kept_and_processed(teams, ms, send):
    activity = ms.activity()
    response = send(activity)
    assert (response.status_code, response.data) == (200, b"")
    assert stored(teams, dedupe_key=key_of(activity), status="processed", kind="bot_message") == 1


@pytest.mark.parametrize("skew", [-299, 299])
def test_clocks_may_differ_a_little(send, skew):
    now = int(time.time())
    claims = {"exp": now + skew} if skew < 0 else {"nbf": now + skew}
    assert send(**claims).status_code == 200


def test_a_slash_at_the_end_of_the_address_makes_no_difference(ms, send):
    assert send(serviceurl=ms.url).status_code == 200


def test_a_rotated_key_is_fetched(ms, send):
    assert send().status_code == 200
    ms.keys.append(public(C, endorsements=["msteams"]))
    assert send(key=C).status_code == 200


def test_keys_are_kept_while_they_cannot_be_fetched(ms, send):
    assert send().status_code == 200
    ms.down = True
    assert send().status_code == 200


def test_without_any_keys_the_sender_is_to_come_back(ms, send):
    ms.down = True
    assert send().status_code == 503


BAD = {
    "no token": lambda ms: {"header": ""},
    "basic": lambda ms: {"header": "Basic YTpi"},
    "two tokens": lambda ms: {"header": f"Bearer {ms.bot_token()} x"},
    "lower case scheme": lambda ms: {"header": f"bearer {ms.bot_token()}"},
    "rubbish": lambda ms: {"token": "a.b.c"},
    "no algorithm": lambda ms: {"token": unsigned(ms)},
    "HS256 with the public key": lambda ms: {"token": confused(ms)},
    "no key id": lambda ms: {"header": f"Bearer {ms.bot_token(header={'kid': None})}"},
    "unknown key": lambda ms: {"key": C},
    "wrong key under a known id": lambda ms: {"token": ms.bot_token(key=C, header={"kid": "bf-1"})},
    "a key without endorsement": lambda ms: {"key": BARE},
    "another issuer": lambda ms: {"iss": "https://evil.example"},
    "another audience": lambda ms: {"aud": "00000000-0000-4000-8000-0000000000bb"},
    "a list of audiences": lambda ms: {"aud": [APP_ID]},
    "no audience": lambda ms: {"aud": None},
    "expired": lambda ms: {"exp": int(time.time()) - 301},
    "never expires": lambda ms: {"exp": None},
    "not yet": lambda ms: {"nbf": int(time.time()) + 302},
    "another channel of the bot": lambda ms: {"activity": ms.activity(channelId="directline")},
    "nested without end": lambda ms: {"token": f"{'W' * 20000}.e30.x"},
    "another service": lambda ms: {"serviceurl": "https://smba.example/"},
    "no service": lambda ms: {"serviceurl": None},
}


def unsigned(ms):
    _, claims, _ = ms.bot_token().split(".")
    return f"eyJhbGciOiJub25lIiwia2lkIjoiYmYtMSJ9.{claims}."


def confused(ms):
    _, claims, _ = ms.bot_token().split(".")
    header = urlsafe_b64encode(b'{"alg":"HS256","kid":"bf-1"}').rstrip(b"=").decode()
    signature = hmac.digest(A.as_pem(private=False), f"{header}.{claims}".encode(), hashlib.sha256)
    return f"{header}.{claims}.{urlsafe_b64encode(signature).rstrip(b'=').decode()}"


@pytest.mark.parametrize("why", BAD)
def test_who_cannot_prove_it_is_refused_in_the_same_words(teams, ms, send, why):
    sent = BAD[why](ms)
    activity = sent.pop("activity", None) or ms.activity()
    response = send(activity, **sent)
    assert response.status_code == 401
    assert response.json == {"error": "Bot authentication failed", "code": "TEAMS_001", "details": {}}
    assert stored(teams, dedupe_key=key_of(activity)) == 0


def test_a_body_that_was_changed_after_signing_is_refused(ms, send):
    assert send(ms.activity(serviceUrl="https://evil.example/")).status_code == 401


def test_without_an_app_id_nobody_is_believed(app, ms):
    headers = {"Authorization": f"Bearer {ms.bot_token()}"}
    assert Actor(app).post(WEBHOOK, ms.activity(), headers=headers).status_code == 401


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
        named = [{"type": "mention", "text": "x", "mentioned": {"aadObjectId": each}} for each in mentioned]
        author = {"from": {"id": "29:u", "name": sender[:3].title(), "aadObjectId": sender}}
        send(ms.activity(entities=named, text="The plan is ready", conversation=there, **author))

    speak("bob-oid")
    speak("ada-oid-2", "eve-oid")
    assert [row["type"] for row in bob.get(NOTIFICATION).json["data"]] == ["MESSAGE"]
    (told,) = eve.get(NOTIFICATION).json["data"]
    assert (told["type"], told["title"], told["body"]) == ("MENTION", "Ada mentioned you", "The plan is ready")
    assert ada.get(NOTIFICATION).json["meta"]["count"] == 0


def test_who_merely_says_to_have_spoken_hears_nothing(teams_cast, ms, send, known):
    known("ada-oid-5")
    channel, eavesdropper = f"19:{uuid4().hex}@thread.tacv2", teams_cast.user()
    claimed = {"activityType": "BOT_MESSAGE", "metadata": {"conversationId": channel}}
    eavesdropper.post("/api/v1/analytics/activity", claimed)
    send(ms.activity(conversation={"id": channel, "conversationType": "channel", "tenantId": TENANT}))
    assert eavesdropper.get(NOTIFICATION).json["meta"]["count"] == 0


def test_odd_members_of_an_activity_do_no_harm(teams, ms, send):
    odd = {"channelData": {"tenant": {"id": TENANT}, "channel": {"id": {"a": 1}}, "team": []}, "locale": "x" * 99}
    activity = ms.activity(**odd, entities="none", **{"from": "nobody"})
    assert send(activity).status_code == 200
    assert stored(teams, dedupe_key=key_of(activity), status="processed") == 1


def test_a_button_that_is_told_twice_was_pressed_once(ms, send, known):
    ada = known("presser-oid")
    value = {"action": {"type": "Action.Execute", "verb": "like"}}
    press = {"type": "invoke", "name": "adaptiveCard/action", "value": value, "replyToId": "1"}
    sender = {"from": {"id": "29:u", "aadObjectId": "presser-oid"}}
    there = {"conversation": {"id": f"19:{uuid4().hex}", "conversationType": "channel", "tenantId": TENANT}}
    assert [send(ms.activity(**press, **sender, **there)).json["value"] for _ in range(2)] == ["Noted."] * 2
    assert ada.get("/api/v1/analytics/activity?activityType=APPROVAL_ACTION").json["meta"]["count"] == 1


def test_an_event_about_members_leaves_the_channel_known(teams, ms, send):
    there = {"id": f"19:{uuid4().hex}@thread.tacv2", "conversationType": "channel", "tenantId": TENANT}
    send(ms.activity(type="conversationUpdate", conversation=there))
    joined = {"tenant": {"id": TENANT}, "team": {"id": "19:t1"}, "eventType": "teamMemberAdded"}
    send(ms.activity(type="conversationUpdate", conversation=there, channelData=joined))
    bot = {"id": f"28:{APP_ID}"}
    send(ms.activity(type="installationUpdate", action="remove", conversation=there))
    send(ms.activity(type="conversationUpdate", membersRemoved=[bot], conversation=there))
    with teams.app_context(), transaction() as session:
        wanted = IntegrationTeamsConversation.conversation_id == there["id"]
        kept = session.scalars(select(IntegrationTeamsConversation).where(wanted)).one()
        assert kept.teams_channel_id == "19:c1@thread.tacv2"
        assert kept.removed_at is not None


def test_the_newest_address_of_a_conversation_is_kept(teams, ms, send):
    conversation = {"id": f"19:{uuid4().hex}@thread.tacv2", "conversationType": "channel", "tenantId": TENANT}
    send(ms.activity(type="conversationUpdate", conversation=conversation))
    send(ms.activity(type="installationUpdate", action="remove", conversation=conversation))
    with teams.app_context(), transaction() as session:
        wanted = IntegrationTeamsConversation.conversation_id == conversation["id"]
        kept = session.scalars(select(IntegrationTeamsConversation).where(wanted)).one()
        assert kept.service_url == ms.url + "/"
        assert kept.removed_at is not None
        assert kept.reference["conversation"]["tenantId"] == TENANT


def meeting_event(ms, what, meeting, **values):
    value = {
        "MeetingType": "Scheduled", "Title": "Weekly", "Id": meeting, "JoinUrl": "https://teams.example/join",
        "StartTime": "2026-01-01T09:00:00.0000000Z",
    }  # fmt: skip
    return ms.activity(
        type="event", name=f"application/vnd.microsoft.meeting{what}", value=value, text=None,
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


def test_a_button_decides_about_the_work_of_an_agent_once(teams, ms, send, known):
    ada = known("approver-oid")
    agent = made(ada.post("/api/v1/ai-agent/config", {"name": "Writer", "instructions": "x", "status": "active"}))
    work = made(ada.post("/api/v1/ai-agent/deliverable", {"configId": agent, "title": "Note", "brief": "Cranes"}))
    jobs.work(teams, concurrency=1, until_empty=True)
    value = {
        "action": {"type": "Action.Execute", "verb": "approve", "data": {"deliverableId": work}},
        "trigger": "manual",
    }
    press = {"type": "invoke", "name": "adaptiveCard/action", "value": value}
    sender = {"from": {"id": "29:u", "aadObjectId": "approver-oid"}}
    said = [send(ms.activity(**press, **sender)).json for _ in range(2)]
    assert [each["value"] for each in said] == ["Approved", "Approved"]
    assert ada.get(f"/api/v1/ai-agent/deliverable/{work}").json["status"] == "approved"
    assert ada.get("/api/v1/analytics/activity?activityType=APPROVAL_ACTION").json["meta"]["count"] == 1
    stranger = send(ms.activity(**press, **{"from": {"id": "29:x", "aadObjectId": "nobody-oid"}}))
    assert (stranger.status_code, stranger.json["statusCode"]) == (200, 400)


def test_slow_work_goes_on_while_the_sender_has_its_answer(teams, ms, send, monkeypatch):
    handle = processing.handle

    def sleepy(session, event):
        time.sleep(3.2)
        handle(session, event)

    send()  # the keys are there
    monkeypatch.setattr(processing, "handle", sleepy)
    activity = ms.activity()
    begun = time.monotonic()
    assert send(activity).status_code == 202
    assert time.monotonic() - begun < 3
    monkeypatch.setattr(processing, "handle", handle)
    jobs.work(teams, concurrency=1, until_empty=True)
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
    jobs.work(teams, concurrency=1, until_empty=True)
    assert stored(teams, dedupe_key=key_of(activity), status="processed") == 1
    assert ada.get("/api/v1/analytics/activity?activityType=BOT_MESSAGE").json["meta"]["count"] == 1


def test_the_emulator_is_believed_only_where_a_setting_says_so(build, ms, teams):
    issuer = "https://sts.windows.net/d6d49420-f39b-4df7-a1dc-d59a935871db/"
    claims = {"iss": issuer, "ver": "1.0", "appid": APP_ID}
    headers = {"Authorization": f"Bearer {ms.bot_token(**claims)}"}
    assert Actor(teams).post(WEBHOOK, ms.activity(), headers=headers).status_code == 401
    settings = teams.config["SETTINGS"]
    kept = ("teams_app_id", "teams_login_url", "teams_bot_metadata_url")
    open_minded = build(teams_emulator=True, **{name: getattr(settings, name) for name in kept})
    assert Actor(open_minded).post(WEBHOOK, ms.activity(channelId="emulator"), headers=headers).status_code == 200
    assert issuer != BOT_ISSUER
