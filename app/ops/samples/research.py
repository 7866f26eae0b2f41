"""The research project of the sample data: how keys should be handed out."""

from __future__ import annotations

from app.ai_research.models import (
    AiResearchCitation,
    AiResearchFinding,
    AiResearchProject,
    AiResearchQuestion,
    AiResearchReport,
    AiResearchSource,
)
from app.ops.samples import readings
from app.ops.samples.context import Context
from app.ops.samples.knowledge import Handbook
from app.ops.samples.people import Team


def make(context: Context, team: Team, handbook: Handbook) -> None:
    """Store the project with its questions, sources, findings, citations and the draft of its report."""
    project = AiResearchProject(
        organization_id=team.organization.id, created_by_id=team.admin.id, title=readings.TITLE,
        objective=readings.OBJECTIVE, status="active", due_at=context.at(-12, "17:00"),
    )  # fmt: skip
    context.store(project, context.at(18, "09:40"), context.at(18, "10:30"))
    questions = _questions(context, project)
    sources = _sources(context, project)
    findings = _findings(context, team, project, questions)
    _citations(context, handbook, sources, findings)
    _report(context, team, project, findings)


def _questions(context: Context, project: AiResearchProject) -> list[AiResearchQuestion]:
    made = []
    for position, row in enumerate(readings.QUESTIONS):
        asked, moved = context.at(18, f"10:{position:02}"), context.at(row.moved, "16:10")
        question = AiResearchQuestion(
            project_id=project.id, position=position, text=row.text, priority=row.priority, status=row.status,
            answer=row.answer, confidence=row.confidence, answered_at=moved if row.status == "answered" else None,
        )  # fmt: skip
        made.append(context.store(question, asked, moved))
    return made


def _sources(context: Context, project: AiResearchProject) -> list[AiResearchSource]:
    made = []
    for row in readings.SOURCES:
        read = context.at(row.read, "11:30")
        source = AiResearchSource(
            project_id=project.id, kind=row.kind, title=row.title, url=row.url, author=row.author,
            publisher=row.publisher, published_at=row.published_at, retrieved_at=read,
            content=row.content, credibility=row.credibility, status=row.status,
        )  # fmt: skip
        made.append(context.store(source, read, context.at(row.read, "11:55")))
    return made


def _findings(
    context: Context, team: Team, project: AiResearchProject, questions: list[AiResearchQuestion]
) -> list[AiResearchFinding]:
    made = []
    for row in readings.FINDINGS:
        finding = AiResearchFinding(
            project_id=project.id, created_by_id=team.admin.id, statement=row.statement, detail=row.detail,
            question_id=questions[row.question].id, confidence=row.confidence, status=row.status,
        )  # fmt: skip
        found, settled = context.at(row.found, "14:05"), context.at(row.found - 1, "15:30")
        if row.status == "verified":
            finding.verified_by_id, finding.verified_at = team.owner.id, settled
        made.append(context.store(finding, found, found if row.status == "draft" else settled))
    return made


def _citations(
    context: Context, handbook: Handbook, sources: list[AiResearchSource], findings: list[AiResearchFinding]
) -> None:
    for row in readings.CITATIONS:
        finding, source = findings[row.finding], sources[row.source]
        citation = AiResearchCitation(
            finding_id=finding.id, source_id=source.id, stance=row.stance, quote=row.quote, locator=row.locator,
            position=row.position, chunk_id=handbook.chunks[row.heading].id if row.heading else None,
        )  # fmt: skip
        context.store(citation, context.at(readings.FINDINGS[row.finding].found, f"14:{10 + row.position:02}"))


def _report(context: Context, team: Team, project: AiResearchProject, findings: list[AiResearchFinding]) -> None:
    marks = {f"finding_{number}": f"[[finding:{each.id}]]" for number, each in enumerate(findings, start=1)}
    report = AiResearchReport(
        project_id=project.id, created_by_id=team.admin.id, title=readings.TITLE, summary=readings.SUMMARY,
        content=readings.CONTENT.format(**marks),
    )  # fmt: skip
    context.store(report, context.at(4, "10:15"), context.at(3, "17:20"))
