"""The Bot Framework's own SDK as the peer: it makes what we accept, and reads what we send."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from botbuilder.schema import (
    Activity,
    ActivityTypes,
    ChannelAccount,
    ConversationAccount,
    ConversationReference,
    Mention,
    MessageReaction,
)

from app.teams.models import IntegrationInboundEvent, IntegrationTeamsConversation
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.teams.inbox import WEBHOOK
from tests.teams.microsoft import APP_ID, TENANT

CHANNEL = "19:c1@thread.tacv2"


def made(ms, kind, **values):
    """An activity as the SDK writes it."""
    thread = f"{CHANNEL};messageid={uuid4().hex}"
    activity = Activity(
        type=kind, id=uuid4().hex, timestamp=datetime.now(UTC), channel_id="msteams", service_url=ms.url + "/",
        from_property=ChannelAccount(id="29:u1", name="Ada", aad_object_id="ada-oid"),
        recipient=ChannelAccount(id=f"28:{APP_ID}", name="Bot"),
        conversation=ConversationAccount(id=thread, is_group=True, conversation_type="channel", tenant_id=TENANT),
        channel_data={"tenant": {"id": TENANT}, "channel": {"id": CHANNEL}}, **values,
    )  # fmt: skip
    return activity.serialize()


KINDS = {
    "message": {"text": "Hello", "text_format": "plain", "locale": "en-US"},
    "conversationUpdate": {"members_added": [ChannelAccount(id=f"28:{APP_ID}", name="Bot")]},
    "messageReaction": {"reactions_added": [MessageReaction(type="like")], "reply_to_id": "1"},
    "installationUpdate": {"action": "add"},
    "event": {"name": "application/vnd.microsoft.meetingEnd", "value": {"Id": "MCMx", "MeetingType": "Scheduled"}},
    "typing": {},
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_activities_that_the_sdk_makes_are_accepted(teams, ms, kind):
    activity = made(ms, kind, **KINDS[kind])
    headers = {"Authorization": f"Bearer {ms.bot_token()}"}
    assert Actor(teams).post(WEBHOOK, activity, headers=headers).status_code == 200
    with teams.app_context(), transaction() as session:
        key = f"bot:msteams:{activity['conversation']['id']}:{activity['id']}"
        stored = session.query(IntegrationInboundEvent).filter_by(dedupe_key=key).one()
        assert stored.payload == activity


def test_the_sdk_reads_the_message_that_is_sent(teams, ms, known):
    ada = known(f"ada-{uuid4()}")
    headers = {"Authorization": f"Bearer {ms.bot_token()}"}
    Actor(teams).post(WEBHOOK, made(ms, ActivityTypes.conversation_update), headers=headers)
    card = {"type": "AdaptiveCard", "version": "1.5", "body": [{"type": "Table", "rows": []}]}
    body = {"channelId": CHANNEL, "message": "Grüße 👷🏽", "cardData": card}
    assert ada.post("/api/integrations/teams/messages", body).status_code == 201
    read = Activity.deserialize(ms.sent[-1]["body"]["activity"])
    assert (read.type, read.summary, read.text) == ("message", "Grüße 👷🏽", None)
    assert read.attachments[0].content_type == "application/vnd.microsoft.card.adaptive"
    assert read.attachments[0].content["version"] == "1.2"


def test_the_sdk_reads_the_reference_that_is_kept(teams, ms):
    headers = {"Authorization": f"Bearer {ms.bot_token()}"}
    mention = Mention(mentioned=ChannelAccount(id=f"28:{APP_ID}", name="Bot"), text="<at>Bot</at>", type="mention")
    Actor(teams).post(WEBHOOK, made(ms, "message", text="<at>Bot</at> hi", entities=[mention]), headers=headers)
    with teams.app_context(), transaction() as session:
        kept = session.query(IntegrationTeamsConversation).filter_by(conversation_id=CHANNEL, tenant_id=TENANT).one()
        reference = ConversationReference.deserialize(kept.reference)
    assert (reference.service_url, reference.channel_id) == (ms.url + "/", "msteams")
    assert (reference.conversation.id, reference.bot.id) == (CHANNEL, f"28:{APP_ID}")
