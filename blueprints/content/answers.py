"""The chat route: it streams an answer as plain text or as UI messages of the AI SDK."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any, Protocol

from flask import Response, current_app, request, stream_with_context

from app.ai import fallback, turn_context, turns
from app.ai.completion import ChatMessage, Delta
from app.ai.models.chats import AiChat, AiMessage
from app.ai.turn_context import ChatRequest
from app.ai.turns import Turn
from app.auth.credentials.access import RequiredGrants
from app.auth.credentials.authentication import caller
from app.auth.credentials.login import login_required
from app.engine.read.encoding import dumps
from app.engine.write.unit_of_work import run_unit
from app.foundation.errors import Failure, Forbidden
from app.foundation.identifiers import uuid_of
from blueprints.http.base import EVENTS, NO_BUFFERING, Blueprint
from blueprints.http.declarations import ANY_QUERY, Body, Operation, serve
from schemas.content.conversation import ChatQuestion, spoken

PLAIN = "text/plain"
DONE = b"data: [DONE]\n\n"
BROKE_OFF = "The answer broke off"
QUESTION = {"messages": [{"role": "user", "content": "How high may the crane be?"}]}


class Form(Protocol):
    """How an answer is written: its beginning, each piece, its end, and what is said when it breaks off."""

    content_type: str
    headers: dict[str, str]

    def written(self, pieces: Iterator[Delta]) -> Iterator[bytes]: ...


class TextStream:
    """Nothing but the text. Where it breaks off, so does the connection."""

    content_type = f"{PLAIN}; charset=utf-8"
    headers: dict[str, str] = {}

    def __init__(self, turn: Turn) -> None:
        pass

    def written(self, pieces: Iterator[Delta]) -> Iterator[bytes]:
        for piece in pieces:
            if piece.kind == "text" and piece.text:
                yield piece.text.encode()


class MessageStream:
    """The UI message stream of the AI SDK, version 1: server-sent events, one for each part."""

    content_type = EVENTS
    headers = {"x-vercel-ai-ui-message-stream": "v1"}

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._open: tuple[str, str] | None = None
        self._count = 0

    def written(self, pieces: Iterator[Delta]) -> Iterator[bytes]:
        yield _event("start", messageId=self._turn.context.message_id)
        try:
            for piece in pieces:
                if piece.text:
                    yield self._piece(piece)
        except (fallback.StreamInterrupted, Failure):
            yield self._closed() + _event("error", errorText=BROKE_OFF) + DONE
            return
        yield self._closed() + _event("abort" if self._turn.is_stopped else "finish") + DONE

    def _piece(self, piece: Delta) -> bytes:
        begun = b""
        if self._open is None or self._open[0] != piece.kind:
            begun = self._closed()
            self._count += 1
            self._open = (piece.kind, f"{piece.kind}-{self._count}")
            begun += _event(f"{piece.kind}-start", id=self._open[1])
        return begun + _event(f"{piece.kind}-delta", id=self._open[1], delta=piece.text)

    def _closed(self) -> bytes:
        if self._open is None:
            return b""
        (kind, identifier), self._open = self._open, None
        return _event(f"{kind}-end", id=identifier)


class Begun:
    """An answer whose first piece is there."""

    def __init__(self, pieces: Generator[Delta, None, None]) -> None:
        self._pieces = pieces
        self._first = next(pieces, None)

    def __iter__(self) -> Iterator[Delta]:
        if self._first is not None:
            yield self._first
            yield from self._pieces

    def close(self) -> None:
        self._pieces.close()


class AnswerStream:
    """What is sent of an answer. Closed before anything was read, it still reaches the provider, which the framework's
    own wrapper would not."""

    def __init__(self, begun: Begun, form: Form) -> None:
        self._app = current_app._get_current_object()  # type: ignore[attr-defined]
        self._begun = begun
        self._sent = stream_with_context(form.written(iter(begun)))

    def __iter__(self) -> Iterator[bytes]:
        return self._sent

    def close(self) -> None:
        self._sent.close()  # type: ignore[attr-defined]
        with self._app.app_context():
            self._begun.close()


def _event(kind: str, **values: Any) -> bytes:
    return b"data: " + dumps({"type": kind, **values}) + b"\n\n"


def register(blp: Blueprint) -> None:
    """Add the route to the blueprint of the chat routes."""

    @serve(blp, "POST", "", Operation(
        "chat", "Ask, and read the answer as it is produced",
        access=login_required(requires_grants=RequiredGrants((AiChat, AiMessage), ("read", "create", "update"))),
        takes=Body(ChatQuestion, example=QUESTION), query=ANY_QUERY, fails=(404, 502),
        description=(
            "Plain text, or with `Accept: text/event-stream` the UI message stream of the AI SDK. Its default "
            "transport gets that as well: it accepts anything, and sends `trigger`. `x-chat-id` names the chat; "
            "send it as `id` to continue. Unknown fields are ignored."
        ),
    ))  # fmt: skip
    @blp.doc(responses={200: {"content": {each: {"schema": {"type": "string"}} for each in (PLAIN, EVENTS)}}})
    def chat(given: dict[str, Any]) -> Response:
        if caller().user_id is None:
            raise Forbidden()
        turn = Turn(run_unit(caller(), turn_context.start_turn, _ask(given)))
        chat_id = {"x-chat-id": str(turn.context.chat_id)}
        form = _wanted(given)(turn)
        try:
            begun = Begun(turns.answer(turn))
        except Failure as failure:
            failure.headers |= chat_id
            raise
        response = Response(AnswerStream(begun, form), content_type=form.content_type)
        response.headers.update(NO_BUFFERING | form.headers | chat_id)
        return response


def _wanted(given: dict[str, Any]) -> Callable[[Turn], Form]:
    accepted = request.accept_mimetypes
    if accepted[PLAIN] == accepted[EVENTS]:
        # The default transport of the AI SDK accepts anything, reads only its own stream, and alone says why it asks.
        return MessageStream if "trigger" in given else TextStream
    return MessageStream if accepted[EVENTS] > accepted[PLAIN] else TextStream


def _ask(given: dict[str, Any]) -> ChatRequest:
    messages = [ChatMessage(*each) for each in spoken(given["messages"])]
    name = given.get("id")
    chat_id = uuid_of(name or "")
    again = given.get("trigger") == "regenerate-message"
    return ChatRequest(messages, chat_id, name if chat_id is None else None, again)
