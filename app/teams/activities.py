"""Activities of the Bot Framework, and the effect of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from app.analytics.models import AnalyticsActivity
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.notification.routing import lock_recipients, notify_all
from app.teams import conversations, meetings
from app.teams.inbox import Arrival, digest_of
from app.teams.models import IntegrationInboundEvent
from app.teams.people import user_of, users_of
from app.teams.reading import Json, moment_of, part, plain

KINDS = {"message": "bot_message", "conversationUpdate": "channel_event", "installationUpdate": "channel_event"}
MEETING = "application/vnd.microsoft.meeting"
MAX_BODY_LENGTH = 1000
# What has a meaning here; of some, only where they came from.
KNOWN = ("message", "event", "conversationUpdate", "installationUpdate", "messageReaction")


def arrival(activity: Json) -> Arrival:
    """The activity as it is kept in the inbox."""
    conversation = part(activity, "conversation").get("id", "")
    name = str(activity.get("name", ""))
    kind = "meeting_notification" if name.startswith(MEETING) else KINDS.get(str(activity.get("type")), "other")
    key = f"bot:{activity.get('channelId')}:{conversation}:{activity.get('id') or digest_of(activity)}"
    if name.startswith("signin/"):  # what it carries signs people in elsewhere
        activity = {field: value for field, value in activity.items() if field != "value"}
    return Arrival("bot", kind, key, activity)


def handle(unit: Unit, event: IntegrationInboundEvent) -> None:
    """Do what follows an activity."""
    activity = event.payload
    tenant_id = tenant_of(activity)
    if tenant_id:
        conversations.keep(unit, activity, tenant_id)
    kind = activity.get("type")
    if kind not in KNOWN or not tenant_id:
        event.status = "ignored"
    elif kind == "message" and not is_press(activity):
        _message(unit, activity, tenant_id)
    elif kind == "event":
        _event(unit, activity, tenant_id)


def is_press(activity: Json) -> bool:
    """Whether a message is a button of a card, as clients send it that know no Action.Execute."""
    return isinstance(part(activity, "value").get("verb"), str) and not activity.get("text")


def tenant_of(activity: Json) -> str:
    tenant = part(part(activity, "channelData"), "tenant").get("id") or part(activity, "conversation").get("tenantId")
    return tenant if isinstance(tenant, str) and len(tenant) <= 64 else ""


def spoken(activity: Json) -> str:
    """What was said, without the bot's own name in front."""
    text = str(activity.get("text") or "")
    bot = part(activity, "recipient").get("id")
    for entity in _entities(activity):
        if part(entity, "mentioned").get("id") == bot and isinstance(entity.get("text"), str):
            text = text.replace(entity["text"], "")
    return re.sub(r"</?at>", "", text).strip()


def _entities(activity: Json) -> list[Json]:
    entities = activity.get("entities")
    return [each for each in entities if isinstance(each, Mapping)] if isinstance(entities, list) else []


def _message(unit: Unit, activity: Json, tenant_id: str) -> None:
    """Record that somebody spoke to the bot, and tell those who are named and those who spoke there before."""
    sender = user_of(unit.session, tenant_id, activity.get("from"))
    thread = conversations.thread_of(activity)
    mentioned = [part(entity, "mentioned") for entity in _entities(activity) if entity.get("type") == "mention"]
    teams_ids = [each["id"] for each in mentioned if isinstance(each.get("id"), str)]
    known = conversations.object_ids(unit.session, tenant_id, thread, teams_ids)
    mentioned_ids = {str(each["aadObjectId"]) for each in mentioned if each.get("aadObjectId")}
    named = set(users_of(unit.session, tenant_id, known | mentioned_ids).values()) - {sender}
    others = conversations.spoke_before(unit.session, tenant_id, thread) - named - {sender}
    lock_recipients(unit, named | others)
    author = str(part(activity, "from").get("name") or "Somebody")
    body = spoken(activity)[:MAX_BODY_LENGTH]
    data = {"conversationId": thread, "tenantId": tenant_id, "source": "teams"}
    if channel := plain(part(part(activity, "channelData"), "channel").get("id"), 255):
        data["channelId"] = channel
    notify_all(unit, named, "MENTION", f"{author} mentioned you", body, data=data, actor_id=sender)
    notify_all(unit, others, "MESSAGE", f"{author} wrote", body, data=data, actor_id=sender)
    if sender is not None:
        record(unit, sender, "BOT_MESSAGE", {**data, "activityId": str(activity.get("id"))})


def record(unit: Unit, user_id: UUID, activity_type: str, metadata: dict[str, Any]) -> None:
    """Record an activity of a user."""
    unit.session.add(AnalyticsActivity(user_id=user_id, activity_type=activity_type, metadata_=metadata))


def _event(unit: Unit, activity: Json, tenant_id: str) -> None:
    name = str(activity.get("name", "")).removeprefix(MEETING)
    if name in ("Start", "End"):
        value, meeting = part(activity, "value"), part(part(activity, "channelData"), "meeting")
        at = moment_of(activity.get("timestamp")) or now()
        who = user_of(unit.session, tenant_id, activity.get("from"))
        identifier = str(meeting.get("id") or value.get("Id") or "")
        chat = plain(part(activity, "conversation").get("id"), 255)
        meetings.happened(unit, tenant_id, {**value, "chatId": chat}, identifier, name, at, who)
