"""Conversations that the bot knows: their addresses, and who has spoken in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.teams.models import IntegrationTeamsConversation as Conversation
from app.teams.people import user_of, users_of
from app.teams.reading import Json, part, plain

KINDS = ("personal", "groupChat", "channel")
# After these the bot is where they came from.
SIGNS_OF_LIFE = ("message", "invoke", "event", "installationUpdate")
MAX_SPEAKERS = 100


def thread_of(activity: Json) -> str:
    """The conversation that an activity is about, without the part that names one thread of it."""
    about = part(activity, "conversation").get("id", "")
    if activity.get("type") == "conversationUpdate":  # of a channel that another one tells of
        about = part(part(activity, "channelData"), "channel").get("id") or about
    return str(about).partition(";messageid=")[0][:255]


def keep(unit: Unit, activity: Json, tenant_id: str) -> None:
    """Keep where the bot can reach the conversation of an activity, and who has spoken there. The newest address
    counts; what an activity does not say stays as it was."""
    data, sender, bot = (part(activity, name) for name in ("channelData", "from", "recipient"))
    kind, thread = _kind_of(activity), thread_of(activity)
    service_url = plain(activity.get("serviceUrl"), 2048)
    _forget_removed(unit, activity, tenant_id)
    if kind is None or not thread or service_url is None:
        return
    named = (Conversation.tenant_id == tenant_id, Conversation.conversation_id == thread)
    values = {"conversation_type": kind, "service_url": service_url, "bot_id": plain(bot.get("id"), 255) or "28:"}
    fresh = insert(Conversation).values(
        id=uuid7(), tenant_id=tenant_id, conversation_id=thread, reference={}, **values
    )  # fmt: skip
    unit.bookkeep(fresh.on_conflict_do_nothing(index_elements=["tenant_id", "conversation_id"]))
    kept = unit.session.scalars(select(Conversation).where(*named).with_for_update()).one()
    found: dict[str, Any] = {
        **values, "locale": plain(activity.get("locale"), 35), "team_id": plain(part(data, "team").get("id"), 255),
        "teams_channel_id": thread if kind == "channel" else None,
    }  # fmt: skip
    if kind == "personal":
        found |= {
            "teams_user_id": plain(sender.get("id"), 255), "aad_object_id": plain(sender.get("aadObjectId"), 64),
            "user_id": user_of(unit.session, tenant_id, sender),
        }  # fmt: skip
    for name, value in found.items():
        if value is not None:
            setattr(kept, name, value)
    kept.reference = _reference(activity, kept.reference, thread, kind, tenant_id)
    kept.last_activity_at = now()
    if _is_removal(activity):
        kept.removed_at = now()
    elif activity.get("type") in SIGNS_OF_LIFE or data.get("eventType") == "channelRestored":
        kept.removed_at = None


def spoke_before(session: Session, tenant_id: str, thread: str) -> set[UUID]:
    """Those who have spoken to the bot in a conversation, and have an identity in its tenant now."""
    return set(users_of(session, tenant_id, _speakers(session, tenant_id, thread).values()).values())


def object_ids(session: Session, tenant_id: str, thread: str, teams_ids: Iterable[str]) -> set[str]:
    """The object ids of people whom Teams names by ids that it made for this bot, of those who have spoken to it."""
    wanted = set(teams_ids)
    chats = select(Conversation.aad_object_id).where(
        Conversation.tenant_id == tenant_id, Conversation.teams_user_id.in_(wanted)
    )  # fmt: skip
    speakers = _speakers(session, tenant_id, thread)
    met = {each for each in session.scalars(chats) if each} if wanted else set()
    return met | {speakers[each] for each in wanted & speakers.keys()}


def _kind_of(activity: Json) -> str | None:
    """What an activity says of its conversation. One that says nothing is not taken for a person's own chat."""
    conversation, data = part(activity, "conversation"), part(activity, "channelData")
    kind = conversation.get("conversationType")
    if kind is None and part(data, "channel"):
        kind = "channel"
    elif kind is None and (conversation.get("isGroup") or part(data, "meeting")):
        kind = "groupChat"
    return kind if kind in KINDS else None


def _speakers(session: Session, tenant_id: str, thread: str) -> dict[str, str]:
    named = (Conversation.tenant_id == tenant_id, Conversation.conversation_id == thread)
    return _known(session.scalar(select(Conversation.reference).where(*named)) or {})


def _known(reference: Json) -> dict[str, str]:
    """The object ids of speakers by their ids in Teams, the latest last; kept as pairs, which stay in their order."""
    return dict(reference.get("speakers") or [])


def _reference(activity: Json, before: Json, thread: str, kind: str, tenant_id: str) -> dict[str, Any]:
    """The conversation reference, with the object ids of those who have spoken to the bot there, by their ids in
    Teams."""
    sender = part(activity, "from")
    speakers = _known(before)
    name, speaker = plain(sender.get("id"), 255), plain(sender.get("aadObjectId"), 64)
    if activity.get("type") == "message" and speaker:
        speakers.pop(name or speaker, None)
        speakers[name or speaker] = speaker
    bot = {name: plain(part(activity, "recipient").get(name), 255) for name in ("id", "name")}
    person = {name: plain(sender.get(name), 255) for name in ("id", "aadObjectId")}
    return {
        "serviceUrl": activity.get("serviceUrl"), "channelId": activity.get("channelId"), "bot": bot,
        "conversation": {"id": thread, "conversationType": kind, "tenantId": tenant_id},
        "user": person if kind == "personal" else None, "speakers": [*speakers.items()][-MAX_SPEAKERS:],
    }  # fmt: skip


def _is_removal(activity: Json) -> bool:
    """Whether the bot was taken out of the conversation, or the conversation away."""
    bot = plain(part(activity, "recipient").get("id"), 255)
    gone = bot is not None and bot in {plain(each.get("id"), 255) for each in _removed(activity)}
    deleted = part(activity, "channelData").get("eventType") == "channelDeleted"
    return gone or deleted or str(activity.get("action", "")).startswith("remove")


def _removed(activity: Json) -> list[Json]:
    removed = activity.get("membersRemoved")
    return [each for each in removed if isinstance(each, Mapping)] if isinstance(removed, list) else []


def _forget_removed(unit: Unit, activity: Json, tenant_id: str) -> None:
    """Have those who were taken out of a team or a chat hear nothing more of it."""
    gone = {plain(each.get(name), 255) for each in _removed(activity) for name in ("id", "aadObjectId")} - {None}
    if not gone:
        return
    team = plain(part(part(activity, "channelData"), "team").get("id"), 255)
    where = Conversation.team_id == team if team else Conversation.conversation_id == thread_of(activity)
    rows = select(Conversation).where(Conversation.tenant_id == tenant_id, where).order_by(Conversation.id)
    for row in unit.session.scalars(rows.with_for_update()):
        speakers = _known(row.reference)
        left = {name: speaker for name, speaker in speakers.items() if name not in gone and speaker not in gone}
        if left != speakers:
            row.reference = {**row.reference, "speakers": [*left.items()]}
