"""The agents of the sample data, and a proposal that waits for its approval."""

from __future__ import annotations

from typing import Any

from app.ai_agent.models import (
    AiAgentConfig,
    AiAgentDeliverable,
    AiAgentEvaluationResult,
    AiAgentMessage,
    AiAgentOptimizationResult,
)
from app.crm.models import CrmCompany, CrmDeal
from app.ops.samples import proposals
from app.ops.samples.context import Context
from app.ops.samples.knowledge import Handbook, tokens
from app.ops.samples.people import Team

WRITER: dict[str, Any] = {
    "name": "Proposal writer",
    "description": "Writes the first version of a proposal from a deal and the handbook.",
    "instructions": proposals.INSTRUCTIONS,
    "tools": ["knowledge_search", "crm_lookup", "document_write"],
    "parameters": {"temperature": 0.4, "maxOutputTokens": 2000},
    "criteria": list(proposals.CRITERIA),
    "max_steps": 12,
}
SUMMARISER: dict[str, Any] = {
    "name": "Meeting summariser",
    "description": "Turns the notes of a meeting into decisions and tasks.",
    "instructions": (
        "Read the notes of the meeting. List the decisions first, then the tasks, each with a person and a date. "
        "Leave out what was only talked about. Where the notes contradict each other, say so and ask."
    ),
    "tools": ["document_write", "notify_user"],
    "parameters": {"temperature": 0.2, "maxOutputTokens": 800},
    "criteria": [
        {"name": "Tasks are complete", "description": "Every task has a person and a date.", "weight": 1,
         "passScore": 0.8},
    ],
    "requires_approval": False,
}  # fmt: skip


def make(context: Context, team: Team, handbook: Handbook, deals: list[CrmDeal]) -> AiAgentDeliverable:
    """Store the agents and their work, and return the piece that waits for approval."""
    shared = {"organization_id": team.organization.id, "created_by_id": team.admin.id, "status": "active"}
    writer = AiAgentConfig(**shared, **WRITER, index_id=handbook.index.id, version=2)
    context.store(writer, context.at(28, "14:00"), context.at(13, "16:25"))
    context.store(AiAgentConfig(**shared, **SUMMARISER), context.at(26, "09:45"))
    deal = next(each for each in deals if each.name == proposals.DEAL)
    work = _deliverable(context, team, writer, deal)
    _transcript(context, work, deal)
    _optimization(context, team, writer, _evaluations(context, team, work))
    return work


def _deliverable(context: Context, team: Team, writer: AiAgentConfig, deal: CrmDeal) -> AiAgentDeliverable:
    submitted = context.at(1, "15:07")
    work = AiAgentDeliverable(
        organization_id=team.organization.id, config_id=writer.id, config_version=writer.version,
        requested_by_id=team.member.id, approver_id=team.owner.id, title=proposals.TITLE, brief=proposals.BRIEF,
        kind="report", content=proposals.CONTENT, deal_id=deal.id, status="awaiting_approval",
        due_at=context.at(-3, "17:00"), submitted_at=submitted,
    )  # fmt: skip
    return context.store(work, context.at(1, "15:05"), submitted)


def _transcript(context: Context, work: AiAgentDeliverable, deal: CrmDeal) -> None:
    company = context.unit.session.get_one(CrmCompany, deal.company_id)
    facts = {"deal": deal.name, "stage": deal.stage, "amount": deal.amount, "company": company.name}
    lookup = AiAgentMessage(
        role="tool", content="Read the deal and its company.", tool_name="crm_lookup",
        tool_input={"dealId": str(deal.id)}, tool_output=facts,
    )  # fmt: skip
    finished = AiAgentMessage(
        role="agent", content=proposals.SUMMARY, input_tokens=tokens(work.brief + str(facts)),
        output_tokens=tokens(proposals.CONTENT),
    )  # fmt: skip
    brief = AiAgentMessage(role="user", content=work.brief, user_id=work.requested_by_id)
    for sequence, (entry, clock) in enumerate(((brief, "15:05"), (lookup, "15:06"), (finished, "15:07")), start=1):
        entry.deliverable_id, entry.sequence = work.id, sequence
        context.store(entry, context.at(1, clock))


def _evaluations(context: Context, team: Team, work: AiAgentDeliverable) -> list[float]:
    """Two judgements, one for each criterion: a person's and a rule's."""
    scores = []
    judged = zip(proposals.CRITERIA, proposals.JUDGEMENTS, ("16:20", "15:08"), strict=True)
    for criterion, (score, evaluator, comment), clock in judged:
        result = AiAgentEvaluationResult(
            deliverable_id=work.id, criterion=criterion["name"], score=score, evaluator=evaluator, comment=comment,
            user_id=team.admin.id if evaluator == "human" else None, passed=score >= criterion["passScore"],
            config_version=work.config_version,
        )  # fmt: skip
        context.store(result, context.at(1, clock))
        scores.append(score * criterion["weight"])
    return scores


def _optimization(context: Context, team: Team, writer: AiAgentConfig, scores: list[float]) -> None:
    proposal = AiAgentOptimizationResult(
        config_id=writer.id, created_by_id=team.admin.id, method="manual", base_version=writer.version,
        candidate_instructions=proposals.BETTER_INSTRUCTIONS, candidate_parameters={"temperature": 0.3},
        rationale=proposals.RATIONALE, sample_size=1, baseline_score=round(sum(scores), 3), candidate_score=0.87,
    )  # fmt: skip
    context.store(proposal, context.at(1, "17:12"))
