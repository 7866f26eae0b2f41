"""The start of a turn: the user's message is stored with a place for the answer, and the prompt is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app.ai.completion import ChatMessage, Prompt
from app.ai.models.answering import AiStream
from app.ai.models.chats import AiChat, AiMessage
from app.ai.providers import BUILTIN, Plan, choose
from app.ai_rag import searches
from app.ai_rag.models import AiRagIndex, AiRagQuery
from app.ai_rag.questions import Vectors, vectors_of
from app.engine.declare.principal import Credential
from app.engine.read.concurrency import query_slot
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import require_found

UNTITLED = "New chat"
MAX_TITLE_LENGTH = 80
# How many of the newest stored entries a provider is told.
REMEMBERED = 100
GROUNDS = 5
MAX_QUERY_LENGTH = 4000
GROUNDED = "Answer from these passages where they fit, and name their titles:\n\n"


@dataclass(frozen=True)
class ChatRequest:
    """What came in: the chat it is for, by its id or by the client's own name for it, and the conversation, which ends
    with the user's entry. ``again`` asks for another answer to an entry that is stored."""

    said: Sequence[ChatMessage]
    chat_id: UUID | None = None
    client_id: str | None = None
    again: bool = False


@dataclass(frozen=True)
class TurnContext:
    """Where an answer belongs, who is to give it, and to what."""

    chat_id: UUID
    stream_id: UUID
    message_id: UUID
    plan: Plan
    prompt: Prompt


def start_turn(unit: Unit, ask: ChatRequest) -> TurnContext:
    """Store what the user says, with a place for the answer; raises NotFound for a chat that is not the caller's."""
    principal = unit.principal
    chat, is_new = _chat(unit, ask)
    before = [] if is_new else _remembered(unit.session, chat)
    asked = _store(unit, chat, ask, before, is_new=is_new)
    before = [each for each in before if each.sequence < asked.sequence]
    message = _append(unit, chat, ChatMessage("assistant", ""), status="streaming")
    told = [ChatMessage(each.role, each.content) for each in before]
    conversation = list(ask.said) if is_new or len(ask.said) > 1 else [*told, *ask.said]
    plan = choose(unit.session, principal, chat.chain_id, chat.organization_id)
    stream = AiStream(
        id=uuid7(), chat_id=chat.id, request_message_id=asked.id, message_id=message.id, chain_id=plan.chain_id,
        started_at=now(),
    )  # fmt: skip
    unit.session.add(stream)
    instructions = [ChatMessage("system", chat.system_prompt)] if chat.system_prompt else []
    return TurnContext(
        chat.id, stream.id, message.id, plan, Prompt((*instructions, *conversation), principal, chat.index_id)
    )


def grounded(context: TurnContext) -> Prompt:
    """What providers are told: a model has no knowledge base of its own, so it gets passages of the chat's. The chat is
    stored by now, and not held while its knowledge base is searched."""
    prompt = context.prompt
    if prompt.index_id is None or all(each.kind == BUILTIN for each in context.plan.candidates):
        return prompt
    vectors = vectors_of(prompt.principal, prompt.question, [prompt.index_id])
    with query_slot(prompt.principal):
        grounds = run_unit(prompt.principal, _grounds, context.chat_id, prompt.index_id, prompt.question, vectors)
    instructed = 1 if prompt.conversation[0].role == "system" else 0
    conversation = prompt.conversation
    return replace(prompt, conversation=(*conversation[:instructed], *grounds, *conversation[instructed:]))


def _chat(unit: Unit, ask: ChatRequest) -> tuple[AiChat, bool]:
    """The chat, locked, and whether it was made now."""
    principal = unit.principal
    own = select(AiChat).where(AiChat.user_id == principal.user_id).with_for_update()
    if ask.chat_id is not None:
        return require_found(unit.session.scalar(own.where(AiChat.id == ask.chat_id))), False
    if ask.client_id is not None:
        # Two first requests at once make one chat.
        unit.lock(f"{principal.user_id} {ask.client_id}")
        named = own.where(AiChat.metadata_["clientId"].astext == ask.client_id)
        chat = unit.session.scalar(named.order_by(AiChat.created_at).limit(1))
        if chat is not None:
            return chat, False
    first = next(each.content for each in ask.said if each.role == "user")
    chat = AiChat(
        id=uuid7(), user_id=principal.user_id, organization_id=principal.organization_id, title=title_of(first),
        source="web" if principal.credential is Credential.SESSION else "api",
        metadata_={"clientId": ask.client_id} if ask.client_id else {},
    )  # fmt: skip
    unit.store(chat)
    return chat, True


def title_of(text: str) -> str:
    """A title made from the first thing said: its first line, cut at a word."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    line = next((line for line in lines if line), UNTITLED)
    if len(line) <= MAX_TITLE_LENGTH:
        return line
    return line[:MAX_TITLE_LENGTH].rpartition(" ")[0] or line[:MAX_TITLE_LENGTH]


def _remembered(session: Session, chat: AiChat) -> list[AiMessage]:
    """The newest entries of a chat in order, without answers that are on their way or came to nothing."""
    spoken = select(AiMessage).where(AiMessage.chat_id == chat.id, AiMessage.status.in_(("complete", "aborted")))
    newest = spoken.where(AiMessage.content != "").order_by(AiMessage.sequence.desc()).limit(REMEMBERED)
    return list(session.scalars(newest))[::-1]


def _store(unit: Unit, chat: AiChat, ask: ChatRequest, before: list[AiMessage], *, is_new: bool) -> AiMessage:
    """Store what is new: all that came with a new chat, the last entry otherwise."""
    last = ask.said[-1]
    if chat.title == UNTITLED and not before:
        chat.title = title_of(last.content)
    if ask.again:
        stored = next((each for each in reversed(before) if each.role == "user"), None)
        if stored is not None and stored.content == last.content:
            return stored
    for each in ask.said if is_new else [last]:
        message = _append(unit, chat, each)
    return message


def _append(unit: Unit, chat: AiChat, said: ChatMessage, status: str = "complete") -> AiMessage:
    highest = unit.session.scalar(select(func.max(AiMessage.sequence)).where(AiMessage.chat_id == chat.id))
    message = AiMessage(id=uuid7(), chat_id=chat.id, sequence=(highest or 0) + 1, status=status)
    message.role, message.content = said
    chat.last_message_at = now()
    unit.store(message)
    return message


def _grounds(unit: Unit, chat_id: UUID, index_id: UUID, question: str, vectors: Vectors) -> list[ChatMessage]:
    """Passages of the chat's knowledge base for a model to answer from, if the caller sees it; the search is kept."""
    principal = unit.principal
    visible = AiRagIndex.policy.visible(AiRagIndex, principal.reader)
    if unit.session.scalar(select(AiRagIndex.id).where(AiRagIndex.id == index_id, visible), principal.binds) is None:
        return []
    query = AiRagQuery(id=uuid7(), user_id=principal.user_id, index_id=index_id, chat_id=chat_id, top_k=GROUNDS)
    query.text = question[:MAX_QUERY_LENGTH]
    unit.store(query)
    hits = searches.answer(unit, query, vectors)
    passages = "\n\n".join(hit.cited(principal.reader) for hit in hits)
    return [ChatMessage("system", GROUNDED + passages)] if hits else []
