"""Answers of a chat, read while they come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rowgate_client.errors import RowgateError
from rowgate_client.openapi import AuthenticatedClient
from rowgate_client.openapi.models import ChatQuestion


@dataclass(frozen=True)
class ChatAnswer:
    """An answer while it comes; ``chat_id`` is the chat that it is kept in, to be sent as ``id`` to go on."""

    chat_id: str
    pieces: Iterator[str]


@contextmanager
def stream_chat(
    client: AuthenticatedClient, question: ChatQuestion, *, patience: float = 120.0
) -> Iterator[ChatAnswer]:
    """Ask, and read the answer piece by piece; on leaving the block the service stops answering. ``patience`` is how
    many seconds it may be silent. Raises RowgateError when there is no answer."""
    http = client.get_httpx_client()
    with http.stream("POST", "/api/chat", json=question.to_dict(), timeout=patience) as response:
        if not response.is_success:
            raise RowgateError.of(response)
        yield ChatAnswer(response.headers.get("x-chat-id", ""), response.iter_text())
