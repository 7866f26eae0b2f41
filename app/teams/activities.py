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
from app.notifications import hold, notify_all
from app.teams import meetings
from app.teams.inbox import Arrival, digest_of
from app.teams.people import user_of, users_of
from app.teams.reading import Json, moment_of, part, plain

KINDS = {"message": "bot_message", "conversationUpdate": "channel_event", "installationUpdate": "channel_event"}
MEETING = "application/vnd.microsoft.meeting"
CONVERSATIONS = ("personal", "groupChat", "channel")
LONGEST_BODY = 1000

# After these the bot is where they came from.
SIGNS_OF_LIFE = ("message", "invoke", "event", "installationUpdate")
MOST_SPEAKERS = 500

Conversation = IntegrationTeamsConversation


def arrival(activity: Json) -> Arrival:
    """The activity as it is kept in the inbox."""
    conversation = part(activity, "conversation").get("id", "")
    name = str(activity.get("name", ""))
    kind = "meeting_notification" if name.startswith(MEETING) else KINDS.get(str(activity.get("type")), "other")
    key = f"bot:{activity.get('channelId')}:{conversation}:{activity.get('id') or digest_of(activity)}"
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
    """Keep where the bot can reach this conversation, and who has spoken there. The newest address counts; what an
    activity does not say stays as it was."""
    data, sender, bot = (part(activity, name) for name in ("channelData", "from", "recipient"))
    conversation, thread = part(activity, "conversation"), thread_of(activity)
    kind = conversation.get("conversationType") or ("channel" if part(data, "channel") else "personal")
    service_url = plain(activity.get("serviceUrl"), 2048)
    if kind not in CONVERSATIONS or not thread or service_url is None:
        return
    named = (Conversation.tenant_id == tenant_id, Conversation.conversation_id == thread)
    values = {"conversation_type": kind, "service_url": service_url, "bot_id": plain(bot.get("id"), 255) or "28:"}
    fresh = insert(Conversation).values(
        id=uuid7(), tenant_id=tenant_id, conversation_id=thread, reference={}, **values
    )  # fmt: skip
    session.execute(fresh.on_conflict_do_nothing(index_elements=["tenant_id", "conversation_id"]))
    kept = session.scalars(select(Conversation).where(*named).with_for_update()).one()
    found: dict[str, Any] = {**values, "locale": plain(activity.get("locale"), 35)}
    found["team_id"] = plain(part(data, "team").get("id"), 255)
    found["teams_channel_id"] = plain(part(data, "channel").get("id"), 255) or (thread if kind == "channel" else None)
    if kind == "personal":
        found["teams_user_id"] = plain(sender.get("id"), 255)
        found["aad_object_id"] = plain(sender.get("aadObjectId"), 64)
        found["user_id"] = user_of(session, tenant_id, sender)
    for name, value in found.items():
        if value is not None:
            setattr(kept, name, value)
    kept.reference = _reference(activity, kept.reference, thread, kind, tenant_id)
    kept.last_activity_at = now()
    if _is_removal(activity):
        kept.removed_at = now()
    elif activity.get("type") in SIGNS_OF_LIFE:
        kept.removed_at = None


def _reference(activity: Json, before: Json, thread: str, kind: str, tenant_id: str) -> dict[str, Any]:
    """The conversation reference, with the object ids of those who have spoken to the bot there."""
    sender = part(activity, "from")
    speakers = list(before.get("speakers") or [])
    speaker = plain(sender.get("aadObjectId"), 64)
    if activity.get("type") == "message" and speaker and speaker not in speakers:
        speakers = [*speakers, speaker][-MOST_SPEAKERS:]
    bot = {name: plain(part(activity, "recipient").get(name), 255) for name in ("id", "name")}
    person = {name: plain(sender.get(name), 255) for name in ("id", "aadObjectId")}
    return {
        "serviceUrl": activity.get("serviceUrl"), "channelId": activity.get("channelId"), "bot": bot,
        "conversation": {"id": thread, "conversationType": kind, "tenantId": tenant_id},
        "user": person if kind == "personal" else None, "speakers": speakers,
    }  # fmt: skip


def _is_removal(activity: Json) -> bool:
    """Whether the bot was taken out of the conversation."""
    removed = activity.get("membersRemoved")
    bot = part(activity, "recipient").get("id")
    gone = isinstance(removed, list) and any(isinstance(each, Mapping) and each.get("id") == bot for each in removed)
    return gone or str(activity.get("action", "")).startswith("remove")


def _message(session: Session, activity: Json, tenant_id: str) -> None:
    """Record that somebody spoke to the bot, and tell those who are named and those who spoke there before."""
    sender = user_of(session, tenant_id, activity.get("from"))
    thread = thread_of(activity)
    mentioned = {
        str(part(entity, "mentioned").get("aadObjectId") or "") for entity in _entities(activity)
        if entity.get("type") == "mention"
    }  # fmt: skip
    named = set(users_of(session, tenant_id, mentioned).values()) - {sender}
    others = _spoke_before(session, tenant_id, thread) - named - {sender}
    hold(session, named | others)
    author = str(part(activity, "from").get("name") or "Somebody")
    body = spoken(activity)[:LONGEST_BODY]
    data = {"conversationId": thread, "tenantId": tenant_id, "source": "teams"}
    if channel := plain(part(part(activity, "channelData"), "channel").get("id"), 255):
        data["channelId"] = channel
    notify_all(session, named, "MENTION", f"{author} mentioned you", body, data=data, actor_id=sender)
    notify_all(session, others, "MESSAGE", f"{author} wrote", body, data=data, actor_id=sender)
    if sender is not None:
        record(session, sender, "BOT_MESSAGE", {**data, "activityId": str(activity.get("id"))})


def record(session: Session, user_id: UUID, activity_type: str, metadata: dict[str, Any]) -> None:
    """Record an activity of a user."""
    session.add(AnalyticsActivity(user_id=user_id, activity_type=activity_type, metadata_=metadata))


def _spoke_before(session: Session, tenant_id: str, thread: str) -> set[UUID]:
    """Those who have spoken to the bot in a conversation, and have an identity in its tenant now."""
    named = (Conversation.tenant_id == tenant_id, Conversation.conversation_id == thread)
    reference = session.scalar(select(Conversation.reference).where(*named)) or {}
    return set(users_of(session, tenant_id, reference.get("speakers") or []).values())


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
