"""The sample data: complete, within the bounds of every model, coherent, and loaded once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeVar

import psycopg
import pytest
from flask import Flask
from sqlalchemy import select

from app.ai.models.answering import AiAttempt, AiGenerationStep, AiStream
from app.ai.models.chats import AiArtifact, AiChat, AiMessage, AiSuggestion, AiVote
from app.ai_agent.models import AiAgentConfig, AiAgentDeliverable, AiAgentEvaluationResult, AiAgentOptimizationResult
from app.ai_rag.models import AiRagChunk, AiRagDocument, AiRagIndex, AiRagQuery, AiRagResult
from app.ai_research.models import (
    AiResearchCitation,
    AiResearchFinding,
    AiResearchProject,
    AiResearchQuestion,
    AiResearchReport,
    AiResearchSource,
)
from app.analytics.models import AnalyticsActivity, AnalyticsEvent, AnalyticsInsight, AnalyticsReport
from app.auth.accounts.passwords import HASHER
from app.auth.models.identity import AuthAccount, AuthUser
from app.auth.models.keys import AuthApiKey, AuthApiKeyAnalytics
from app.auth.models.organizations import AuthMember, AuthOrganization, AuthTeam
from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.engine.declare.catalogue import DOMAINS
from app.engine.declare.kinds import Enum
from app.engine.declare.record import Field, Record
from app.engine.read.encoding import dumps
from app.extensions import db
from app.factory import create_app
from app.foundation.clock import now
from app.notification.models import NotificationNotification
from app.ops import samples
from app.runtime import connections, embedded
from app.schema.histories import upgrade
from app.testing.database import unit_of_work
from config import Settings

R = TypeVar("R", bound=Record)

MODELS = [model for domain in DOMAINS for model in domain.models]
SIZES = {
    AuthUser: 3, AuthTeam: 1, CrmCompany: 6, CrmContact: 14, CrmDeal: 9, AiRagIndex: 1, AiRagDocument: 5, AiChat: 1,
    AiMessage: 6, AiStream: 1, AiAttempt: 2, AiVote: 1, AiArtifact: 1, AiSuggestion: 2, AiAgentConfig: 2,
    AiAgentDeliverable: 1, AiAgentEvaluationResult: 2, AiAgentOptimizationResult: 1, AiResearchProject: 1,
    AiResearchQuestion: 3, AiResearchSource: 4, AiResearchFinding: 3, AiResearchCitation: 5, AiResearchReport: 1,
    AuthApiKey: 1, AnalyticsInsight: 3, AnalyticsReport: 2,
}  # fmt: skip
# What may lie ahead.
PLANNED = {"expires_at", "due_at", "expected_close_at", "next_run_at", "period_end"}


@pytest.fixture(scope="module")
def sampled(var_dir: str, settings: Settings) -> Iterator[Flask]:
    """An application on a database of its own, which holds the sample data and nothing else."""
    with psycopg.connect(embedded.database_url(var_dir), autocommit=True) as connection:
        connection.execute("CREATE DATABASE samples TEMPLATE template0 ENCODING 'UTF8'")
    url = embedded.database_url(var_dir).replace(f"/{embedded.DATABASE}?", "/samples?")
    application = create_app(Settings(var_dir=var_dir, database_url=url, default_limit=settings.default_limit))
    with application.app_context():
        upgrade()
        yield application
        db.session.remove()
        connections.close_all()


@pytest.fixture(scope="module")
def people(sampled: Flask) -> list[tuple[str, str]]:
    with unit_of_work() as unit:
        made = samples.load(unit)
    assert made is not None
    return made


@pytest.fixture(autouse=True)
def _loaded(people: list[tuple[str, str]]) -> None:
    pass


def rows(model: type[R]) -> list[R]:
    return list(db.session.scalars(select(model).order_by(model.created_at, model.id)))


def only(model: type[R]) -> R:
    (row,) = rows(model)
    return row


def faults(field: Field, value: Any) -> Iterator[str]:
    """Say in which ways a stored value breaks the rules of its field."""
    kind, bounds = field.spec.kind.name, field.spec.kind.constraints
    if value is None:
        yield from [] if field.nullable else ["null"]
        return
    if isinstance(field.spec.kind, Enum):
        yield from [] if value in field.spec.kind.values else ["enum"]
    if isinstance(value, str):
        yield from [] if bounds.get("minLength", 0) <= len(value) <= bounds.get("maxLength", len(value)) else ["length"]
        yield from [] if re.search(bounds.get("pattern", ""), value) else ["pattern"]
    if isinstance(value, int | float):
        yield from [] if bounds.get("minimum", value) <= value <= bounds.get("maximum", value) else ["range"]
    if kind == "array<string>":
        yield from [] if not bounds.get("items") or set(value) <= set(bounds["items"]) else ["items"]
    if kind == "json":
        wanted = {"object": dict, "array": list}.get(bounds.get("shape", ""), object)
        yield from [] if isinstance(value, wanted) and len(dumps(value)) <= bounds.get("maxBytes", 65536) else ["json"]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_row_fits_its_model(model: type[Record]) -> None:
    stored = [field for field in model.fields().values() if field.column is not None]
    found = [
        (field.name, fault, getattr(row, field.attribute))
        for row in rows(model)
        for field in stored
        for fault in faults(field, getattr(row, field.attribute))
    ]
    assert not found


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_no_row_is_from_the_future(model: type[Record]) -> None:
    times = [field.attribute for field in model.fields().values() if field.spec.kind.name == "timestamp"]
    for row in rows(model):
        past = {name: getattr(row, name) for name in times if name not in PLANNED}
        assert all(time is None or time <= now() for time in past.values()), past
        assert row.created_at <= row.updated_at


@pytest.mark.parametrize(("model", "size"), SIZES.items(), ids=lambda value: getattr(value, "__name__", None))
def test_the_set_is_complete(model: type[Record], size: int) -> None:
    assert len(rows(model)) == size


def test_loading_again_adds_nothing() -> None:
    with unit_of_work() as unit:
        assert samples.load(unit) is None
    assert len(rows(CrmCompany)) == SIZES[CrmCompany]


def test_people_sign_in_with_what_was_returned(people: list[tuple[str, str]]) -> None:
    for email, password in people:
        user = db.session.scalars(select(AuthUser).where(AuthUser.email == email)).one()
        account = db.session.scalars(select(AuthAccount).where(AuthAccount.user_id == user.id)).one()
        assert account.password is not None
        assert HASHER.verify(account.password, password)


def test_roles_in_the_organization() -> None:
    shared = db.session.scalars(select(AuthOrganization).where(AuthOrganization.name == "Harbour Works Demo")).one()
    roles = sorted(member.role for member in rows(AuthMember) if member.organization_id == shared.id)
    assert roles == ["admin", "member", "owner"]


def test_deals_cover_all_stages_and_one_owner() -> None:
    deals = rows(CrmDeal)
    contacts = {contact.id: contact for contact in rows(CrmContact)}
    assert {deal.stage for deal in deals} == set(CrmDeal.transitions["stage"])
    assert len({deal.owner_id for deal in deals}) == 1
    for deal in deals:
        assert deal.contact_id is not None
        assert contacts[deal.contact_id].company_id == deal.company_id
        assert (deal.closed_at is not None) == (deal.stage in ("won", "lost"))
        assert bool(deal.lost_reason) == (deal.stage == "lost")
    assert [company.visibility for company in rows(CrmCompany)].count("public") == 2


def test_passages_are_cut_from_their_documents() -> None:
    index, documents, chunks = only(AiRagIndex), rows(AiRagDocument), rows(AiRagChunk)
    assert (index.document_count, index.chunk_count) == (len(documents), len(chunks))
    for document in documents:
        parts = sorted((chunk for chunk in chunks if chunk.document_id == document.id), key=lambda each: each.position)
        content = document.content or ""
        assert [part.position for part in parts] == list(range(document.chunk_count))
        assert all(content[part.start_offset : part.end_offset] == part.content for part in parts)
        assert all(len(part.content) <= index.chunk_size for part in parts)
        assert document.content_hash == sha256(content.encode()).hexdigest()


def test_the_chat_adds_up() -> None:
    chat, messages, stream = only(AiChat), rows(AiMessage), only(AiStream)
    attempts, steps = rows(AiAttempt), rows(AiGenerationStep)
    assert [message.sequence for message in messages] == [1, 2, 3, 4, 5, 6]
    assert chat.last_message_at == messages[-1].created_at
    assert [attempt.status for attempt in attempts] == ["failed", "succeeded"]
    for name in ("input_tokens", "output_tokens"):
        assert getattr(stream, name) == sum(getattr(each, name) or 0 for each in attempts)
        assert getattr(stream, name) == sum(getattr(each, name) for each in steps)
    assert only(AiRagQuery).result_count == len(rows(AiRagResult))


def test_the_accepted_suggestion_is_in_the_canvas() -> None:
    canvas, (accepted, still_open) = only(AiArtifact), rows(AiSuggestion)
    assert (accepted.status, accepted.artifact_version) == ("accepted", canvas.version - 1)
    assert accepted.suggested_text in (canvas.content or "")
    assert accepted.original_text not in (canvas.content or "")
    assert (still_open.status, still_open.artifact_version) == ("open", canvas.version)
    assert still_open.original_text in (canvas.content or "")


def test_work_waits_for_approval_under_the_current_version() -> None:
    work = only(AiAgentDeliverable)
    agent = db.session.get_one(AiAgentConfig, work.config_id)
    assert (work.status, work.config_version) == ("awaiting_approval", agent.version)
    assert only(AiAgentOptimizationResult).base_version == agent.version
    for result in rows(AiAgentEvaluationResult):
        (criterion,) = (each for each in agent.criteria if each["name"] == result.criterion)
        assert result.passed == (result.score >= criterion["passScore"])


def test_findings_rest_on_citations() -> None:
    content = only(AiResearchReport).content or ""
    citations = rows(AiResearchCitation)
    for finding in rows(AiResearchFinding):
        stances = {each.stance for each in citations if each.finding_id == finding.id}
        assert f"[[finding:{finding.id}]]" in content
        assert "supports" in stances
        assert (finding.verified_at is not None) == (finding.status == "verified")
        assert ("contradicts" in stances) == (finding.status == "disputed")


def test_key_use_stays_within_the_limit() -> None:
    key, uses = only(AuthApiKey), rows(AuthApiKeyAnalytics)
    minutes: dict[datetime, int] = {}
    for use in uses:
        if use.outcome == "VALID":
            minute = use.time.replace(second=0, microsecond=0)
            minutes[minute] = minutes.get(minute, 0) + 1
    assert max(minutes.values()) == key.rate_limit_max
    assert (key.request_count, key.last_used_at) == (len(uses), max(use.time for use in uses))


def test_logs_cover_thirty_days_and_every_kind_of_activity() -> None:
    kind = AnalyticsActivity.fields()["activity_type"].spec.kind
    assert {each.activity_type for each in rows(AnalyticsActivity)} == set(kind.values)
    for times in (
        [each.occurred_at for each in rows(AnalyticsEvent)],
        [each.time for each in rows(AuthApiKeyAnalytics)],
    ):
        assert len({time.date() for time in times}) == 30


def test_figures_are_worked_out() -> None:
    for insight in rows(AnalyticsInsight):
        previous = insight.previous_value
        change = (insight.value - previous) / abs(previous) * 100 if previous else None
        assert insight.change_percent == change
        assert insight.period_start < insight.period_end
    for report in rows(AnalyticsReport):
        assert report.row_count == len(report.data or [])
    (trend,) = (each for each in rows(AnalyticsInsight) if each.kind == "trend")
    assert (trend.change_percent or 0) > 0


def test_notifications_are_unread_and_in_order() -> None:
    notices = rows(NotificationNotification)
    assert all(notice.read_at is None and notice.channels == ["stream", "teams"] for notice in notices)
    assert [notice.sequence for notice in notices] == sorted(notice.sequence for notice in notices)
