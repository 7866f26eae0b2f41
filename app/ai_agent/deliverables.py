"""The job of an agent: its chain writes the deliverable, which then waits for approval if the agent requires it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app.ai import fallback, providers
from app.ai.completion import ChatMessage, CompletionInfo, Delta, Prompt, ProviderFailure, storable
from app.ai.passages import documents_in
from app.ai.providers import BUILTIN, Candidate, Plan
from app.ai_agent import output_schemas
from app.ai_agent.models import AiAgentConfig, AiAgentDeliverable, AiAgentMessage
from app.ai_rag import search
from app.ai_rag.wording import Wording
from app.auth.accounts.users import member_principal
from app.auth.credentials.presence import ASK_EVERY, REQUESTER_GONE
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Failure, Unavailable
from app.notification.routing import notify

MAX_LENGTH = AiAgentDeliverable.fields()["content"].spec.kind.constraints["maxLength"]
MAX_ENTRY_LENGTH = AiAgentMessage.fields()["content"].spec.kind.constraints["maxLength"]
MAX_ERROR_LENGTH = 1000
# A worker that was killed in the middle leaves the work running; the job is then done again.
UNFINISHED = ("queued", "running")
ROLES = {"user": "user", "agent": "assistant"}
GROUNDS = 5
NO_CHAIN = "The agent is not active"


class Unwanted(Exception):
    """The work was cancelled or removed, or whoever asked for it may not act in the organization any more."""


class Witness:
    """Ends an answer that is not wanted any more. Of the tries it keeps nothing: attempts belong to chats."""

    def __init__(self, deliverable_id: UUID) -> None:
        self._id, self._asked_at = deliverable_id, time.monotonic()

    def heard(self, pieces: Iterable[Delta]) -> Iterator[str]:
        """The text of an answer; raises Unwanted."""
        for piece in pieces:
            if time.monotonic() - self._asked_at >= ASK_EVERY:
                self.check()
            if piece.kind == "text":
                yield piece.text

    def check(self) -> None:
        self._asked_at = time.monotonic()
        with suppress(Unavailable), reading() as session:
            work = session.get(AiAgentDeliverable, self._id)
            if work is None or work.status != "running" or _asker(session, work) is None:
                raise Unwanted(REQUESTER_GONE)

    def skipped(self, candidate: Candidate) -> None: ...

    def began(self, candidate: Candidate) -> None: ...

    def ended(self, candidate: Candidate, reply: CompletionInfo, failure: ProviderFailure | None) -> None: ...

    def left(self, candidate: Candidate, reply: CompletionInfo) -> None: ...


def work_on(deliverable_id: UUID) -> None:
    """Have the agent do a piece of work that is queued; one that is gone, or was cancelled, is left alone."""
    task = run_unit(SYSTEM, _begun, deliverable_id)
    if task is None:
        return
    plan, prompt, schema = task
    reply = CompletionInfo()
    try:
        witness = Witness(deliverable_id)
        with closing(fallback.answer(plan, prompt, reply, witness)) as pieces:
            text = "".join(witness.heard(pieces))
        data = _checked(text, schema)
    except fallback.StreamInterrupted as broken:
        run_unit(SYSTEM, _failed, deliverable_id, broken.failure.text)
    except Failure as failure:
        run_unit(SYSTEM, _failed, deliverable_id, failure.text)
    except (output_schemas.SchemaMismatch, Unwanted) as refusal:
        run_unit(SYSTEM, _failed, deliverable_id, str(refusal))
    else:
        run_unit(SYSTEM, _done, deliverable_id, storable(text[:MAX_LENGTH]), data, reply)


def _begun(unit: Unit, deliverable_id: UUID) -> tuple[Plan, Prompt, dict[str, Any] | None] | None:
    work = unit.session.get(AiAgentDeliverable, deliverable_id, with_for_update=True)
    if work is None or work.status not in UNFINISHED:
        return None
    agent = unit.session.get_one(AiAgentConfig, work.config_id)
    principal = _asker(unit.session, work)
    if principal is None or agent.status != "active":
        work.status, work.error_message = "failed", NO_CHAIN if principal else REQUESTER_GONE
        return None
    plan = providers.choose(unit.session, principal, agent.chain_id, work.organization_id)
    adjusted = (replace(each, parameters={**each.parameters, **agent.parameters}) for each in plan.candidates)
    plan = replace(plan, candidates=tuple(adjusted))
    transcript = _transcript(unit.session, work)
    brief = ChatMessage("user", f"{work.title}\n\n{work.brief}")
    instructions = _instructions(unit, principal, agent, plan, work.brief)
    work.status, work.error_message = "running", None
    # All members read what comes: it is made of what they all may read.
    prompt = Prompt((*instructions, brief, *transcript), principal, agent.index_id, shared=True)
    return plan, prompt, agent.output_schema


def _asker(session: Session, work: AiAgentDeliverable) -> Principal | None:
    """Who asked for the work, as a member of the organization: what others share with them is not for all members."""
    found = member_principal(session, work.requested_by_id, work.organization_id)
    return None if found is None else found.without_shares()


def _transcript(session: Session, work: AiAgentDeliverable) -> list[ChatMessage]:
    own = select(AiAgentMessage).where(AiAgentMessage.deliverable_id == work.id, AiAgentMessage.role.in_(ROLES))
    entries = session.scalars(own.order_by(AiAgentMessage.sequence))
    transcript = [ChatMessage(ROLES[entry.role], entry.content) for entry in entries]
    if work.decision_note:
        transcript.append(ChatMessage("user", work.decision_note))
    return transcript


def _instructions(unit: Unit, principal: Principal, agent: AiAgentConfig, plan: Plan, brief: str) -> list[ChatMessage]:
    instructions = [ChatMessage("system", agent.instructions)]
    if agent.output_schema:
        instructions.append(
            ChatMessage("system", f"Answer with JSON alone, by this schema: {json.dumps(agent.output_schema)}")
        )
    if agent.index_id is not None and any(each.kind != BUILTIN for each in plan.candidates):
        hits = search.search(
            unit, principal, Wording(brief), documents_in(unit.session, principal, agent.index_id), GROUNDS
        )
        instructions += [ChatMessage("system", hit.cited(principal.reader)) for hit in hits]
    return instructions


def _checked(text: str, schema: dict[str, Any] | None) -> Any:
    """The data in an answer that has to be JSON by ``schema``; raises SchemaMismatch."""
    if not text.strip():
        raise output_schemas.SchemaMismatch("The answer is empty")
    if schema is None:
        return None
    body = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
    try:
        data = json.loads(storable(body.replace("\\u0000", "\ufffd")))
    except (ValueError, RecursionError):
        raise output_schemas.SchemaMismatch("The answer is not JSON") from None
    output_schemas.fit(data, schema)
    return data


def _done(unit: Unit, deliverable_id: UUID, text: str, output: Any, reply: CompletionInfo) -> None:
    work = unit.session.get(AiAgentDeliverable, deliverable_id, with_for_update=True)
    if work is None or work.status != "running":
        return
    if _asker(unit.session, work) is None:
        work.status, work.error_message = "failed", REQUESTER_GONE
        return
    agent = unit.session.get_one(AiAgentConfig, work.config_id)
    work.content, work.data, work.submitted_at = text, output, now()
    work.status = "awaiting_approval" if agent.requires_approval else "approved"
    unit.session.add(_entry(unit.session, work, text, reply))
    if (
        agent.requires_approval
        and work.approver_id
        and member_principal(unit.session, work.approver_id, work.organization_id)
    ):
        data = {"deliverableId": str(work.id), "configId": str(agent.id)}
        title, body = f"Approval wanted: {work.title}", f"{agent.name} has finished its work."
        notify(
            unit, work.approver_id, "APPROVAL_REQUEST", title, body, data, organization_id=work.organization_id
        )  # fmt: skip


def _entry(session: Session, work: AiAgentDeliverable, text: str, reply: CompletionInfo) -> AiAgentMessage:
    within = select(func.max(AiAgentMessage.sequence)).where(AiAgentMessage.deliverable_id == work.id)
    return AiAgentMessage(
        id=uuid7(), deliverable_id=work.id, sequence=(session.scalar(within) or 0) + 1, role="agent",
        content=text[:MAX_ENTRY_LENGTH], input_tokens=reply.input_tokens or 0, output_tokens=reply.output_tokens or 0,
    )  # fmt: skip


def _failed(unit: Unit, deliverable_id: UUID, why: str) -> None:
    work = unit.session.get(AiAgentDeliverable, deliverable_id, with_for_update=True)
    if work is not None and work.status == "running":
        work.status, work.error_message = "failed", storable(why)[:MAX_ERROR_LENGTH]
