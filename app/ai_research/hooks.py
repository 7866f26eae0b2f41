"""Hooks of research projects: positions, parents, answers and citations are checked and dated."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import exists, select

from app.ai_research.models import (
    AiResearchCitation,
    AiResearchFinding,
    AiResearchProject,
    AiResearchQuestion,
    AiResearchReport,
    AiResearchSource,
)
from app.engine.write.hooks import Write, on_create, on_update, require
from app.foundation.clock import now
from app.storage.models import StorageDocument

MAX_QUESTION_DEPTH = 4


@on_create(AiResearchProject, callers_only=True)
@on_update(AiResearchProject, callers_only=True)
def date_completion(project: AiResearchProject, write: Write) -> None:
    if project.status != "completed":
        project.completed_at = project.completed_at if project.status == "archived" else None
    elif project.completed_at is None or write.changed("status"):
        project.completed_at = now()


@on_create(AiResearchQuestion, callers_only=True)
def ask(question: AiResearchQuestion, write: Write) -> None:
    write.unit.get(AiResearchProject, question.project_id, lock=True)
    if question.position is None:
        question.position = write.unit.next_number(
            AiResearchQuestion.position, AiResearchQuestion.project_id == question.project_id, first=0
        )
    _check_parents(question, write)
    _answer(question)


@on_update(AiResearchQuestion, callers_only=True)
def revise_question(question: AiResearchQuestion, write: Write) -> None:
    if write.changed("parent_question_id"):
        write.unit.get(AiResearchProject, question.project_id, lock=True)
        _check_parents(question, write)
    if write.changed("status", "answer"):
        _answer(question)


def _answer(question: AiResearchQuestion) -> None:
    answered = question.status == "answered"
    require(not answered or bool(question.answer), "answer", "Is required when a question is answered.")
    question.answered_at = (question.answered_at or now()) if answered else None


def _check_parents(question: AiResearchQuestion, write: Write) -> None:
    """Walk up from the question: same project, no loop, and with the levels below it at most four."""
    above: list[UUID] = []
    parent_id = question.parent_question_id
    while parent_id is not None:
        parent = write.unit.get(AiResearchQuestion, parent_id)
        require(parent.project_id == question.project_id, "parentQuestionId", "Must be in the same project.")
        require(parent_id != question.id and parent_id not in above, "parentQuestionId", "Must not lead in a circle.")
        above.append(parent_id)
        require(len(above) < MAX_QUESTION_DEPTH, "parentQuestionId", "Questions nest four levels at most.")
        parent_id = parent.parent_question_id
    levels = len(above) + _levels_below(question, write)
    require(levels <= MAX_QUESTION_DEPTH, "parentQuestionId", "Questions nest four levels at most.")


def _levels_below(question: AiResearchQuestion, write: Write) -> int:
    levels, ids = 1, [question.id]
    while levels <= MAX_QUESTION_DEPTH:
        children = select(AiResearchQuestion.id).where(AiResearchQuestion.parent_question_id.in_(ids))
        with write.unit.session.no_autoflush:
            ids = list(write.unit.session.scalars(children))
        if not ids:
            break
        levels += 1
    return levels


@on_create(AiResearchFinding, callers_only=True)
@on_update(AiResearchFinding, callers_only=True)
def check_finding(finding: AiResearchFinding, write: Write) -> None:
    if finding.question_id is not None:
        question = write.unit.get(AiResearchQuestion, finding.question_id)
        require(question.project_id == finding.project_id, "questionId", "Must be in the same project.")
    if finding.status == "verified" and finding.verified_at is None:
        _verify(finding, write)
    elif finding.status != "verified":
        finding.verified_by_id = finding.verified_at = None


def _verify(finding: AiResearchFinding, write: Write) -> None:
    supported = exists().where(AiResearchCitation.finding_id == finding.id, AiResearchCitation.stance == "supports")
    require(bool(write.unit.session.scalar(select(supported))), "status", "Needs a supporting citation to be verified.")
    finding.verified_by_id, finding.verified_at = write.unit.principal.user_id, now()


@on_create(AiResearchCitation, callers_only=True)
def cite(citation: AiResearchCitation, write: Write) -> None:
    finding = write.unit.get(AiResearchFinding, citation.finding_id)
    source = write.unit.get(AiResearchSource, citation.source_id)
    require(source.project_id == finding.project_id, "sourceId", "Must be in the project of the finding.")


@on_create(AiResearchReport, callers_only=True)
def start_report(report: AiResearchReport, write: Write) -> None:
    if report.status == "published":
        _publish(report, write)


@on_update(AiResearchReport, callers_only=True)
def publish_report(report: AiResearchReport, write: Write) -> None:
    if write.entered("status", report, "published"):
        _publish(report, write)
    elif write.entered("status", report, "draft") and write.before["status"] == "published":
        report.version += 1
        report.published_at = None


def _publish(report: AiResearchReport, write: Write) -> None:
    """Store what is published as a document of the publisher; a later publication gets a copy of its own."""
    report.published_at = now()
    copy = StorageDocument(
        user_id=write.unit.principal.user_id,
        title=report.title,
        content=report.content or "",
        status="published",
        published_at=report.published_at,
    )
    write.unit.store(copy)
    report.document_id = copy.id
