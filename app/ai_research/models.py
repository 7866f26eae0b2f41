"""Research projects: questions, the sources read, what was found and the report."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    CALLER_ORGANIZATION,
    CALLER_USER,
    DERIVED,
    FILTERABLE,
    IMMUTABLE,
    READ_ONLY,
    SORTABLE,
    UNLISTED,
    enum,
    integer,
    long_text,
    number,
    reference,
    string,
    timestamp,
)
from app.engine.declare.indexes import index, unique
from app.engine.declare.kinds import INTEGER_MAX
from app.engine.declare.policy import Policy
from app.engine.declare.record import Record
from app.engine.declare.scopes import PUBLISHED, Organization, Parent


class AiResearchProject(Record):
    """A research undertaking with an objective."""

    __tablename__ = "ai_research_project"
    domain, segment = "ai-research", "project"
    searchable = ("title", "objective")
    cascades_widely = True
    policy = Policy(Organization("organization_id", public=PUBLISHED), links=True, shares=True)
    keys = (index("organization_id", "status"),)
    transitions = {
        "status": {
            "draft": ["active", "archived"],
            "active": ["completed", "archived"],
            "completed": ["active", "archived"],
            "archived": ["active"],
        }
    }

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, FILTERABLE, default=CALLER_USER)
    title: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=200)
    objective: Mapped[str] = long_text(min=1, max=10000)
    config_id: Mapped[UUID | None] = reference(
        "ai_agent_config", "set null", FILTERABLE, note="agent that does the legwork"
    )
    index_id: Mapped[UUID | None] = reference(
        "ai_rag_index", "set null", FILTERABLE, note="where accepted sources are indexed"
    )
    company_id: Mapped[UUID | None] = reference("crm_company", "set null", FILTERABLE)
    status: Mapped[str] = enum("draft", "active", "completed", "archived", flags=(FILTERABLE,), default="draft")
    due_at: Mapped[datetime | None] = timestamp(SORTABLE)
    completed_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)
    visibility: Mapped[str] = enum("private", "public", flags=(FILTERABLE,), default="private")


class AiResearchQuestion(Record):
    """Something the project has to answer; may be split into narrower questions."""

    __tablename__ = "ai_research_question"
    domain, segment = "ai-research", "question"
    searchable = ("text", "answer")
    policy = Policy(Parent("project_id"))
    keys = (index("project_id", "position"),)
    transitions = {
        "status": {
            "open": ["in_progress", "answered", "dropped"],
            "in_progress": ["answered", "open", "dropped"],
            "answered": ["open"],
            "dropped": ["open"],
        }
    }

    project_id: Mapped[UUID] = reference("ai_research_project", "cascade", IMMUTABLE, FILTERABLE)
    parent_question_id: Mapped[UUID | None] = reference(
        "ai_research_question", "set null", FILTERABLE, note="same project, no loops, at most 4 levels"
    )
    text: Mapped[str] = string(min=1, max=2000)
    position: Mapped[int] = integer(SORTABLE, min=0, max=10000, default=DERIVED)
    priority: Mapped[str] = enum("low", "medium", "high", flags=(FILTERABLE,), default="medium")
    status: Mapped[str] = enum("open", "in_progress", "answered", "dropped", flags=(FILTERABLE,), default="open")
    answer: Mapped[str | None] = long_text(max=20000, note="required to enter answered")
    confidence: Mapped[float | None] = number(SORTABLE, min=0, max=1)
    answered_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)


class AiResearchSource(Record):
    """A publication, page or file consulted in a project."""

    __tablename__ = "ai_research_source"
    domain, segment = "ai-research", "source"
    searchable = ("title", "author", "publisher")
    policy = Policy(Parent("project_id"))
    operations_note = "delete is refused while a citation points here"
    keys = (unique("project_id", "url"),)
    transitions = {
        "status": {"candidate": ["accepted", "rejected"], "accepted": ["rejected"], "rejected": ["accepted"]}
    }

    project_id: Mapped[UUID] = reference("ai_research_project", "cascade", IMMUTABLE, FILTERABLE)
    kind: Mapped[str] = enum(
        "web", "document", "upload", "dataset", "book", "interview", flags=(FILTERABLE,), default="web"
    )
    title: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=300)
    url: Mapped[str | None] = string(FILTERABLE, max=2048, format="url")
    author: Mapped[str | None] = string(FILTERABLE, max=300)
    publisher: Mapped[str | None] = string(FILTERABLE, max=200)
    published_at: Mapped[datetime | None] = timestamp(SORTABLE)
    retrieved_at: Mapped[datetime | None] = timestamp(SORTABLE)
    upload_id: Mapped[UUID | None] = reference("storage_upload", "set null")
    rag_document_id: Mapped[UUID | None] = reference(
        "ai_rag_document", "set null", READ_ONLY, note="set once an accepted source is indexed"
    )
    content: Mapped[str | None] = long_text(UNLISTED, max=1_000_000, note="extract or notes")
    credibility: Mapped[float | None] = number(SORTABLE, min=0, max=1)
    status: Mapped[str] = enum("candidate", "accepted", "rejected", flags=(FILTERABLE,), default="candidate")


class AiResearchFinding(Record):
    """A statement the project holds to be true, to some degree."""

    __tablename__ = "ai_research_finding"
    domain, segment = "ai-research", "finding"
    searchable = ("statement", "detail")
    policy = Policy(Parent("project_id"))
    transitions = {
        "status": {
            "draft": ["verified", "disputed", "retracted"],
            "verified": ["disputed", "retracted"],
            "disputed": ["verified", "retracted"],
            "retracted": [],
        }
    }

    project_id: Mapped[UUID] = reference("ai_research_project", "cascade", IMMUTABLE, FILTERABLE)
    question_id: Mapped[UUID | None] = reference("ai_research_question", "set null", FILTERABLE, note="same project")
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, default=CALLER_USER)
    statement: Mapped[str] = string(min=1, max=2000)
    detail: Mapped[str | None] = long_text(max=20000)
    confidence: Mapped[str] = enum("low", "medium", "high", flags=(FILTERABLE,), default="medium")
    status: Mapped[str] = enum(
        "draft",
        "verified",
        "disputed",
        "retracted",
        flags=(FILTERABLE,),
        default="draft",
        note="verified needs at least one supporting citation",
    )
    verified_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY)
    verified_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)


class AiResearchCitation(Record):
    """The link from a finding to the passage of a source that supports or contradicts it."""

    __tablename__ = "ai_research_citation"
    domain, segment = "ai-research", "citation"
    policy = Policy(Parent("finding_id"))
    keys = (index("finding_id", "position"),)

    finding_id: Mapped[UUID] = reference("ai_research_finding", "cascade", IMMUTABLE, FILTERABLE)
    source_id: Mapped[UUID] = reference(
        "ai_research_source", "restrict", IMMUTABLE, FILTERABLE, note="same project as the finding"
    )
    chunk_id: Mapped[UUID | None] = reference("ai_rag_chunk", "set null")
    stance: Mapped[str] = enum("supports", "contradicts", "context", flags=(FILTERABLE,), default="supports")
    quote: Mapped[str | None] = string(max=4000)
    locator: Mapped[str | None] = string(max=200, note="page, section or time mark")
    position: Mapped[int] = integer(SORTABLE, min=0, max=10000, default=0)


class AiResearchReport(Record):
    """The written result of a project."""

    __tablename__ = "ai_research_report"
    domain, segment = "ai-research", "report"
    plural = "aiResearchReports"
    searchable = ("title", "summary", "content")
    policy = Policy(Parent("project_id"))
    transitions = {"status": {"draft": ["in_review"], "in_review": ["draft", "published"], "published": ["draft"]}}

    project_id: Mapped[UUID] = reference("ai_research_project", "cascade", IMMUTABLE, FILTERABLE)
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, default=CALLER_USER)
    title: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=200)
    summary: Mapped[str | None] = string(max=4000)
    content: Mapped[str | None] = long_text(
        UNLISTED, max=1_000_000, note="markdown; finding references are written as [[finding:id]]"
    )
    status: Mapped[str] = enum("draft", "in_review", "published", flags=(FILTERABLE,), default="draft")
    version: Mapped[int] = integer(
        READ_ONLY, min=1, max=INTEGER_MAX, default=1, note="grows each time a published report goes back to draft"
    )
    document_id: Mapped[UUID | None] = reference(
        "storage_document", "set null", READ_ONLY, note="copy stored on publication"
    )
    published_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)
