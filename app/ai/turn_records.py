"""The records of a turn: attempts, generation steps, and the end of the stream."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app.ai.completion import CompletionInfo, ProviderFailure
from app.ai.models.answering import AiAttempt, AiChainProvider, AiGenerationStep, AiProvider, AiStream
from app.ai.models.chats import AiChat, AiMessage
from app.ai.providers import Candidate
from app.ai.turn_context import TurnContext
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now

if TYPE_CHECKING:
    from app.ai.turns import Turn

MAX_ANSWER_LENGTH = AiMessage.fields()["content"].spec.kind.constraints["maxLength"]
MESSAGE_STATUS = {"completed": "complete", "failed": "failed", "aborted": "aborted"}
RETRYABLE = ("timeout", "rate_limit", "server_error", "network")


@dataclass(eq=False)
class AttemptRecord:
    """One try at a provider."""

    candidate: Candidate
    number: int
    outcome: dict[str, Any] = field(default_factory=lambda: {"status": "running"})
    id: UUID = field(default_factory=uuid7)
    began: float = field(default_factory=time.monotonic)
    started_at: datetime = field(default_factory=now)
    first_token_at: datetime | None = None
    written: bool = False

    @classmethod
    def skipped(cls, candidate: Candidate, number: int) -> AttemptRecord:
        outcome = {"status": "skipped", "error_code": "circuit_open", "finished_at": now()}
        return cls(candidate, number, outcome)

    def end(self, reply: CompletionInfo, failure: ProviderFailure | None) -> None:
        self._conclude(
            "succeeded", input_tokens=reply.input_tokens, output_tokens=reply.output_tokens,
            http_status=reply.http_status, request_id=reply.request_id,
            cost_micros=self.candidate.cost(reply.input_tokens, reply.output_tokens),
        )  # fmt: skip
        if failure is not None:
            self.outcome |= {
                "status": "timed_out" if failure.code == "timeout" else "failed", "error_code": failure.code,
                "error_message": failure.text, "http_status": failure.http_status,
                "retryable": failure.code in RETRYABLE,
            }  # fmt: skip

    def abort(self) -> None:
        self._conclude("aborted", error_code="aborted")

    def _conclude(self, status: str, **more: Any) -> None:
        latency = round((time.monotonic() - self.began) * 1000)
        self.outcome = {"status": status, "finished_at": now(), "latency_ms": latency, **more}

    @property
    def row(self) -> dict[str, Any]:
        return {
            "id": self.id, "attempt_number": self.number, "provider_slug": self.candidate.slug,
            "chain_provider_id": _if_there(AiChainProvider, self.candidate.chain_provider_id),
            "provider_id": _if_there(AiProvider, self.candidate.provider_id),
            "model": self.candidate.model, "started_at": self.started_at, "first_token_at": self.first_token_at,
        }  # fmt: skip


def _if_there(model: Any, identifier: UUID) -> Any:
    """A reference that is null when the row was removed while its answer came."""
    return select(model.id).where(model.id == identifier).scalar_subquery()


@dataclass(eq=False)
class StepRecord:
    """A run of text, or of thoughts, from one attempt."""

    kind: Literal["text", "reasoning"]
    number: int
    attempt: AttemptRecord
    started_at: datetime = field(default_factory=now)
    written: tuple[str, int] = ("", 0)
    _parts: list[str] = field(default_factory=list)

    def append(self, text: str) -> None:
        self._parts.append(text)

    def state(self, status: str) -> tuple[str, int]:
        """Tells one state of the row from another: its status, and how many pieces it has."""
        return status, len(self._parts)

    @property
    def text(self) -> str:
        return "".join(self._parts)

    @staticmethod
    def text_of(session: Session, stream_id: UUID) -> str:
        """The text that was noted of a stream."""
        step = AiGenerationStep
        wanted = select(step.text).where(step.stream_id == stream_id, step.kind == "text").order_by(step.step_number)
        return "".join(text or "" for text in session.scalars(wanted))


def write_attempts(unit: Unit, context: TurnContext, attempts: Sequence[AttemptRecord]) -> None:
    """Write attempts that are new or have come to their end."""
    for attempt in attempts:
        if attempt.written and attempt.outcome["status"] == "running":
            continue
        values = insert(AiAttempt).values(stream_id=context.stream_id, **attempt.row, **attempt.outcome)
        changing = {"first_token_at": attempt.first_token_at, **attempt.outcome, "updated_at": now()}
        unit.bookkeep(values.on_conflict_do_update(index_elements=[AiAttempt.id], set_=changing))
        unit.after_commit(partial(setattr, attempt, "written", True))


def write_steps(unit: Unit, context: TurnContext, steps: Sequence[StepRecord], last: str = "running") -> None:
    """Write what has come so far; all steps but the last are complete."""
    for step in steps:
        status = last if step is steps[-1] else "completed"
        state = step.state(status)
        if step.written == state:
            continue
        changing = {"text": step.text, "status": status, "finished_at": None if status == "running" else now()}
        values = insert(AiGenerationStep).values(
            id=uuid7(), stream_id=context.stream_id, attempt_id=step.attempt.id, step_number=step.number,
            kind=step.kind, started_at=step.started_at, **changing,
        )  # fmt: skip
        where = [AiGenerationStep.stream_id, AiGenerationStep.step_number]
        unit.bookkeep(values.on_conflict_do_update(index_elements=where, set_=changing | {"updated_at": now()}))
        unit.after_commit(partial(setattr, step, "written", state))


def write_end(unit: Unit, turn: Turn, status: str, reply: CompletionInfo, failure: str, code: str | None) -> None:
    """Write how the stream ended, and the assistant's message."""
    context, last = turn.context, turn.attempts[-1] if turn.attempts else None
    reason = "error" if status == "failed" else reply.finish_reason
    totals = select(
        func.count(),
        func.coalesce(func.sum(AiAttempt.input_tokens), 0),
        func.coalesce(func.sum(AiAttempt.output_tokens), 0),
        func.coalesce(func.sum(AiAttempt.cost_micros), 0),
    ).where(AiAttempt.stream_id == context.stream_id)
    attempts, input_tokens, output_tokens, cost = unit.session.execute(totals).one()
    ended = {
        "status": status, "finish_reason": reason, "finished_at": now(), "attempt_count": attempts,
        "input_tokens": input_tokens, "output_tokens": output_tokens, "cost_micros": cost,
        "first_token_at": last.first_token_at if last else None, "error_code": code, "error_message": failure or None,
    }  # fmt: skip
    unit.bookkeep(update(AiStream).where(AiStream.id == context.stream_id).values(ended))
    answered = {
        "content": turn.text, "status": MESSAGE_STATUS[status], "finish_reason": reason,
        "model": last.candidate.model if last and turn.steps else None,
    }  # fmt: skip
    # Through the session, so that hooks and subscribers hear of the answer.
    message = unit.session.get(AiMessage, context.message_id, with_for_update={"key_share": True})
    if message is not None:
        for name, value in answered.items():
            setattr(message, name, value)
        unit.session.flush()
    unit.bookkeep(update(AiChat).where(AiChat.id == context.chat_id).values(last_message_at=now()))
