"""Insights and reports of the sample data, worked out from its own rows."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from app.analytics.hooks import after
from app.analytics.models import AnalyticsActivity, AnalyticsEvent, AnalyticsInsight, AnalyticsReport
from app.crm.hooks import PROBABILITY
from app.crm.models import CrmDeal
from app.ops.samples import key_use
from app.ops.samples.context import Context
from app.ops.samples.people import Team

# Days before today on which the weekly report ran; it covers the seven days before each.
RUNS = (23, 16, 9, 2)


def make(context: Context, team: Team, deals: list[CrmDeal], events: list[AnalyticsEvent]) -> AnalyticsInsight:
    """Store the insights and reports, and return the newest insight."""
    _use_report(context, team, events)
    _pipeline_report(context, team, deals)
    _limit_insight(context, team)
    _forecast(context, team, deals)
    return _growth(context, team, events)


def _growth(context: Context, team: Team, events: list[AnalyticsEvent]) -> AnalyticsInsight:
    before, start, end = (context.at(days, "00:00") for days in (29, 15, 1))
    value, previous = len(_between(events, start, end)), len(_between(events, before, start))
    days = Counter(f"{event.occurred_at:%Y-%m-%d}" for event in _between(events, start, end))
    summary = (
        f"{value} events in fourteen days, after {previous} in the fourteen days before. People were busier; the "
        "nightly export added one event a day, as always."
    )
    insight = AnalyticsInsight(
        organization_id=team.organization.id, kind="trend", metric="events.count", value=value, period_start=start,
        period_end=end, previous_value=previous, change_percent=(value - previous) / abs(previous) * 100,
        title="Use of the product has grown", summary=summary, unit="events",
        details={"series": [{"day": day, "value": days[day]} for day in sorted(days)]},
    )  # fmt: skip
    return context.store(insight, context.at(1, "06:00"))


def _limit_insight(context: Context, team: Team) -> None:
    summary = (
        f"{key_use.BEYOND_LIMIT} requests were answered with 429 within one minute. The key is allowed "
        f"{key_use.LIMIT} requests a minute; on no other day was that reached."
    )
    insight = AnalyticsInsight(
        organization_id=team.organization.id, kind="anomaly", metric="key.rate_limited", value=key_use.BEYOND_LIMIT,
        period_start=context.at(key_use.BURST, "00:00"), period_end=context.at(key_use.BURST - 1, "00:00"),
        previous_value=0, unit="requests", title=f"The key {key_use.NAME} ran into its limit", summary=summary,
        severity="warning", status="acknowledged", acknowledged_by_id=team.admin.id,
    )  # fmt: skip
    context.store(insight, context.at(key_use.BURST - 1, "06:00"), context.at(key_use.BURST - 1, "09:12"))


def _forecast(context: Context, team: Team, deals: list[CrmDeal]) -> None:
    open_deals = [deal for deal in deals if deal.closed_at is None]
    expected = [((deal.amount or 0) // 100) * deal.probability / 100 for deal in open_deals]
    summary = (
        f"{len(open_deals)} open deals, each weighed with its probability, come to {sum(expected):,.0f} US dollars "
        "over the next three months."
    )
    named = zip(open_deals, expected, strict=True)
    insight = AnalyticsInsight(
        organization_id=team.organization.id, kind="forecast", metric="crm.expected_revenue", value=sum(expected),
        period_start=context.at(4, "00:00"), period_end=context.at(-90, "00:00"), unit="USD", summary=summary,
        title="What the open deals are likely to bring",
        details={"breakdown": [{"deal": deal.name, "value": value} for deal, value in named]},
    )  # fmt: skip
    context.store(insight, context.at(4, "06:00"))


def _use_report(context: Context, team: Team, events: list[AnalyticsEvent]) -> None:
    """A weekly report that ran four times; the row holds the last run."""
    start, end, ran = context.at(RUNS[-1] + 7, "00:00"), context.at(RUNS[-1], "00:00"), context.at(RUNS[-1], "06:00")
    counted: dict[str, list[AnalyticsEvent]] = {}
    for event in _between(events, start, end):
        counted.setdefault(event.name, []).append(event)
    report = AnalyticsReport(
        organization_id=team.organization.id, created_by_id=team.owner.id, name="Use of the product, week by week",
        kind="usage", schedule="weekly", parameters={"groupBy": "event"}, period_start=start, period_end=end,
        next_run_at=after(ran, "weekly"),
    )  # fmt: skip
    _fill(report, [_line(name, counted[name]) for name in sorted(counted)], ran)
    context.store(report, context.at(RUNS[0], "05:58"), ran)
    for days in RUNS:
        _generated(context, report, context.at(days, "06:00"))


def _line(name: str, events: list[AnalyticsEvent]) -> dict[str, Any]:
    return {"event": name, "count": len(events), "users": len({event.user_id for event in events})}


def _pipeline_report(context: Context, team: Team, deals: list[CrmDeal]) -> None:
    ran = context.at(4, "08:30")
    report = AnalyticsReport(
        organization_id=team.organization.id, created_by_id=team.member.id, name="Deals by stage", kind="crm_pipeline",
        parameters={"groupBy": "stage"}, period_start=context.at(64, "00:00"), period_end=context.at(4, "00:00"),
    )  # fmt: skip
    lines = []
    for stage in PROBABILITY:
        amounts = [deal.amount or 0 for deal in deals if deal.stage == stage]
        lines.append({"stage": stage, "deals": len(amounts), "amount": sum(amounts), "currency": "USD"})
    _fill(report, lines, ran)
    context.store(report, context.at(4, "08:29"), ran)
    _generated(context, report, ran)


def _fill(report: AnalyticsReport, lines: list[dict[str, Any]], ran: datetime) -> None:
    report.status, report.data, report.row_count, report.generated_at = "ready", lines, len(lines), ran


def _generated(context: Context, report: AnalyticsReport, ran: datetime) -> None:
    activity = AnalyticsActivity(
        user_id=report.created_by_id, organization_id=report.organization_id, activity_type="REPORT_GENERATED",
        metadata_={"reportId": str(report.id), "kind": report.kind, "source": "server"}, occurred_at=ran,
    )  # fmt: skip
    context.store(activity, ran)


def _between(events: list[AnalyticsEvent], start: datetime, end: datetime) -> list[AnalyticsEvent]:
    return [event for event in events if start <= event.occurred_at < end]
