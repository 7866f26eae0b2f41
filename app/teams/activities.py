"""Activities of the Bot Framework: what each of them leads to here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app.clock import now
from app.models.analytics import AnalyticsActivity
from app.models.internal import IntegrationInboundEvent, IntegrationTeamsConversation
from app.notifications import notify_all
from app.teams import meetings
from app.teams.inbox import Arrival
from app.teams.people import user_of, users_of
from app.teams.times import moment_of

KINDS = {"message": "bot_message", "conversationUpdate": "channel_event", "installationUpdate": "channel_event"}
MEETING = "application/vnd.microsoft.meeting"
CONVERSATIONS = ("personal", "groupChat", "channel")
LONGEST_BODY = 1000

Json = Mapping[str, Any]


def arrival(activity: Json) -> Arrival:
    """The activity as it is kept in the inbox."""
    conversation = part(activity, "conversation").get("id", "")
    name = str(activity.get("name", ""))
    kind = "meeting_notification" if name.startswith(MEETING) else KINDS.get(str(activity.get("type")), "other")
    key = f"bot:{activity.get('channelId')}:{conversation}:{activity.get('id')}"
    return Arrival("bot", kind, key, activity)


def handle(session: Session, event: IntegrationInboundEvent) -> None:
    """Do what follows an activity."""
    activity = event.payload
    tenant_id = tenant_of(activity)
    if tenant_id:
        _keep_reference(session, activity, tenant_id)
    reaction = REACTIONS.get(str(activity.get("type")))
    if reaction is None or not tenant_id:
        event.status = "ignored"
        return
    reaction(session, activity, tenant_id)


def part(value: Json, name: str) -> Json:
    """An object within an object; an empty one where there is none."""
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


def tenant_of(activity: Json) -> str:
    tenant = part(part(activity, "channelData"), "tenant").get("id") or part(activity, "conversation").get("tenantId")
    return tenant if isinstance(tenant, str) and len(tenant) <= 64 else ""


def thread_of(activity: Json) -> str:
    """The conversation without the part that names one thread of it."""
    return str(part(activity, "conversation").get("id", "")).partition(";messageid=")[0][:255]


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


def _keep_reference(session: Session, activity: Json, tenant_id: str) -> None:
    """Keep where the bot can reach this conversation; the newest address counts."""
    data, sender, bot = (part(activity, name) for name in ("channelData", "from", "recipient"))
    conversation = part(activity, "conversation")
    kind = conversation.get("conversationType") or ("channel" if part(data, "channel") else "personal")
    thread = thread_of(activity)
    if kind not in CONVERSATIONS or not thread or not isinstance(activity.get("serviceUrl"), str):
        return
    personal = kind == "personal"
    reference = {
        "serviceUrl": activity["serviceUrl"], "channelId": activity.get("channelId"), "bot": dict(bot),
        "conversation": {"id": thread, "conversationType": kind, "tenantId": tenant_id},
        "user": dict(sender) if personal else None,
    }  # fmt: skip
    removed = activity.get("type") == "installationUpdate" and str(activity.get("action", "")).startswith("remove")
    values = {
        "conversation_type": kind, "service_url": activity["serviceUrl"][:2048],
        "bot_id": str(bot.get("id", "28:"))[:255],
        "teams_user_id": str(sender.get("id"))[:255] if personal and sender.get("id") else None,
        "aad_object_id": sender.get("aadObjectId") if personal else None,
        "user_id": user_of(session, tenant_id, sender) if personal else None,
        "team_id": part(data, "team").get("id"), "teams_channel_id": part(data, "channel").get("id"),
        "locale": activity.get("locale") if isinstance(activity.get("locale"), str) else None,
        "reference": reference, "removed_at": now() if removed else None, "last_activity_at": now(),
    }  # fmt: skip
    kept = insert(IntegrationTeamsConversation).values(
        id=uuid7(), tenant_id=tenant_id, conversation_id=thread, **values
    )  # fmt: skip
    where = ["tenant_id", "conversation_id"]
    session.execute(kept.on_conflict_do_update(index_elements=where, set_=values | {"updated_at": now()}))


def _message(session: Session, activity: Json, tenant_id: str) -> None:
    """Record that somebody spoke to the bot, and tell those who are named and those who spoke there before."""
    sender = user_of(session, tenant_id, activity.get("from"))
    thread = thread_of(activity)
    mentioned = {
        str(part(entity, "mentioned").get("aadObjectId") or "") for entity in _entities(activity)
        if entity.get("type") == "mention"
    }  # fmt: skip
    named = set(users_of(session, tenant_id, mentioned).values()) - {sender}
    others = _spoke_before(session, thread) - named - {sender}
    author = str(part(activity, "from").get("name") or "Somebody")
    body = spoken(activity)[:LONGEST_BODY]
    data = {"conversationId": thread, "tenantId": tenant_id, "source": "teams"}
    if channel := part(part(activity, "channelData"), "channel").get("id"):
        data["channelId"] = channel
    notify_all(session, named, "MENTION", f"{author} mentioned you", body, data=data, actor_id=sender)
    notify_all(session, others, "MESSAGE", f"{author} wrote", body, data=data, actor_id=sender)
    if sender is not None:
        record(session, sender, "BOT_MESSAGE", {**data, "activityId": str(activity.get("id"))})


def record(session: Session, user_id: UUID, activity_type: str, metadata: dict[str, Any]) -> None:
    """Record an activity of a user."""
    session.add(AnalyticsActivity(user_id=user_id, activity_type=activity_type, metadata_=metadata))


def _spoke_before(session: Session, thread: str) -> set[UUID]:
    spoke = AnalyticsActivity.metadata_["conversationId"].astext == thread
    found = select(AnalyticsActivity.user_id).where(spoke, AnalyticsActivity.activity_type == "BOT_MESSAGE").distinct()
    return set(session.scalars(found))


def _nothing_more(session: Session, activity: Json, tenant_id: str) -> None:
    """The reference that was kept is all there is to it."""


def _event(session: Session, activity: Json, tenant_id: str) -> None:
    name = str(activity.get("name", "")).removeprefix(MEETING)
    if name in ("Start", "End"):
        value, meeting = part(activity, "value"), part(part(activity, "channelData"), "meeting")
        at = moment_of(activity.get("timestamp")) or now()
        who = user_of(session, tenant_id, activity.get("from"))
        meetings.happened(session, tenant_id, value, str(meeting.get("id") or value.get("Id") or ""), name, at, who)


REACTIONS: dict[str, Callable[[Session, Json, str], None]] = {
    "message": _message,
    "conversationUpdate": _nothing_more,
    "installationUpdate": _nothing_more,
    "messageReaction": _nothing_more,
    "event": _event,
}
