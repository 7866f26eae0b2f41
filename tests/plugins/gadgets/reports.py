"""Reports on gadgets."""

from __future__ import annotations

from typing import Any

from gadgets.models import Gadget
from sqlalchemy import func, select

from rowgate.models import AnalyticsReport


def gadgets(report: AnalyticsReport) -> Any:
    """Gadgets of the organization by their state."""
    own = Gadget.organization_id == report.organization_id
    return select(Gadget.state, func.count().label("gadgets")).where(own).group_by(Gadget.state).order_by(Gadget.state)
