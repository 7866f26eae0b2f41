"""Queries of the companion application: chats by cursor, and one chat with its messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Select, select, tuple_
from sqlalchemy.orm import Session

from app.ai.models.chats import AiChat, AiMessage
from app.engine.declare.principal import Principal
from app.engine.read import records
from app.engine.read.database import reading
from app.foundation.errors import require_found

# The most that is answered of one chat: its newest messages.
MAX_MESSAGES = 1000


@dataclass(frozen=True)
class Page:
    """Chats, newest first, and whether there are more in the direction that was asked for."""

    chats: list[AiChat]
    has_more: bool


def page(principal: Principal, take: int, *, starting_after: UUID | None, ending_before: UUID | None) -> Page:
    """The caller's newest chats, or those that come after or before a chat in that order; raises NotFound for a cursor
    that is no chat of the caller."""
    own = select(AiChat).where(AiChat.user_id == principal.user_id)
    place = tuple_(AiChat.created_at, AiChat.id)
    with reading() as session:
        if ending_before is not None:
            newer = own.where(place > _place(session, own, ending_before))
            found = list(session.scalars(newer.order_by(AiChat.created_at, AiChat.id).limit(take + 1)))
            chats = found[:take][::-1]
        else:
            older = own if starting_after is None else own.where(place < _place(session, own, starting_after))
            found = list(session.scalars(older.order_by(AiChat.created_at.desc(), AiChat.id.desc()).limit(take + 1)))
            chats = found[:take]
    return Page(chats, len(found) > take)


def read(principal: Principal, chat_id: UUID) -> tuple[dict[str, Any], list[AiMessage]]:
    """A chat that the caller sees, and its messages in order, the newest thousand; raises NotFound."""
    chat = records.get(AiChat, principal, chat_id)
    newest = select(AiMessage).where(AiMessage.chat_id == chat_id).order_by(AiMessage.sequence.desc())
    with reading() as session:
        messages = list(session.scalars(newest.limit(MAX_MESSAGES)))[::-1]
    return chat, messages


def _place(session: Session, own: Select[Any], chat_id: UUID) -> Any:
    chat = require_found(session.scalar(own.where(AiChat.id == chat_id)))
    return tuple_(chat.created_at, chat.id)
