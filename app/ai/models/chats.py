"""Models of chats: messages, votes, artifacts and suggestions."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    CALLER_ORGANIZATION,
    CALLER_USER,
    DERIVED,
    FILTERABLE,
    IMMUTABLE,
    READ_ONLY,
    SCOPE_READS,
    SORTABLE,
    UNLISTED,
    boolean,
    enum,
    integer,
    json,
    long_text,
    reference,
    string,
    timestamp,
)
from app.engine.declare.indexes import index, sorted_by, unique
from app.engine.declare.kinds import INTEGER_MAX
from app.engine.declare.policy import Policy
from app.engine.declare.record import Record
from app.engine.declare.scopes import PUBLISHED, Owner, Parent


class AiChat(Record):
    """A conversation between one user and the assistant."""

    __tablename__ = "ai_chat"
    domain, segment = "ai", "chat"
    searchable = ("title",)
    semantic = ("title",)
    policy = Policy(Owner("user_id", public=PUBLISHED), links=True, shares=True)
    keys = (index("user_id", "-last_message_at"),)
    transitions = {"status": {"active": ["archived"], "archived": ["active"]}}

    user_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    organization_id: Mapped[UUID | None] = reference(
        "auth_organization",
        "set null",
        READ_ONLY,
        FILTERABLE,
        default=CALLER_ORGANIZATION,
        note="for cost and usage reports; gives members no access",
    )
    title: Mapped[str] = string(
        SORTABLE,
        min=1,
        max=200,
        default="New chat",
        note="replaced by a title made from the first message unless the caller set one",
    )
    visibility: Mapped[str] = enum("private", "public", flags=(FILTERABLE,), default="private")
    status: Mapped[str] = enum("active", "archived", flags=(FILTERABLE,), default="active")
    chain_id: Mapped[UUID | None] = reference(
        "ai_chain",
        "set null",
        FILTERABLE,
        note="null means the default chain of the organization, else the system-wide default",
    )
    index_id: Mapped[UUID | None] = reference(
        "ai_rag_index", "set null", FILTERABLE, note="knowledge base used to ground the answers"
    )
    system_prompt: Mapped[str | None] = long_text(SCOPE_READS, max=20000)
    source: Mapped[str] = enum("web", "api", "teams", flags=(READ_ONLY, FILTERABLE), default=DERIVED)
    last_message_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)
    metadata_: Mapped[dict[str, Any]] = json(SCOPE_READS, name="metadata", shape="object", max_bytes=16384, default={})


class AiMessage(Record):
    """One entry of a chat, written by the user, the assistant, a tool or the system."""

    __tablename__ = "ai_message"
    domain, segment = "ai", "message"
    plural = "aiMessages"
    searchable = ("content",)
    policy = Policy(Parent("chat_id"))
    operations_note = "content of an existing entry may only be changed while role is user; the change sets editedAt"
    keys = (unique("chat_id", "sequence"),)
    transitions = {
        "status": {"streaming": ["complete", "failed", "aborted"], "complete": [], "failed": [], "aborted": []}
    }

    chat_id: Mapped[UUID] = reference("ai_chat", "cascade", IMMUTABLE, FILTERABLE)
    sequence: Mapped[int] = integer(
        READ_ONLY, SORTABLE, min=1, max=INTEGER_MAX, default=DERIVED, note="next number within the chat"
    )
    role: Mapped[str] = enum("system", "user", "assistant", "tool", flags=(IMMUTABLE, FILTERABLE))
    content: Mapped[str] = long_text(max=100_000)
    parts: Mapped[list[Any]] = json(
        shape="array",
        max_bytes=262_144,
        default=[],
        note="ordered pieces: text, reasoning, tool call, tool result, file",
    )
    attachments: Mapped[list[Any]] = json(
        shape="array", max_bytes=16384, default=[], note="objects with uploadId, name, contentType"
    )
    status: Mapped[str] = enum(
        "complete",
        "streaming",
        "failed",
        "aborted",
        flags=(READ_ONLY, FILTERABLE),
        default="complete",
        note="aborted: the reader left or stopped it, the text so far is kept",
    )
    model: Mapped[str | None] = string(READ_ONLY, FILTERABLE, min=1, max=120)
    finish_reason: Mapped[str | None] = enum(
        "stop", "length", "content_filter", "tool_calls", "error", "other", flags=(READ_ONLY,)
    )
    edited_at: Mapped[datetime | None] = timestamp(READ_ONLY)


class AiArtifact(Record):
    """A canvas made in a chat: text, code, image, sheet or free canvas, kept apart from the messages."""

    __tablename__ = "ai_artifact"
    domain, segment = "ai", "artifact"
    searchable = ("title", "content")
    policy = Policy(Owner("user_id", public=PUBLISHED), links=True, shares=True)
    keys = (index("user_id", "-updated_at"), sorted_by("user_id", "title"))

    user_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    chat_id: Mapped[UUID | None] = reference("ai_chat", "set null", IMMUTABLE, FILTERABLE)
    message_id: Mapped[UUID | None] = reference(
        "ai_message", "set null", IMMUTABLE, FILTERABLE, note="the message that first produced it"
    )
    title: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=200)
    kind: Mapped[str] = enum("text", "code", "image", "sheet", "canvas", flags=(FILTERABLE,), default="text")
    language: Mapped[str | None] = string(min=1, max=40, note="programming or natural language of the content")
    content: Mapped[str | None] = long_text(UNLISTED, max=1_000_000)
    upload_id: Mapped[UUID | None] = reference("storage_upload", "set null", note="picture of an image artifact")
    visibility: Mapped[str] = enum("private", "public", flags=(FILTERABLE,), default="private")
    version: Mapped[int] = integer(
        READ_ONLY, SORTABLE, min=1, max=INTEGER_MAX, default=1, note="grows by one when content changes"
    )


class AiVote(Record):
    """Thumbs up or down of a user on one message."""

    __tablename__ = "ai_vote"
    domain, segment = "ai", "vote"
    policy = Policy(Owner("user_id"))
    keys = (unique("message_id", "user_id"),)

    user_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    message_id: Mapped[UUID] = reference(
        "ai_message", "cascade", IMMUTABLE, FILTERABLE, note="must be visible to the voter"
    )
    chat_id: Mapped[UUID] = reference("ai_chat", "cascade", READ_ONLY, FILTERABLE, default=DERIVED)
    is_upvoted: Mapped[bool] = boolean(FILTERABLE)
    comment: Mapped[str | None] = string(max=1000)


class AiSuggestion(Record):
    """A proposed replacement of a passage of an artifact."""

    __tablename__ = "ai_suggestion"
    domain, segment = "ai", "suggestion"
    policy = Policy(Parent("artifact_id"))
    transitions = {"status": {"open": ["accepted", "rejected"], "accepted": [], "rejected": ["open"]}}

    artifact_id: Mapped[UUID] = reference("ai_artifact", "cascade", IMMUTABLE, FILTERABLE)
    user_id: Mapped[UUID | None] = reference(
        "auth_user", "set null", READ_ONLY, FILTERABLE, default=CALLER_USER, note="author"
    )
    artifact_version: Mapped[int] = integer(
        READ_ONLY, min=1, max=INTEGER_MAX, default=DERIVED, note="version the passage was taken from"
    )
    original_text: Mapped[str] = string(IMMUTABLE, min=1, max=20000)
    suggested_text: Mapped[str] = string(max=20000)
    description: Mapped[str | None] = string(max=2000)
    status: Mapped[str] = enum(
        "open",
        "accepted",
        "rejected",
        flags=(FILTERABLE,),
        default="open",
        note="accepting replaces the passage and raises the artifact version",
    )
    resolved_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY)
    resolved_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)
