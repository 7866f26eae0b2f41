"""The report on tickets."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select

from helpdesk.models import HelpdeskTicket
from rowgate.models import AnalyticsReport


def tickets(report: AnalyticsReport) -> Any:
    """Tickets that the organization got in the period, by state and priority: how many, how many of them late, and
    in how many hours half of them were solved."""
    hours = func.extract("epoch", HelpdeskTicket.solved_at - HelpdeskTicket.created_at) / 3600
    median = func.percentile_cont(0.5).within_group(hours)
    within = HelpdeskTicket.created_at.between(report.period_start, report.period_end)
    return (
        select(
            HelpdeskTicket.state, HelpdeskTicket.priority, func.count().label("tickets"),
            func.count().filter(HelpdeskTicket.breached).label("late"), median.label("medianHours"),
        )
        .where(HelpdeskTicket.organization_id == report.organization_id, within)
        .group_by(HelpdeskTicket.state, HelpdeskTicket.priority)
        .order_by(HelpdeskTicket.state, HelpdeskTicket.priority)
    )  # fmt: skip
