"""Hooks of agents: deliverables are queued, decided on and scored; proposals are applied."""

from __future__ import annotations

from app.ai_agent import output_schemas
from app.ai_agent.models import (
    AiAgentConfig,
    AiAgentDeliverable,
    AiAgentEvaluationResult,
    AiAgentMessage,
    AiAgentOptimizationResult,
)
from app.analytics.models import AnalyticsActivity
from app.engine.declare.principal import Principal
from app.engine.write.hooks import Write, on_create, on_update, require
from app.foundation.clock import now
from app.foundation.errors import Forbidden
from app.jobs import queue

RUN_AGENT = "work_on_deliverable"
DECISIONS = ("approved", "changes_requested")


@on_create(AiAgentConfig, callers_only=True)
@on_update(AiAgentConfig, callers_only=True)
def check_promise(agent: AiAgentConfig, write: Write) -> None:
    if write.given.get("output_schema") is not None:
        try:
            output_schemas.check(write.given["output_schema"])
        except output_schemas.SchemaMismatch as unfit:
            require(False, "outputSchema", str(unfit))


@on_update(AiAgentConfig, callers_only=True)
def revise_agent(agent: AiAgentConfig, write: Write) -> None:
    if write.changed("instructions", "tools", "parameters"):
        agent.version += 1


@on_create(AiAgentDeliverable, callers_only=True)
def ask_for_work(work: AiAgentDeliverable, write: Write) -> None:
    agent = write.unit.get(AiAgentConfig, work.config_id)
    work.organization_id = agent.organization_id
    work.config_version = agent.version
    if "approver_id" not in write.given:
        work.approver_id = write.unit.principal.user_id
    require(work.status == "queued", "status", "New work starts as queued.")
    queue.defer(write.unit, RUN_AGENT, work.id, user_id=work.requested_by_id, on_behalf=True)


@on_update(AiAgentDeliverable, callers_only=True)
def decide_on_work(work: AiAgentDeliverable, write: Write) -> None:
    approver_id = write.before.get("approver_id", work.approver_id)
    decides = write.unit.principal.user_id == approver_id or write.unit.principal.manages(work.organization_id)
    if write.changed("approver_id") and not decides and write.unit.principal.user_id != work.requested_by_id:
        raise Forbidden("Only the approver, the requester or a manager names another approver")
    if not write.changed("status"):
        return
    if work.status not in DECISIONS:
        require(work.status in ("queued", "cancelled"), "status", "Callers can only decide, queue again or cancel.")
        if work.status == "queued":
            _check_member(work, write.unit.principal)
            queue.defer(write.unit, RUN_AGENT, work.id, user_id=work.requested_by_id, on_behalf=True)
    elif decides:
        _decide(work, write)
    else:
        raise Forbidden("Only the approver or a manager decides")


def _check_member(work: AiAgentDeliverable, principal: Principal) -> None:
    """Refuse to have an agent work for somebody with whom the piece of work is only shared."""
    if not principal.is_admin and work.organization_id not in principal.memberships:
        raise Forbidden("Members of the organization have its agents work")


def _decide(work: AiAgentDeliverable, write: Write) -> None:
    principal = write.unit.principal
    work.decided_by_id, work.decided_at = principal.user_id, now()
    write.unit.session.add(
        AnalyticsActivity(
            user_id=principal.user_id,
            organization_id=work.organization_id,
            activity_type="APPROVAL_ACTION",
            metadata_={"deliverableId": str(work.id), "decision": work.status, "source": "api"},
        )
    )


@on_create(AiAgentMessage, callers_only=True)
def append_entry(entry: AiAgentMessage, write: Write) -> None:
    write.unit.get(AiAgentDeliverable, entry.deliverable_id, lock=True)
    entry.sequence = write.unit.next_number(
        AiAgentMessage.sequence, AiAgentMessage.deliverable_id == entry.deliverable_id
    )


@on_create(AiAgentEvaluationResult, callers_only=True)
def score(result: AiAgentEvaluationResult, write: Write) -> None:
    work = write.unit.get(AiAgentDeliverable, result.deliverable_id)
    agent = write.unit.get(AiAgentConfig, work.config_id)
    named = (each for each in agent.criteria if isinstance(each, dict) and each.get("name") == result.criterion)
    pass_score = next(named, {}).get("passScore", 0.5)
    result.passed = result.score >= (pass_score if isinstance(pass_score, int | float) else 0.5)
    result.config_version = work.config_version


@on_create(AiAgentOptimizationResult, callers_only=True)
def propose(proposal: AiAgentOptimizationResult, write: Write) -> None:
    proposal.base_version = write.unit.get(AiAgentConfig, proposal.config_id).version
    require(proposal.status == "proposed", "status", "A new proposal starts as proposed.")


@on_update(AiAgentOptimizationResult, callers_only=True)
def decide_on_proposal(proposal: AiAgentOptimizationResult, write: Write) -> None:
    if not write.changed("status"):
        return
    proposal.decided_by_id, proposal.decided_at = write.unit.principal.user_id, now()
    if proposal.status == "applied":
        if not write.unit.principal.reader.admits_wholly(AiAgentConfig, "update"):
            raise Forbidden("Needs a grant that updates agents")
        agent = write.unit.get(AiAgentConfig, proposal.config_id, lock=True)
        agent.instructions = proposal.candidate_instructions
        agent.parameters = {**agent.parameters, **proposal.candidate_parameters}
        agent.version += 1
