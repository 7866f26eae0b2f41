"""Configured agents, the work they hand in, and how that work is judged and improved."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    CALLER_ORGANIZATION,
    CALLER_USER,
    DERIVED,
    FILTERABLE,
    IMMUTABLE,
    READ_ONLY,
    SCOPE_READS,
    SORTABLE,
    UNLISTED,
    boolean,
    enum,
    integer,
    json,
    long_text,
    number,
    reference,
    string,
    strings,
    timestamp,
)
from app.engine.declare.indexes import index, unique
from app.engine.declare.kinds import INTEGER_MAX
from app.engine.declare.policy import Policy
from app.engine.declare.record import Record
from app.engine.declare.scope import Rule
from app.engine.declare.scopes import PUBLISHED, Organization, Parent


class AiAgentConfig(Record):
    """An agent: its instructions, tools, chain and knowledge base."""

    __tablename__ = "ai_agent_config"
    domain, segment = "ai-agent", "config"
    searchable = ("name", "description")
    policy = Policy(
        Organization("organization_id", public=PUBLISHED, write=Rule.MANAGERS),
        create=Rule.MANAGERS,
        update=Rule.MANAGERS,
        delete=Rule.MANAGERS,
        shares=True,
    )
    operations_note = "delete is refused while deliverables exist; archive instead"
    keys = (unique("organization_id", "name"),)
    transitions = {
        "status": {
            "draft": ["active", "archived"],
            "active": ["paused", "archived"],
            "paused": ["active", "archived"],
            "archived": ["draft"],
        }
    }

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, FILTERABLE, default=CALLER_USER)
    name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=100)
    description: Mapped[str | None] = string(max=2000)
    instructions: Mapped[str] = long_text(SCOPE_READS, min=1, max=50000)
    chain_id: Mapped[UUID | None] = reference("ai_chain", "set null", FILTERABLE)
    index_id: Mapped[UUID | None] = reference("ai_rag_index", "set null", FILTERABLE)
    tools: Mapped[list[str]] = strings(
        items=("knowledge_search", "crm_lookup", "document_write", "research_lookup", "notify_user"), default=[]
    )
    parameters: Mapped[dict[str, Any]] = json(shape="object", default={}, note="temperature, topP, maxOutputTokens")
    output_schema: Mapped[dict[str, Any] | None] = json(
        shape="object", note="JSON Schema the data of a deliverable has to meet"
    )
    criteria: Mapped[list[Any]] = json(
        SCOPE_READS,
        shape="array",
        max_bytes=16384,
        default=[],
        note="objects with name, description, weight, passScore",
    )
    max_steps: Mapped[int] = integer(min=1, max=50, default=10)
    requires_approval: Mapped[bool] = boolean(FILTERABLE, default=True)
    status: Mapped[str] = enum("draft", "active", "paused", "archived", flags=(FILTERABLE,), default="draft")
    visibility: Mapped[str] = enum("private", "public", flags=(FILTERABLE,), default="private")
    version: Mapped[int] = integer(
        READ_ONLY, min=1, max=INTEGER_MAX, default=1, note="grows when instructions, tools or parameters change"
    )


class AiAgentDeliverable(Record):
    """A piece of work asked of an agent, from request to approval."""

    __tablename__ = "ai_agent_deliverable"
    domain, segment = "ai-agent", "deliverable"
    searchable = ("title", "brief")
    policy = Policy(Organization("organization_id"), links=True, shares=True)
    keys = (index("organization_id", "status", "-created_at"),)
    transitions = {
        "status": {
            "queued": ["running", "cancelled"],
            "running": ["awaiting_approval", "approved", "failed", "cancelled"],
            "awaiting_approval": ["approved", "changes_requested", "cancelled"],
            "changes_requested": ["queued", "cancelled"],
            "failed": ["queued", "cancelled"],
            "approved": [],
            "cancelled": [],
        }
    }

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", READ_ONLY, FILTERABLE, default=DERIVED, note="that of the agent"
    )
    config_id: Mapped[UUID] = reference("ai_agent_config", "restrict", IMMUTABLE, FILTERABLE)
    requested_by_id: Mapped[UUID | None] = reference(
        "auth_user", "set null", READ_ONLY, FILTERABLE, default=CALLER_USER
    )
    approver_id: Mapped[UUID | None] = reference(
        "auth_user", "set null", FILTERABLE, note="gets the APPROVAL_REQUEST; defaults to the requester"
    )
    title: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=200)
    brief: Mapped[str] = long_text(min=1, max=20000)
    kind: Mapped[str] = enum("text", "report", "code", "sheet", "data", flags=(FILTERABLE,), default="text")
    content: Mapped[str | None] = long_text(UNLISTED, max=1_000_000)
    data: Mapped[Any | None] = json(note="structured output")
    artifact_id: Mapped[UUID | None] = reference("ai_artifact", "set null")
    document_id: Mapped[UUID | None] = reference("storage_document", "set null")
    deal_id: Mapped[UUID | None] = reference("crm_deal", "set null", FILTERABLE)
    status: Mapped[str] = enum(
        "queued",
        "running",
        "awaiting_approval",
        "approved",
        "changes_requested",
        "failed",
        "cancelled",
        flags=(FILTERABLE,),
        default="queued",
        note=(
            "approved and changes_requested are set by the approver or a manager; a caller may also queue again "
            "or cancel"
        ),
    )
    config_version: Mapped[int] = integer(READ_ONLY, min=1, max=INTEGER_MAX, default=DERIVED)
    due_at: Mapped[datetime | None] = timestamp(SORTABLE)
    submitted_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)
    decided_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, FILTERABLE)
    decided_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)
    decision_note: Mapped[str | None] = string(max=2000)
    error_message: Mapped[str | None] = string(READ_ONLY, max=1000)


class AiAgentMessage(Record):
    """An entry of the working transcript of a deliverable."""

    __tablename__ = "ai_agent_message"
    domain, segment = "ai-agent", "message"
    plural = "aiAgentMessages"
    searchable = ("content",)
    policy = Policy(Parent("deliverable_id"), update=Rule.NONE, delete=Rule.ADMIN)
    operations_note = "append-only transcript; callers add entries with role user, the agent writes the others"
    keys = (unique("deliverable_id", "sequence"),)

    deliverable_id: Mapped[UUID] = reference("ai_agent_deliverable", "cascade", IMMUTABLE, FILTERABLE)
    user_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, FILTERABLE, default=CALLER_USER)
    sequence: Mapped[int] = integer(READ_ONLY, SORTABLE, min=1, max=INTEGER_MAX, default=DERIVED)
    role: Mapped[str] = enum("user", "agent", "tool", "system", flags=(READ_ONLY, FILTERABLE), default="user")
    content: Mapped[str] = long_text(IMMUTABLE, max=100_000)
    tool_name: Mapped[str | None] = string(READ_ONLY, FILTERABLE, min=1, max=100)
    tool_input: Mapped[dict[str, Any] | None] = json(READ_ONLY, shape="object")
    tool_output: Mapped[Any | None] = json(READ_ONLY)
    input_tokens: Mapped[int] = integer(READ_ONLY, min=0, max=INTEGER_MAX, default=0)
    output_tokens: Mapped[int] = integer(READ_ONLY, min=0, max=INTEGER_MAX, default=0)


class AiAgentEvaluationResult(Record):
    """A score given to a deliverable on one criterion."""

    __tablename__ = "ai_agent_evaluation_result"
    domain, segment = "ai-agent", "evaluation-result"
    policy = Policy(Parent("deliverable_id"), update=Rule.NONE, delete=Rule.ADMIN)
    operations_note = "evidence for optimization; a correction is a new row"
    keys = (index("deliverable_id", "criterion"),)

    deliverable_id: Mapped[UUID] = reference("ai_agent_deliverable", "cascade", IMMUTABLE, FILTERABLE)
    user_id: Mapped[UUID | None] = reference(
        "auth_user", "set null", READ_ONLY, FILTERABLE, default=CALLER_USER, note="null when a rule or a model judged"
    )
    evaluator: Mapped[str] = enum("human", "llm_judge", "rule", flags=(READ_ONLY, FILTERABLE), default="human")
    criterion: Mapped[str] = string(IMMUTABLE, FILTERABLE, SORTABLE, min=1, max=100)
    score: Mapped[float] = number(IMMUTABLE, SORTABLE, min=0, max=1)
    passed: Mapped[bool] = boolean(
        READ_ONLY, FILTERABLE, default=DERIVED, note="score against passScore of the criterion, 0.5 when it names none"
    )
    comment: Mapped[str | None] = string(IMMUTABLE, max=4000)
    config_version: Mapped[int] = integer(READ_ONLY, FILTERABLE, min=1, max=INTEGER_MAX, default=DERIVED)
    model: Mapped[str | None] = string(READ_ONLY, min=1, max=120)


class AiAgentOptimizationResult(Record):
    """A proposed better wording of an agent, with the scores that back it."""

    __tablename__ = "ai_agent_optimization_result"
    domain, segment = "ai-agent", "optimization-result"
    policy = Policy(Parent("config_id", inherits_public=False))
    operations_note = "applying copies the candidate into the agent and raises its version"
    transitions = {"status": {"proposed": ["applied", "rejected"], "applied": [], "rejected": []}}

    config_id: Mapped[UUID] = reference("ai_agent_config", "cascade", IMMUTABLE, FILTERABLE)
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, default=CALLER_USER)
    method: Mapped[str] = enum("manual", "llm_rewrite", "few_shot", flags=(IMMUTABLE, FILTERABLE), default="manual")
    base_version: Mapped[int] = integer(READ_ONLY, FILTERABLE, min=1, max=INTEGER_MAX, default=DERIVED)
    candidate_instructions: Mapped[str] = long_text(IMMUTABLE, min=1, max=50000)
    candidate_parameters: Mapped[dict[str, Any]] = json(IMMUTABLE, shape="object", default={})
    rationale: Mapped[str | None] = string(max=4000)
    sample_size: Mapped[int] = integer(IMMUTABLE, min=0, max=100_000, default=0)
    baseline_score: Mapped[float | None] = number(IMMUTABLE, SORTABLE, min=0, max=1)
    candidate_score: Mapped[float | None] = number(IMMUTABLE, SORTABLE, min=0, max=1)
    status: Mapped[str] = enum("proposed", "applied", "rejected", flags=(FILTERABLE,), default="proposed")
    decided_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY)
    decided_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)
