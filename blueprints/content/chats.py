"""The chat routes: the history of the caller's chats, and their removal."""

from __future__ import annotations

from typing import Any

from flask import Response

from app.ai import chats
from app.ai.models.chats import AiChat, AiMessage
from app.auth.credentials.access import RequiredGrants
from app.auth.credentials.authentication import caller
from app.auth.credentials.login import login_required
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.write.hooks import require
from app.engine.write.unit_of_work import Unit, run_unit
from blueprints.content import answers
from blueprints.http.base import Blueprint, answer, parse_id
from blueprints.http.declarations import Answer, Body, Operation, serve
from schemas.content.chats import ChatHistory, ChatHistoryQuery, ChatWithMessages, chat_body, message_body
from schemas.content.conversation import ChatPart
from schemas.envelopes import Deleted

DEFAULT_TAKE = 10
SUMMARY = ("id", "title", "userId", "visibility", "createdAt", "updatedAt")
CHAT = {
    "id": EXAMPLE_ID, "title": "Cranes", "userId": EXAMPLE_ID, "visibility": "private",
    "createdAt": "2027-01-01T09:00:00.000Z", "updatedAt": "2027-01-01T09:00:00.000Z",
}  # fmt: skip


def allowed_to(*operations: str) -> Any:
    """The access of a route that stands for operations on chats."""
    return login_required(requires_grants=RequiredGrants((AiChat, AiMessage), operations))


def build() -> Blueprint:
    blp = Blueprint("chat", __name__, url_prefix="/api/chat", description="Chats of the caller.")
    blp.schemas["ChatPart"] = ChatPart
    answers.register(blp)

    @serve(blp, "POST", "/history", Operation(
        "readChatHistory", "List your chats, or read one", access=allowed_to("list", "read"),
        takes=Body(ChatHistoryQuery, example={"take": 10}),
        gives=Answer(example={"chats": [CHAT], "hasMore": False}, any_of=(ChatHistory, ChatWithMessages)), fails=(404,),
        description="Newest first; with `chatId`, that chat with its messages.",
    ))  # fmt: skip
    def history(given: dict[str, Any]) -> Response:
        return _one(given) if "chat_id" in given else _several(given)

    @serve(blp, "DELETE", "/<chat:id>", Operation(
        "deleteChat", "Delete a chat with all that belongs to it", access=allowed_to("delete"),
        gives=Answer(Deleted, example={"id": EXAMPLE_ID, "deleted": True}),
    ))  # fmt: skip
    def delete(id: str) -> Response:
        run_unit(caller(), Unit.delete, AiChat, parse_id(id))
        return answer({"id": id.lower(), "deleted": True})

    return blp


def _one(given: dict[str, Any]) -> Response:
    for attribute, name in (("take", "take"), ("starting_after", "startingAfter"), ("ending_before", "endingBefore")):
        require(attribute not in given, name, "Does not go with chatId.")
    chat, messages = chats.read(caller(), given["chat_id"])
    summary = {name: chat[name] for name in SUMMARY}
    return answer({**summary, "messages": [message_body(message) for message in messages]})


def _several(given: dict[str, Any]) -> Response:
    after, before = given.get("starting_after"), given.get("ending_before")
    require(after is None or before is None, "endingBefore", "Does not go with startingAfter.")
    page = chats.page(caller(), given.get("take", DEFAULT_TAKE), starting_after=after, ending_before=before)
    return answer({"chats": [chat_body(chat) for chat in page.chats], "hasMore": page.has_more})
