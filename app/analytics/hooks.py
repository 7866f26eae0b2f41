"""Hooks of analytics: insights are compared and announced, reports are queued and scheduled."""

from __future__ import annotations

import math
from calendar import monthrange
from datetime import datetime, timedelta

from sqlalchemy import select

from app.analytics.models import AnalyticsEvent, AnalyticsInsight, AnalyticsReport
from app.auth.models.organizations import AuthMember
from app.engine.declare.principal import MANAGERS
from app.engine.write.hooks import Write, on_create, on_update, require
from app.foundation.clock import now
from app.foundation.errors import Forbidden
from app.jobs import queue
from app.notification.routing import notify_all

COMPUTE_REPORT = "compute_report"
CLOCK_SKEW = timedelta(minutes=5)
MAX_PERIOD = timedelta(days=366)
LATEST_YEAR = 2200


@on_create(AnalyticsEvent, callers_only=True)
def record_event(event: AnalyticsEvent, write: Write) -> None:
    event.source = "api"
    event.occurred_at = min(event.occurred_at or now(), now() + CLOCK_SKEW)


@on_create(AnalyticsInsight, callers_only=True)
@on_update(AnalyticsInsight, callers_only=True)
def compare(insight: AnalyticsInsight, write: Write) -> None:
    require(insight.period_end > insight.period_start, "periodEnd", "Must be after periodStart.")
    previous = insight.previous_value
    change = (insight.value - previous) / abs(previous) * 100 if previous else math.inf
    insight.change_percent = change if math.isfinite(change) else None
    if insight.status == "acknowledged" and (write.changed("status") or insight.acknowledged_by_id is None):
        insight.acknowledged_by_id = write.unit.principal.user_id


@on_create(AnalyticsInsight, callers_only=True)
def announce(insight: AnalyticsInsight, write: Write) -> None:
    managing = (AuthMember.organization_id == insight.organization_id, AuthMember.role.in_(MANAGERS))
    managers = write.unit.session.scalars(select(AuthMember.user_id).where(*managing)).all()
    notify_all(
        write.unit, managers, "INSIGHT_READY", insight.title, insight.summary,
        data={"insightId": str(insight.id), "severity": insight.severity}, actor_id=insight.created_by_id,
        organization_id=insight.organization_id,
    )  # fmt: skip


@on_create(AnalyticsReport, callers_only=True)
def order_report(report: AnalyticsReport, write: Write) -> None:
    require(report.status == "queued", "status", "A new report starts as queued.")
    _check_grants(write)
    _check_period(report)
    _schedule(report)
    queue.defer(write.unit, COMPUTE_REPORT, report.id, user_id=report.created_by_id, on_behalf=True)


def _check_grants(write: Write) -> None:
    """Refuse callers with grants: a report tells of all of the organization."""
    if write.unit.principal.narrowing is not None:
        raise Forbidden("Reports tell of the whole organization, and are for callers without grants")


@on_update(AnalyticsReport, callers_only=True)
def change_report(report: AnalyticsReport, write: Write) -> None:
    if write.changed("status"):
        require(report.status == "queued", "status", "Callers can only queue a report again.")
        _check_grants(write)
        queue.defer(write.unit, COMPUTE_REPORT, report.id, user_id=report.created_by_id, on_behalf=True)
    _check_period(report)
    if write.changed("schedule"):
        _schedule(report)


def _check_period(report: AnalyticsReport) -> None:
    period = report.period_end - report.period_start
    require(period > timedelta(0), "periodEnd", "Must be after periodStart.")
    require(period <= MAX_PERIOD, "periodEnd", "Must be at most 366 days after periodStart.")
    require(report.period_end.year < LATEST_YEAR, "periodEnd", f"Must be before the year {LATEST_YEAR}.")


def _schedule(report: AnalyticsReport) -> None:
    report.next_run_at = None if report.schedule == "none" else after(now(), report.schedule)


def after(moment: datetime, schedule: str) -> datetime:
    """The same time a day, a week or a calendar month later; a month that is too short ends with its last day."""
    if schedule != "monthly":
        return moment + timedelta(days=1 if schedule == "daily" else 7)
    year, month = moment.year + moment.month // 12, moment.month % 12 + 1
    return moment.replace(year=year, month=month, day=min(moment.day, monthrange(year, month)[1]))
