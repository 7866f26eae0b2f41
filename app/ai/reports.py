"""Reports on chats: the quality of answers, and their cost."""

from __future__ import annotations

from sqlalchemy import Integer, cast, func, select, true

from app.ai.models.answering import AiAttempt, AiStream
from app.ai.models.chats import AiChat, AiVote
from app.analytics.models import AnalyticsReport
from app.analytics.reports import Sums, day, within


def chat_quality(report: AnalyticsReport) -> Sums:
    """Answers on each day: how they ended, how soon they began, and what readers thought of them."""
    stream = AiStream
    wait = func.avg(func.extract("epoch", stream.first_token_at - stream.started_at) * 1000)
    votes = (
        select(func.count().label("all"), func.count().filter(AiVote.is_upvoted).label("up"))
        .where(AiVote.message_id == stream.message_id)
        .lateral("votes")
    )
    joined = select(
        day(stream.created_at),
        func.count().label("answers"),
        *(func.count().filter(stream.status == status).label(status) for status in ("completed", "failed", "aborted")),
        cast(func.round(wait), Integer).label("averageFirstTokenMs"),
        cast(func.sum(votes.c.up), Integer).label("upvotes"),
        cast(func.sum(votes.c.all - votes.c.up), Integer).label("downvotes"),
    ).join(AiChat, AiChat.id == stream.chat_id)
    joined = joined.join(votes, true())
    own = (AiChat.organization_id == report.organization_id, within(report, stream.created_at))
    return joined.where(*own).group_by("date").order_by("date")


def provider_costs(report: AnalyticsReport) -> Sums:
    """Calls to each model of each provider, their tokens and their cost."""
    attempt = AiAttempt
    sums = {
        "inputTokens": attempt.input_tokens, "outputTokens": attempt.output_tokens, "costMicros": attempt.cost_micros,
    }  # fmt: skip
    counted = select(
        attempt.provider_slug.label("provider"),
        attempt.model,
        func.count().label("attempts"),
        func.count().filter(attempt.status == "succeeded").label("succeeded"),
        cast(func.round(func.avg(attempt.latency_ms)), Integer).label("averageLatencyMs"),
        *(func.coalesce(func.sum(column), 0).label(name) for name, column in sums.items()),
    ).join(AiStream, AiStream.id == attempt.stream_id)
    counted = counted.join(AiChat, AiChat.id == AiStream.chat_id)
    own = (AiChat.organization_id == report.organization_id, within(report, attempt.started_at))
    grouping = (attempt.provider_slug, attempt.model)
    return counted.where(*own, attempt.status != "skipped").group_by(*grouping).order_by(*grouping)
