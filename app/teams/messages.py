"""Messages to channels and to people, sent through the Bot Connector."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from flask import current_app
from sqlalchemy import exists, func, select, update
from sqlalchemy.orm import Session

from app.auth.accounts.users import user_principal
from app.auth.models.identity import AuthAccount
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Unavailable, UpstreamFailure, require_found
from app.jobs.queue import defer
from app.notification.models import NotificationNotification
from app.notification.receivers import may_be_told
from app.notification.routing import notification_routed
from app.teams import connector
from app.teams.app_tokens import credentials
from app.teams.cards import Card
from app.teams.models import IntegrationTeamsConversation as Conversation
from app.teams.people import around_tenant, tenants_of

log = logging.getLogger(__name__)

POST, DELIVER = "post_to_teams", "deliver_to_teams"
CARD = "application/vnd.microsoft.card.adaptive"


@dataclass(frozen=True)
class Place:
    """Where the bot can write: a channel or a person's chat with it."""

    id: UUID
    tenant_id: str
    conversation_id: str
    service_url: str
    bot_id: str
    channel_id: str


@dataclass(frozen=True)
class Sent:
    """A message that Teams has taken."""

    id: str
    conversation_id: str


def channel(principal: Principal, channel_id: str) -> Place:
    """A channel that the bot is in, of a tenant in which the caller is known (admins: of any); raises NotFound, and
    NotConfigured where no bot is."""
    credentials()
    named = (Conversation.teams_channel_id == channel_id, Conversation.removed_at.is_(None))
    with reading() as session:
        wanted = select(Conversation).where(*named).order_by(Conversation.last_activity_at.desc())
        if not principal.is_admin:
            tenants = tenants_of(session, principal.user_id) if principal.user_id else set()
            wanted = wanted.where(Conversation.tenant_id.in_(tenants))
        return _place(require_found(session.scalars(wanted.limit(1)).first()))


def post(
    principal: Principal, place: Place, message: str, card: Card | None, note_job: Callable[[Unit], None]
) -> Sent | None:
    """Begin a thread in a channel, or have a job do it when Teams wants it slower (None), which ``note_job`` notes in
    the unit that asks for the job. Raises what ``connector.send`` does; a channel that is closed to the bot for good is
    not tried again."""
    body = {
        "isGroup": True, "channelData": {"channel": {"id": place.channel_id}}, "tenantId": place.tenant_id,
        "bot": {"id": place.bot_id}, "activity": activity_of(message, card),
    }  # fmt: skip
    try:
        answer = _sent(place, "/v3/conversations", body)
    except connector.Throttled as failure:
        if failure.details:
            raise
        run_unit(principal, _leave_to_job, place, body, note_job)
        return None
    return Sent(str(answer.get("activityId") or answer.get("id") or ""), str(answer.get("id") or ""))


def _leave_to_job(unit: Unit, place: Place, body: dict[str, Any], note_job: Callable[[Unit], None]) -> None:
    defer(unit, POST, place.id, one_of=place.id, body=body, asked_by=str(unit.principal.user_id))
    note_job(unit)


def post_again(conversation_id: UUID, body: dict[str, Any], asked_by: str = "") -> None:
    """Send a message that had to wait, as a job; nothing for somebody who may not act any more."""
    with reading() as session:
        found = session.get(Conversation, conversation_id)
        if found and asked_by and not _may_post(session, UUID(asked_by), found.tenant_id):
            log.warning("A message that waited for Teams is not sent: its author may not write there any more")
            return
        place = _place(found) if found and found.removed_at is None else None
    if place is not None:
        _sent_later(place, "/v3/conversations", body)


def _may_post(session: Session, user_id: UUID, tenant_id: str) -> bool:
    """Whether a user may still write to the channels of a tenant."""
    author = user_principal(session, user_id)
    return author is not None and (author.is_admin or tenant_id in tenants_of(session, user_id))


def activity_of(message: str, card: Card | None) -> dict[str, Any]:
    """The activity for a message. Beside a card there is no text: Teams would make two messages of it."""
    if card is None:
        return {"type": "message", "text": message, "textFormat": "markdown"}
    return {"type": "message", "summary": message, "attachments": [{"contentType": CARD, "content": card.content}]}


@notification_routed.subscribe
def deliver_later(unit: Unit, notification: NotificationNotification) -> None:
    """Have a job send a notification that is for Teams, where Teams is set up."""
    if "teams" in notification.channels and current_app.config["SETTINGS"].teams_app_id:
        defer(unit, DELIVER, notification.id, one_of=notification.user_id)


def deliver(notification_id: UUID) -> None:
    """Send a notification to its receiver's chat with the bot, if there is one, as a job."""
    with reading() as session:
        notification = session.get(NotificationNotification, notification_id)
        if notification is None:
            return
        is_wanted = may_be_told(session, notification)
        place = _chat_with(session, notification.user_id) if is_wanted else None
        text = f"**{notification.title}**\n\n{notification.body}".strip()
    if not is_wanted:
        give_up(notification_id)
    if place is None:
        return
    path = f"/v3/conversations/{connector.quoted(place.conversation_id)}/activities"
    _sent_later(place, path, activity_of(text, None) | {"channelData": {"notification": {"alert": True}}})
    _note_outcome(notification_id, ("pending", "failed"), delivery_status="delivered", delivered_at=now())


def give_up(notification_id: UUID) -> None:
    """Say of a notification that it could not be sent."""
    _note_outcome(notification_id, ("pending",), delivery_status="failed")


def _note_outcome(notification_id: UUID, before: tuple[str, ...], **changes: Any) -> None:
    one = update(NotificationNotification).where(NotificationNotification.id == notification_id)
    open_ = NotificationNotification.delivery_status.in_(before)
    run_unit(SYSTEM, Unit.bookkeep, one.where(open_).values(changes))


def _sent(place: Place, path: str, body: dict[str, Any]) -> dict[str, Any]:
    try:
        return connector.send(place.service_url, path, body)
    except connector.GoneForGood:
        closed = update(Conversation).where(Conversation.id == place.id).values(removed_at=now())
        run_unit(SYSTEM, Unit.bookkeep, closed)
        raise


def _sent_later(place: Place, path: str, body: dict[str, Any]) -> None:
    """Send as a job, which is done again where nothing can have arrived."""
    try:
        _sent(place, path, body)
    except (connector.Throttled, UpstreamFailure) as failure:
        if failure.details.get("possiblyDelivered"):
            raise
        raise Unavailable() from None


def _chat_with(session: Session, user_id: UUID) -> Place | None:
    # The identity by which the person is known there has to be theirs still.
    before, after = around_tenant()
    linked = (AuthAccount.user_id == user_id, AuthAccount.issuer == func.concat(before, Conversation.tenant_id, after))
    known = exists().where(*linked, AuthAccount.account_id == Conversation.aad_object_id)
    personal = Conversation.conversation_type == "personal"
    open_chats = select(Conversation).where(personal, known, Conversation.removed_at.is_(None))
    found = session.scalars(open_chats.order_by(Conversation.last_activity_at.desc()).limit(1)).first()
    return _place(found) if found else None


def _place(found: Conversation) -> Place:
    where = (found.conversation_id, found.service_url, found.bot_id, found.teams_channel_id or "")
    return Place(found.id, found.tenant_id, *where)
