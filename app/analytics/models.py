"""Models of analytics: events, activities, insights and reports."""

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
    NOW,
    READ_ONLY,
    SORTABLE,
    UNLISTED,
    enum,
    integer,
    json,
    number,
    open_enum,
    reference,
    string,
    timestamp,
)
from app.engine.declare.indexes import index, unique
from app.engine.declare.kinds import INTEGER_MAX
from app.engine.declare.policy import Policy
from app.engine.declare.record import Record
from app.engine.declare.scope import Rule
from app.engine.declare.scopes import Organization, Owner
from app.extension_points import REPORTS


class AnalyticsEvent(Record):
    """A product event, as a client or the server saw it."""

    __tablename__ = "analytics_event"
    domain, segment = "analytics", "event"
    logged = False
    policy = Policy(Organization("organization_id"), update=Rule.NONE, delete=Rule.ADMIN)
    operations_note = "append-only log; admins delete for privacy requests only"
    keys = (
        unique("organization_id", "message_id"),
        index("organization_id", "name", "-occurred_at"),
    )

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    user_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, FILTERABLE, default=CALLER_USER)
    anonymous_id: Mapped[str | None] = string(IMMUTABLE, FILTERABLE, min=1, max=100)
    name: Mapped[str] = string(
        IMMUTABLE, FILTERABLE, SORTABLE, min=1, max=120, pattern=r"^[a-z][a-z0-9_.]*$", note="e.g. chat.created"
    )
    properties: Mapped[dict[str, Any]] = json(IMMUTABLE, shape="object", max_bytes=32768, default={})
    context: Mapped[dict[str, Any]] = json(
        IMMUTABLE, shape="object", max_bytes=16384, default={}, note="page, locale, appVersion, referrer"
    )
    source: Mapped[str] = enum("web", "api", "teams", "server", flags=(READ_ONLY, FILTERABLE), default=DERIVED)
    client_session_id: Mapped[str | None] = string(IMMUTABLE, FILTERABLE, min=1, max=100)
    message_id: Mapped[str | None] = string(IMMUTABLE, min=1, max=100, note="de-duplication key chosen by the client")
    occurred_at: Mapped[datetime] = timestamp(
        IMMUTABLE, FILTERABLE, SORTABLE, default=NOW, note="clamped to at most 5 minutes ahead"
    )


class AnalyticsActivity(Record):
    """A noteworthy action of one user."""

    __tablename__ = "analytics_activity"
    domain, segment = "analytics", "activity"
    logged = False
    plural = "activities"
    policy = Policy(Owner("user_id"), update=Rule.NONE, delete=Rule.ADMIN)
    operations_note = "append-only log; server code writes most rows, callers only about themselves"
    keys = (
        index("user_id", "-occurred_at"),
        index("activity_type", "-occurred_at"),
    )

    user_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    organization_id: Mapped[UUID | None] = reference(
        "auth_organization", "set null", READ_ONLY, FILTERABLE, default=CALLER_ORGANIZATION
    )
    activity_type: Mapped[str] = enum(
        "BOT_MESSAGE",
        "CANVAS_VIEW",
        "SSO_LOGIN",
        "APPROVAL_ACTION",
        "REPORT_GENERATED",
        flags=(IMMUTABLE, FILTERABLE, SORTABLE),
    )
    metadata_: Mapped[dict[str, Any]] = json(
        IMMUTABLE,
        name="metadata",
        shape="object",
        max_bytes=16384,
        default={},
        note="canvasId, source, teamId and the like",
    )
    occurred_at: Mapped[datetime] = timestamp(IMMUTABLE, FILTERABLE, SORTABLE, default=NOW)


class AnalyticsInsight(Record):
    """A conclusion drawn from the figures, worth somebody's attention."""

    __tablename__ = "analytics_insight"
    domain, segment = "analytics", "insight"
    searchable = ("title", "summary")
    policy = Policy(Organization("organization_id"))
    operations_note = "creating one notifies the managers of the organization with INSIGHT_READY"
    transitions = {
        "status": {"new": ["acknowledged", "dismissed"], "acknowledged": ["dismissed"], "dismissed": ["acknowledged"]}
    }

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    created_by_id: Mapped[UUID | None] = reference(
        "auth_user", "set null", READ_ONLY, default=CALLER_USER, note="null when the scheduler made it"
    )
    title: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=200)
    summary: Mapped[str] = string(min=1, max=4000)
    kind: Mapped[str] = enum(
        "trend", "anomaly", "usage", "forecast", "recommendation", flags=(FILTERABLE,), default="trend"
    )
    metric: Mapped[str] = string(FILTERABLE, min=1, max=100, note="e.g. chat.cost_micros")
    value: Mapped[float] = number()
    previous_value: Mapped[float | None] = number()
    change_percent: Mapped[float | None] = number(READ_ONLY, SORTABLE, note="derived from the two values")
    unit: Mapped[str | None] = string(min=1, max=32)
    period_start: Mapped[datetime] = timestamp(SORTABLE)
    period_end: Mapped[datetime] = timestamp(SORTABLE, note="after periodStart")
    severity: Mapped[str] = enum("info", "warning", "critical", flags=(FILTERABLE,), default="info")
    details: Mapped[dict[str, Any]] = json(shape="object", default={}, note="series and breakdown")
    status: Mapped[str] = enum("new", "acknowledged", "dismissed", flags=(FILTERABLE,), default="new")
    acknowledged_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY)


class AnalyticsReport(Record):
    """A generated table of figures over a period."""

    __tablename__ = "analytics_report"
    domain, segment = "analytics", "report"
    plural = "analyticsReports"
    searchable = ("name",)
    policy = Policy(Organization("organization_id"))
    operations_note = "creating one queues the run; done means REPORT_GENERATED in the activity log"
    keys = (index("organization_id", "kind", "-created_at"), index("next_run_at"))
    transitions = {
        "status": {"queued": ["running"], "running": ["ready", "failed"], "ready": ["queued"], "failed": ["queued"]}
    }

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, FILTERABLE, default=CALLER_USER)
    name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=200)
    kind: Mapped[str] = open_enum(
        REPORTS,
        IMMUTABLE,
        FILTERABLE,
        note="crm_pipeline and api_keys cover the rows of the creator, the others those of the organization",
    )
    parameters: Mapped[dict[str, Any]] = json(shape="object", max_bytes=8192, default={}, note="filters and grouping")
    period_start: Mapped[datetime] = timestamp(SORTABLE)
    period_end: Mapped[datetime] = timestamp(SORTABLE, note="after periodStart, at most 366 days later")
    format: Mapped[str] = enum("json", "csv", flags=(FILTERABLE,), default="json")
    schedule: Mapped[str] = enum("none", "daily", "weekly", "monthly", flags=(FILTERABLE,), default="none")
    next_run_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)
    status: Mapped[str] = enum(
        "queued",
        "running",
        "ready",
        "failed",
        flags=(FILTERABLE,),
        default="queued",
        note="a caller may only set ready or failed back to queued",
    )
    data: Mapped[Any | None] = json(READ_ONLY, UNLISTED, max_bytes=1_048_576)
    row_count: Mapped[int | None] = integer(READ_ONLY, min=0, max=INTEGER_MAX)
    upload_id: Mapped[UUID | None] = reference("storage_upload", "set null", READ_ONLY, note="the csv file")
    generated_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)
    error_message: Mapped[str | None] = string(READ_ONLY, max=1000)
