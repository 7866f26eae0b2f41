"""The body of a question: plain messages, or those of the AI SDK, whose further fields are ignored."""

from __future__ import annotations

from typing import Any

from marshmallow import EXCLUDE, INCLUDE, ValidationError, fields, validate

from app.ai.models.chats import AiMessage
from app.engine.write.hooks import require
from schemas.fields import Items, Text, WireSchema

ROLES = ("system", "user", "assistant", "tool")
# These may be without text of their own: an answer that was broken off, the result of a tool.
MAY_BE_EMPTY = ("assistant", "tool")
MAX_MESSAGES = 1000
MAX_LENGTH = AiMessage.fields()["content"].spec.kind.constraints["maxLength"]
MAX_NAME_LENGTH = 200
PARTS: dict[str, Any] = {"type": "array", "items": {"$ref": "#/components/schemas/ChatPart"}}


class Content(fields.Field[Any]):
    """A text, or parts of which those of type text count."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if isinstance(value, str):
            return value
        if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
            raise ValidationError("Must be a text or a list of parts.")
        texts = [part.get("text") for part in value if part.get("type") == "text"]
        if not all(isinstance(text, str) for text in texts):
            raise ValidationError("A part of type text must have its text.")
        return "\n".join(texts)


class Lenient(WireSchema):
    """Unknown fields are ignored."""

    class Meta:
        unknown = EXCLUDE


class ChatPart(WireSchema):
    """A part of what somebody said. Those of the type text have a text, and others count for nothing."""

    class Meta:
        unknown = INCLUDE

    type = Text()
    text = Text()


class ChatEntry(Lenient):
    """What somebody said: ``content``, or ``parts`` as the AI SDK sends them."""

    role = Text(required=True, validate=validate.OneOf(ROLES, error="Must be one of: {choices}."))
    content = Content(allow_none=True, metadata={"oneOf": [{"type": "string", "maxLength": MAX_LENGTH}, PARTS]})
    parts = Content(allow_none=True, metadata=PARTS)


class ChatQuestion(Lenient):
    """A conversation whose last message is the user's."""

    id = Text(
        validate=validate.Length(1, MAX_NAME_LENGTH),
        metadata={"description": "The chat to continue: its id, or any other name that the client has for it."},
    )
    messages = Items(
        fields.Nested(ChatEntry), required=True, validate=validate.Length(1, MAX_MESSAGES, error="Send 1 to {max}.")
    )
    trigger = Text(metadata={"description": "`regenerate-message` asks for another answer to a stored message."})


def spoken(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Role and text of each message that has a text; raises Invalid for one that says nothing, or too much, and for a
    conversation that does not end with the user."""
    entries = [_entry(number, entry) for number, entry in enumerate(messages)]
    require(entries[-1][0] == "user", "messages", "The last message must be the user's.")
    return [(role, text) for role, text in entries if text.strip()]


def _entry(number: int, entry: dict[str, Any]) -> tuple[str, str]:
    role, content = entry["role"], entry.get("content") or entry.get("parts") or ""
    require(bool(content.strip()) or role in MAY_BE_EMPTY, "messages", f"Message {number} has no text.")
    require(len(content) <= MAX_LENGTH, "messages", f"Message {number} is longer than {MAX_LENGTH} characters.")
    return role, content
