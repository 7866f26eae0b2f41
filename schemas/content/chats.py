"""Bodies of the chat routes."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from app.ai.models.chats import AiChat, AiMessage
from schemas.fields import Identifier, Moment, Whole, WireSchema

MAX_CHATS = 100


class ChatHistoryQuery(WireSchema):
    """Which chats, or which chat with its messages."""

    chat_id = Identifier(data_key="chatId", metadata={"format": "uuid", "description": "This chat with its messages."})
    take = Whole(validate=validate.Range(1, MAX_CHATS), metadata={"description": "How many chats; 10 when omitted."})
    starting_after = Identifier(
        data_key="startingAfter", metadata={"format": "uuid", "description": "Chats older than this one."}
    )
    ending_before = Identifier(
        data_key="endingBefore", metadata={"format": "uuid", "description": "Chats newer than this one."}
    )


class ChatSummary(WireSchema):
    """A chat without its messages."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    title = fields.String(required=True)
    user_id = Identifier(required=True, data_key="userId", metadata={"format": "uuid"})
    visibility = fields.String(required=True, validate=validate.OneOf(["private", "public"]))
    created_at = Moment(required=True, data_key="createdAt")
    updated_at = Moment(required=True, data_key="updatedAt")


class ChatHistory(WireSchema):
    """Chats, newest first."""

    chats = fields.List(fields.Nested(ChatSummary), required=True)
    has_more = fields.Boolean(required=True, data_key="hasMore")


class ChatMessage(WireSchema):
    """What was said."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    chat_id = Identifier(required=True, data_key="chatId", metadata={"format": "uuid"})
    role = fields.String(required=True)
    content = fields.String(required=True)
    parts = fields.List(fields.Raw(), required=True)
    created_at = Moment(required=True, data_key="createdAt")


class ChatWithMessages(ChatSummary):
    """A chat and what was said in it, in order."""

    messages = fields.List(fields.Nested(ChatMessage), required=True)


def chat_body(chat: AiChat) -> dict[str, Any]:
    """A chat as the chat routes show it."""
    return {
        "id": chat.id,
        "title": chat.title,
        "userId": chat.user_id,
        "visibility": chat.visibility,
        "createdAt": chat.created_at,
        "updatedAt": chat.updated_at,
    }


def message_body(message: AiMessage) -> dict[str, Any]:
    """A message as the chat routes show it; a plain one has its text as its only part."""
    return {
        "id": message.id,
        "chatId": message.chat_id,
        "role": message.role,
        "content": message.content,
        "parts": message.parts or [{"type": "text", "text": message.content}],
        "createdAt": message.created_at,
    }
