"""How the last answer of the sample chat came about: a provider failed, the next one searched and answered."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import select

from app.ai.models.answering import AiAttempt, AiChain, AiChainProvider, AiGenerationStep, AiProvider, AiStream
from app.ai.models.chats import AiChat, AiMessage
from app.ai.seeding import BUILTIN_PROVIDER
from app.ai_rag.models import AiRagChunk, AiRagQuery, AiRagResult
from app.ops.samples.context import Context
from app.ops.samples.knowledge import Handbook, tokens

# Counted from the question.
OPENED, FAILED, TRIED_AGAIN, SEARCHED, ANSWERED, FINISHED = (
    timedelta(milliseconds=passed) for passed in (60, 2100, 2115, 2133, 2160, 3420)
)
SEARCH = "key expires while the export runs"
# What the search found, best first.
HITS = (("Expiry and rotation", 0.91), ("Make a key", 0.64), ("Keep the key out of addresses", 0.38))
# A provider that has been removed since.
REMOVED, REMOVED_MODEL = "quay-models", "quay-small-2"
CALL = "call_1"


def make(context: Context, chat: AiChat, question: AiMessage, answer: AiMessage, handbook: Handbook) -> None:
    """Store the stream that wrote ``answer``, its two attempts and its steps, and the search behind it."""
    asked = question.created_at
    found = [handbook.chunks[heading] for heading, _ in HITS]
    read = tokens(question.content) + sum(chunk.token_count for chunk in found)
    place = _place(context)
    stream = AiStream(
        chat_id=chat.id, request_message_id=question.id, message_id=answer.id, chain_id=place.chain_id,
        status="completed", finish_reason="stop", attempt_count=2, input_tokens=read,
        output_tokens=tokens(answer.content), cost_micros=0, started_at=asked + OPENED,
        first_token_at=asked + ANSWERED, finished_at=asked + FINISHED,
    )  # fmt: skip
    context.store(stream, asked + OPENED, stream.finished_at)
    context.store(_failed(stream, asked), asked + OPENED, asked + FAILED)
    attempt = context.store(_succeeded(stream, place, asked), asked + TRIED_AGAIN, asked + FINISHED)
    for step in _steps(stream, answer, found, asked):
        step.stream_id, step.attempt_id, step.status = stream.id, attempt.id, "completed"
        context.store(step, step.started_at, step.finished_at)
    _search(context, chat, found, asked + TRIED_AGAIN)


def _place(context: Context) -> AiChainProvider:
    """The place of the built-in provider in the default chain."""
    wanted = select(AiChainProvider).join(AiChain, AiChain.id == AiChainProvider.chain_id)
    wanted = wanted.join(AiProvider, AiProvider.id == AiChainProvider.provider_id)
    default = (AiChain.organization_id.is_(None), AiChain.is_default, AiProvider.slug == BUILTIN_PROVIDER)
    return context.unit.session.scalars(wanted.where(*default)).one()


def _failed(stream: AiStream, asked: datetime) -> AiAttempt:
    return AiAttempt(
        stream_id=stream.id, provider_slug=REMOVED, model=REMOVED_MODEL, attempt_number=1, status="failed",
        error_code="server_error", error_message="The server is overloaded.", http_status=503, retryable=True,
        started_at=asked + OPENED, finished_at=asked + FAILED, latency_ms=_milliseconds(FAILED - OPENED),
    )  # fmt: skip


def _succeeded(stream: AiStream, place: AiChainProvider, asked: datetime) -> AiAttempt:
    return AiAttempt(
        stream_id=stream.id, chain_provider_id=place.id, provider_id=place.provider_id, provider_slug=BUILTIN_PROVIDER,
        model=BUILTIN_PROVIDER, attempt_number=2, status="succeeded", started_at=asked + TRIED_AGAIN,
        first_token_at=asked + ANSWERED, finished_at=asked + FINISHED,
        latency_ms=_milliseconds(FINISHED - TRIED_AGAIN), input_tokens=stream.input_tokens,
        output_tokens=stream.output_tokens, cost_micros=0,
    )  # fmt: skip


def _steps(stream: AiStream, answer: AiMessage, found: list[AiRagChunk], asked: datetime) -> list[AiGenerationStep]:
    """The search is called, gives its passages, and they become the text; only the text counts tokens."""
    tool = {"tool_name": "knowledge_search", "tool_call_id": CALL}
    scores = zip(found, HITS, strict=True)
    passages = [{"chunkId": str(chunk.id), "heading": chunk.heading, "score": hit[1]} for chunk, hit in scores]
    start, searched = asked + TRIED_AGAIN, asked + SEARCHED
    call = AiGenerationStep(
        step_number=1, kind="tool_call", tool_input={"text": SEARCH}, started_at=start, finished_at=start, **tool
    )
    result = AiGenerationStep(
        step_number=2, kind="tool_result", tool_output={"passages": passages}, started_at=start, finished_at=searched,
        **tool,
    )  # fmt: skip
    text = AiGenerationStep(
        step_number=3, kind="text", text=answer.content, input_tokens=stream.input_tokens,
        output_tokens=stream.output_tokens, started_at=searched, finished_at=asked + FINISHED,
    )  # fmt: skip
    return [call, result, text]


def _search(context: Context, chat: AiChat, found: list[AiRagChunk], started: datetime) -> None:
    latency = SEARCHED - TRIED_AGAIN
    query = AiRagQuery(
        user_id=chat.user_id, index_id=chat.index_id, chat_id=chat.id, text=SEARCH, top_k=len(HITS),
        status="completed", result_count=len(HITS), latency_ms=_milliseconds(latency),
    )  # fmt: skip
    context.store(query, started, started + latency)
    for rank, (chunk, (_, score)) in enumerate(zip(found, HITS, strict=True), start=1):
        result = AiRagResult(
            query_id=query.id, chunk_id=chunk.id, document_id=chunk.document_id, rank=rank, score=score,
            excerpt=chunk.content,
        )  # fmt: skip
        context.store(result, started + latency)


def _milliseconds(passed: timedelta) -> int:
    return passed // timedelta(milliseconds=1)
