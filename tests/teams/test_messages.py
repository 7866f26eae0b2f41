"""Messages to channels: who may send where, what is sent, and what the connector's answers mean."""

from __future__ import annotations

from uuid import uuid4

import pytest
from sqlalchemy import delete, select, update

from app.auth.models.identity import AuthAccount
from app.auth.models.organizations import AuthMember
from app.foundation.clock import now
from app.foundation.errors import UpstreamFailure
from app.notification.models import NotificationNotification
from app.notification.routing import notify
from app.teams import connector
from app.teams.models import IntegrationTeamsConversation
from app.testing.cast import Actor
from app.testing.database import transaction, unit_of_work
from app.testing.waiting import work
from tests import gone
from tests.teams.inbox import WEBHOOK
from tests.teams.microsoft import APP_ID, TENANT

MESSAGES = "/api/integrations/teams/messages"
CARD = {"type": "AdaptiveCard", "version": "1.2", "body": [{"type": "TextBlock", "text": "Hi"}]}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(connector.time, "sleep", lambda seconds: None)


@pytest.fixture
def channel(teams, ms):
    """A channel that the bot was added to."""
    name = f"19:{uuid4().hex}@thread.tacv2"
    introduce(teams, ms, conversation={"id": name, "conversationType": "channel", "tenantId": TENANT},
              channelData={"tenant": {"id": TENANT}, "channel": {"id": name}})  # fmt: skip
    return name


def introduce(teams, ms, **values):
    activity = ms.activity(**{"type": "conversationUpdate", **values})
    headers = {"Authorization": f"Bearer {ms.bot_token()}"}
    assert Actor(teams).post(WEBHOOK, activity, headers=headers).status_code == 200


@pytest.fixture
def ada(known):
    return known(f"ada-{uuid4()}")


def send(actor, channel, **body):
    return actor.post(MESSAGES, {"channelId": channel, "message": "The plan is ready", **body})


def test_a_message_begins_a_thread_in_the_channel(ms, ada, channel):
    response = send(ada, channel)
    assert response.status_code == 201, response.json
    assert {**response.json, "sentAt": None} == {
        "id": "17", "conversationId": "19:c1@thread.tacv2;messageid=17", "channelId": channel, "status": "sent",
        "cardVersion": None, "warnings": [], "sentAt": None,
    }  # fmt: skip
    (sent,) = ms.sent
    assert (sent["path"], sent["token"]) == ("/v3/conversations", "Bearer t1")
    assert sent["body"]["channelData"] == {"channel": {"id": channel}}
    assert (sent["body"]["tenantId"], sent["body"]["bot"]) == (TENANT, {"id": f"28:{APP_ID}"})
    assert sent["body"]["activity"] == {"type": "message", "text": "The plan is ready", "textFormat": "markdown"}


def test_a_card_has_the_message_as_its_summary(ms, ada, channel):
    response = send(ada, channel, cardData=CARD)
    assert response.json["cardVersion"] == "1.2"
    activity = ms.sent[0]["body"]["activity"]
    assert (activity["summary"], "text" in activity) == ("The plan is ready", False)
    assert activity["attachments"][0]["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert activity["attachments"][0]["content"]["fallbackText"] == "The plan is ready"


def test_the_token_is_kept(ms, ada, channel):
    for _ in range(3):
        send(ada, channel)
    assert ms.tokens == 1


def test_channels_of_other_tenants_read_as_absent(teams_cast, known, channel):
    assert send(teams_cast.user(), channel).status_code == 404
    assert send(known("bob", tenant="0" * 8 + "-0000-4000-8000-000000000009"), channel).status_code == 404
    assert send(teams_cast.admin, channel).status_code == 201
    assert send(teams_cast.nobody, channel).status_code == 401


def test_an_unknown_channel_is_404(ada):
    assert send(ada, "19:nowhere@thread.tacv2").status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {"message": ""},
        {"message": 5},
        {"channelId": None},
        {"cardData": []},
        {"cardData": {**CARD, "version": "2.0"}},
        {"x": 1},
    ],
)
def test_a_bad_body_is_refused(ms, ada, channel, body):
    assert ada.post(MESSAGES, {"channelId": channel, "message": "Hi", **body}).status_code == 400
    assert ms.sent == []


def test_a_long_message_is_sent_as_long_as_teams_takes_it(ms, ada, channel):
    answers = [ada.post(MESSAGES, {"channelId": channel, "message": "x" * size}) for size in (39_000, 41_000)]
    assert [answer.status_code for answer in answers] == [201, 413]
    assert len(ms.sent) == 1


def test_a_message_that_is_too_large_is_refused_before_it_is_sent(ms, ada, channel):
    big = {**CARD, "body": [{"type": "TextBlock", "text": "x" * 50_000}]}
    assert send(ada, channel, cardData=big).status_code == 413
    assert ms.sent == []


ANSWERS = {
    "throttled after it was unclear": ([(502, {}, {})] + [(429, {}, {"Retry-After": "0"})] * 2, 429, "RATE_LIMITED", 3),
    "throttled once": ([(429, {}, {"Retry-After": "1"})], 201, None, 2),
    "changed meanwhile": ([(412, {}, {})] * 3, 502, "UPSTREAM_ERROR", 3),
    "unclear once": ([(502, {}, {})], 201, None, 2),
    "unclear twice": ([(504, {}, {})] * 2, 502, "UPSTREAM_ERROR", 2),
    "an old token": ([(401, {}, {})], 201, None, 2),
    "no such bot": ([(401, {"error": {"code": "BotNotRegistered"}}, {})] * 2, 502, "TEAMS_001", 2),
    "elsewhere": ([(302, {}, {"Location": "/"})], 502, "UPSTREAM_ERROR", 1),
    "gone": ([(404, {"error": {"code": "ConversationNotFound"}}, {})], 404, "NOT_FOUND", 1),
    "too large": ([(413, {}, {})], 413, "PAYLOAD_TOO_LARGE", 1),
    "bad": ([(400, {"error": {"code": "BadSyntax"}}, {})], 400, "VALIDATION_ERROR", 1),
    "not allowed": ([(403, {"message": '{"subCode":"MessageWritesBlocked"}'}, {})], 403, "TEAMS_002", 1),
}  # fmt: skip

UNCLEAR = ("unclear twice", "throttled after it was unclear")


@pytest.mark.parametrize("why", ANSWERS)
def test_each_answer_of_the_connector_has_its_meaning(ms, ada, channel, why):
    answers, status, code, tries = ANSWERS[why]
    ms.answers = list(answers)
    response = send(ada, channel)
    assert (response.status_code, response.json.get("code"), len(ms.sent)) == (status, code, tries)
    assert response.json.get("details", {}).get("possiblyDelivered", False) is (why in UNCLEAR)


def test_a_message_that_teams_wants_later_waits_for_a_job(teams, ms, ada, channel):
    ms.answers = [(429, {"error": {"code": "Throttled"}}, {"Retry-After": "0"})] * 3
    response = send(ada, channel, cardData=CARD)
    assert response.status_code == 202
    assert (response.json["status"], response.json["id"], response.json["sentAt"]) == ("queued", None, None)
    work(teams)
    assert len(ms.sent) == 4
    assert ms.sent[3]["body"] == ms.sent[0]["body"]


def test_a_message_that_waits_is_not_sent_where_the_bot_was_removed(teams, ms, ada, channel):
    ms.answers = [(429, {}, {"Retry-After": "0"})] * 3
    assert send(ada, channel).status_code == 202
    with teams.app_context(), transaction() as session:
        session.execute(update(IntegrationTeamsConversation).values(removed_at=now()))
    work(teams)
    assert len(ms.sent) == 3


@pytest.mark.parametrize("end", ["banned", "deleted", "identity unlinked"])
def test_a_message_that_waits_is_not_sent_for_somebody_who_has_gone(teams, teams_cast, ms, ada, channel, end):
    ms.answers = [(429, {}, {"Retry-After": "0"})] * 3
    assert send(ada, channel).status_code == 202
    if end == "identity unlinked":
        with teams.app_context(), transaction() as session:
            session.execute(delete(AuthAccount).where(AuthAccount.user_id == ada.user_id))
    else:
        getattr(gone, end)(teams_cast, ada, ada)
    work(teams)
    assert len(ms.sent) == 3


def test_a_channel_that_is_closed_to_the_bot_is_not_tried_again(ms, ada, channel):
    ms.answers = [(403, {"error": {"code": "BotNotInConversationRoster"}}, {})]
    assert [send(ada, channel).status_code for _ in range(2)] == [403, 404]
    assert len(ms.sent) == 1


def test_credentials_that_microsoft_refuses_are_not_the_callers(ms, ada, channel):
    ms.refuse_token = True
    response = send(ada, channel)
    assert (response.status_code, response.json["code"]) == (502, "TEAMS_001")


def test_the_bots_token_goes_to_no_address_that_is_not_trusted(ms, ada, channel, build, teams):
    settings = teams.config["SETTINGS"]
    kept = ("teams_app_id", "teams_app_secret", "teams_tenant_id", "microsoft_authority", "teams_bot_metadata_url")
    careful = build(**{name: getattr(settings, name) for name in kept})
    assert send(Actor(careful, ada.token), channel).status_code == 502
    assert ms.sent == []


@pytest.mark.parametrize(
    "address",
    ["https://evil.example\\@smba.trafficmanager.net/x", "https://smba.trafficmanager.net@evil.example/",
     "http://smba.trafficmanager.net/", "https://smba.trafficmanager.net:8443/", "https://evil.example/"],
)  # fmt: skip
def test_an_address_that_only_looks_trusted_gets_no_token(teams, ms, address):
    with teams.app_context(), pytest.raises(UpstreamFailure):
        connector.send(address, "/v3/conversations", {})
    assert ms.tokens == 0


@pytest.mark.parametrize("where", ["127.0.0.1:1", "nowhere.invalid"])
def test_a_connector_that_is_not_there_has_got_nothing(build, ms, where):
    hosts = "127.0.0.1,nowhere.invalid"
    app = build(teams_app_id="x", teams_app_secret="x", microsoft_authority=ms.url, teams_connector_hosts=hosts)
    with app.app_context(), pytest.raises(UpstreamFailure) as failure:
        connector.send(f"http://{where}/", "/v3/conversations", {})
    assert failure.value.details == {}


def test_without_a_bot_the_service_is_unavailable(build, ms, ada, channel):
    assert send(Actor(build(microsoft_authority=ms.url), ada.token), channel).status_code == 503


def test_a_meetings_chat_is_nobodys_own(teams, ms, known):
    object_id = f"ada-{uuid4()}"
    ada = known(object_id)
    chat = {"id": "19:meeting_x@thread.v2", "isGroup": True, "tenantId": TENANT}
    sender = {"from": {"id": "29:u", "aadObjectId": object_id}}
    event = {"type": "event", "name": "application/vnd.microsoft.meetingStart", "value": {"Id": "m"}, "text": None}
    introduce(teams, ms, conversation=chat, channelData={"tenant": {"id": TENANT}}, **event, **sender)
    with teams.app_context(), unit_of_work() as unit:
        notify(unit, ada.user_id, "MENTION", "SECRET", "private")
    work(teams)
    assert ms.sent == []


def test_who_signs_in_after_the_bot_was_met_is_told_there(teams, ms, known):
    object_id = f"ada-{uuid4()}"
    chat = {"id": f"a:{uuid4().hex}", "conversationType": "personal", "tenantId": TENANT}
    sender = {"from": {"id": "29:u", "aadObjectId": object_id}}
    introduce(teams, ms, conversation=chat, channelData={"tenant": {"id": TENANT}}, **sender)
    ada = known(object_id)
    with teams.app_context(), unit_of_work() as unit:
        notify(unit, ada.user_id, "MENTION", "Bob mentioned you")
    work(teams)
    assert [each["path"].split("/")[-1] for each in ms.sent] == ["activities"]


def test_a_notification_goes_to_its_receivers_chat_with_the_bot(teams, ms, known):
    object_id = f"ada-{uuid4()}"
    ada = known(object_id)
    chat = {"id": f"a:{uuid4().hex}", "conversationType": "personal", "tenantId": TENANT}
    sender = {"from": {"id": "29:u", "aadObjectId": object_id}}
    introduce(teams, ms, conversation=chat, channelData={"tenant": {"id": TENANT}}, **sender)
    with teams.app_context(), unit_of_work() as unit:
        notify(unit, ada.user_id, "MENTION", "Bob mentioned you", "see canvas 7")
    work(teams)
    (sent,) = ms.sent
    assert sent["path"] == f"/v3/conversations/{connector.quoted(chat['id'])}/activities"
    assert sent["body"]["text"] == "**Bob mentioned you**\n\nsee canvas 7"
    assert ada.get("/api/v1/notification/notification").json["data"][0]["deliveryStatus"] == "delivered"


@pytest.mark.parametrize("way", [gone.banned, gone.removed])
def test_a_notification_is_not_sent_to_the_chat_of_somebody_who_has_gone(teams, teams_cast, ms, known, way):
    object_id, boss = f"ada-{uuid4()}", teams_cast.user()
    ada = known(object_id)
    chat = {"id": f"a:{uuid4().hex}", "conversationType": "personal", "tenantId": TENANT}
    sender = {"from": {"id": "29:u", "aadObjectId": object_id}}
    introduce(teams, ms, conversation=chat, channelData={"tenant": {"id": TENANT}}, **sender)
    with teams.app_context(), unit_of_work() as unit:
        unit.session.add(AuthMember(organization_id=boss.organization_id, user_id=ada.user_id, role="member"))
        unit.session.flush()
        notify(unit, ada.user_id, "MENTION", "Bob mentioned you", organization_id=boss.organization_id)
    way(teams_cast, boss, ada)
    work(teams)
    assert ms.sent == []
    with teams.app_context(), transaction() as session:
        own = select(NotificationNotification.delivery_status).where(NotificationNotification.user_id == ada.user_id)
        assert session.scalars(own).all() == ["failed"]
