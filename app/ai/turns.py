"""A turn: the user's message, then the answer, which is stored while it is produced."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing, suppress

from sqlalchemy import or_, select, update

from app.ai import fallback, heartbeat
from app.ai.completion import CompletionInfo, Delta, ProviderFailure
from app.ai.models.answering import AiAttempt, AiGenerationStep, AiStream
from app.ai.models.chats import AiChat, AiMessage
from app.ai.providers import Candidate
from app.ai.turn_context import TurnContext, grounded
from app.ai.turn_records import MAX_ANSWER_LENGTH, AttemptRecord, StepRecord, write_attempts, write_end, write_steps
from app.auth.credentials import presence
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Failure, Unavailable

# Seconds between two notes of what has come so far.
SAVE_EVERY = 2.0
OPEN = ("pending", "streaming")
WAITS = (0.2, 1.0, 3.0)
ABANDONED, ABANDONED_TEXT = "abandoned", "The service ended while the answer came"
# A stream that was taken for abandoned while the database was away for its worker is open all the same.
GOING_ON = or_(AiStream.status.in_(OPEN), AiStream.error_code == ABANDONED)


class Stopped(Exception):
    """The owner has ended the stream, removed the chat, or may not act any more."""


class Turn:
    """One answer on its way, as it is kept: attempts, steps, and the message at the end."""

    def __init__(self, context: TurnContext) -> None:
        self.context = context
        self.attempts: list[AttemptRecord] = []
        self.steps: list[StepRecord] = []
        self.length = 0
        self.is_stopped = False
        self._saved = self._asked_at = time.monotonic()

    def skipped(self, candidate: Candidate) -> None:
        self.attempts.append(AttemptRecord.skipped(candidate, len(self.attempts) + 1))

    def check(self) -> None:
        """Go on only for a caller who may still act; raises Stopped."""
        if not presence.is_still_authorized(self.context.prompt.principal):
            raise Stopped()
        self._asked_at = time.monotonic()

    def began(self, candidate: Candidate) -> None:
        self.attempts.append(AttemptRecord(candidate, len(self.attempts) + 1))
        run_unit(SYSTEM, write_attempts, self.context, self.attempts)

    def ended(self, candidate: Candidate, reply: CompletionInfo, failure: ProviderFailure | None) -> None:
        self.attempts[-1].end(reply, failure)

    def left(self, candidate: Candidate, reply: CompletionInfo) -> None:
        if self.is_full:
            reply.finish_reason = "length"
            self.attempts[-1].end(reply, None)
        else:
            self.attempts[-1].abort()

    @property
    def is_full(self) -> bool:
        return self.length >= MAX_ANSWER_LENGTH

    @property
    def text(self) -> str:
        return "".join(step.text for step in self.steps if step.kind == "text")

    def hear(self, piece: Delta) -> Delta:
        """Keep a piece, as much of it as there is room for; raises Stopped when the answer is not wanted any more."""
        if time.monotonic() - self._asked_at >= presence.ASK_EVERY:
            self.check()
        piece = piece._replace(text=piece.text[: MAX_ANSWER_LENGTH - self.length])
        self.length += len(piece.text)
        if not self.steps:
            self.attempts[-1].first_token_at = now()
            self._saved = time.monotonic()
        if not self.steps or self.steps[-1].kind != piece.kind:
            self.steps.append(StepRecord(piece.kind, len(self.steps) + 1, self.attempts[-1]))
        self.steps[-1].append(piece.text)
        if time.monotonic() - self._saved >= SAVE_EVERY:
            self._save()
        return piece

    def _save(self) -> None:
        self._saved = time.monotonic()
        with suppress(Unavailable):
            run_unit(SYSTEM, self._write)

    def _write(self, unit: Unit) -> None:
        """Write what has come so far; raises Stopped."""
        going_on = update(AiStream).where(AiStream.id == self.context.stream_id, GOING_ON)
        first = self.attempts[-1].first_token_at
        opened = {"status": "streaming", "first_token_at": first, "error_code": None, "error_message": None}
        if not unit.bookkeep(going_on.values(opened)):
            raise Stopped()
        write_steps(unit, self.context, self.steps)

    def finish(self, status: str, reply: CompletionInfo, failure: str = "", code: str | None = None) -> None:
        """Keep how the answer ended, with all of it; nothing when the chat is gone. A database that is away for a
        moment is waited for."""
        for pause in WAITS:
            with suppress(Unavailable):
                return run_unit(SYSTEM, self._finish, status, reply, failure, code)
            time.sleep(pause)
        return run_unit(SYSTEM, self._finish, status, reply, failure, code)

    def _finish(self, unit: Unit, status: str, reply: CompletionInfo, failure: str, code: str | None) -> None:
        # The chat first: whoever removes it, or a message of it, begins there too.
        unit.session.execute(select(AiChat.id).where(AiChat.id == self.context.chat_id).with_for_update())
        unfinished = or_(GOING_ON, AiStream.status == "aborted")
        stored = select(AiStream.status).where(AiStream.id == self.context.stream_id, unfinished).with_for_update()
        before = unit.session.scalar(stored)
        if before is None:
            return
        write_attempts(unit, self.context, self.attempts)
        write_steps(unit, self.context, self.steps, "completed" if status == "completed" else "failed")
        write_end(unit, self, "aborted" if before == "aborted" else status, reply, failure, code)


def answer(turn: Turn) -> Generator[Delta, None, None]:
    """The pieces of the answer; it is stored before the last one is followed by the end.

    Raises UpstreamFailure or Unavailable before the first piece, fallback.StreamInterrupted after it. Closing the
    iterator ends the call to the provider and keeps what has come as aborted.
    """
    reply = CompletionInfo()
    try:
        with (
            heartbeat.kept_alive(turn.context.stream_id),
            closing(fallback.answer(turn.context.plan, grounded(turn.context), reply, turn)) as pieces,
        ):
            for piece in pieces:
                yield turn.hear(piece)
                if turn.is_full:
                    break
    except (GeneratorExit, Stopped) as gone:
        turn.finish("aborted", reply)
        if isinstance(gone, GeneratorExit):
            raise
        turn.is_stopped = True
    except fallback.StreamInterrupted as broken:
        turn.finish("failed", reply, broken.failure.text, broken.failure.code)
        raise
    except Failure as failure:
        turn.finish("failed", reply, failure.text, failure.details.get("reason", failure.code.lower()))
        raise
    except BaseException:
        turn.finish("failed", reply, "The service failed", "unknown_error")
        raise
    else:
        turn.finish("completed", reply)


def close_abandoned(unit: Unit) -> None:
    """Mark streams whose process gives no sign of life as failed, with the text that was noted."""
    left = update(AiStream).where(AiStream.status.in_(OPEN), AiStream.updated_at < now() - heartbeat.SILENT_FOR)
    values = {"status": "failed", "finished_at": now(), "error_code": ABANDONED, "error_message": ABANDONED_TEXT}
    ended = list(unit.bookkeep_returning(left.values(values).returning(AiStream.id, AiStream.message_id)))
    for stream_id, message_id in (tuple(row) for row in ended):
        attempt = update(AiAttempt).where(AiAttempt.stream_id == stream_id, AiAttempt.status == "running")
        unit.bookkeep(attempt.values(status="aborted", error_code="aborted", finished_at=now()))
        step = update(AiGenerationStep).where(AiGenerationStep.stream_id == stream_id)
        unit.bookkeep(step.where(AiGenerationStep.status == "running").values(status="failed", finished_at=now()))
        content = StepRecord.text_of(unit.session, stream_id)
        message = update(AiMessage).where(AiMessage.id == message_id, AiMessage.status == "streaming")
        unit.bookkeep(message.values(status="failed", finish_reason="error", content=content))
