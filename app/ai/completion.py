"""The types of a completion: the prompt that providers get, the deltas they return, and their failures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple
from uuid import UUID

from app.engine.declare.principal import Principal

# Credentials as they are usually written; a provider may repeat what it was sent.
CREDENTIALS = re.compile(r"(?i)\b(bearer|basic)\s+\S+|\b(sk|key|rg|pk)[-_][\w-]{8,}|(?<=://)[^/@\s]+@")
MAX_TEXT_LENGTH = 500
# A provider's refusal may be a whole page; credentials are looked for in its beginning.
MAX_LOOK = 8192

ErrorCode = Literal[
    "timeout", "rate_limit", "server_error", "network", "invalid_response", "auth", "bad_request", "content_filter"
]
FinishReason = Literal["stop", "length", "content_filter", "tool_calls", "error", "other"]


class ChatMessage(NamedTuple):
    """An entry of a conversation as a provider reads it."""

    role: str
    content: str


class Delta(NamedTuple):
    """A piece of what a provider gives, in order: of the answer, or of the thoughts before it."""

    kind: Literal["text", "reasoning"]
    text: str


@dataclass(frozen=True)
class Prompt:
    """What an answer is wanted to: the conversation, whoever asks, and the knowledge base to look into, if a certain
    one. What is ``shared`` with others is not made of what is the asker's alone."""

    conversation: tuple[ChatMessage, ...]
    principal: Principal
    index_id: UUID | None = None
    shared: bool = False

    @property
    def question(self) -> str:
        """What the user said last."""
        return next(each.content for each in reversed(self.conversation) if each.role == "user")


@dataclass
class CompletionInfo:
    """What is known of an answer besides its text, filled in while it comes."""

    finish_reason: FinishReason | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    http_status: int | None = None
    request_id: str | None = None


class ProviderFailure(Exception):
    """A call that came to nothing, or broke off; the text is for people and holds no credential."""

    def __init__(self, code: ErrorCode, text: str, http_status: int | None = None, secret: str | None = None) -> None:
        self.code: ErrorCode = code
        self.text = presentable(text, secret)
        self.http_status = http_status
        super().__init__(f"{code}: {self.text}")


def presentable(text: str, secret: str | None = None) -> str:
    """``text`` on one line, shortened, without what looks like a credential."""
    if secret:
        text = text.replace(secret, "***")
    line = " ".join(CREDENTIALS.sub("***", text[:MAX_LOOK]).replace("\0", "").split())
    return line if len(line) <= MAX_TEXT_LENGTH else line[: MAX_TEXT_LENGTH - 1] + "…"


def storable(text: str) -> str:
    """``text`` without what neither UTF-8 nor PostgreSQL can hold: halves of surrogate pairs, NUL characters."""
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
