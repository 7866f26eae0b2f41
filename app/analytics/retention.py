"""Retention: a nightly job deletes events and activities older than ANALYTICS_DAYS."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, select

from app.analytics.models import AnalyticsActivity, AnalyticsEvent
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.settings import settings

DELETE_BATCH_SIZE = 10_000


def expire_analytics() -> None:
    """Delete events and activities older than ``analytics_days``, a part at a time."""
    if not settings.analytics_days:
        return
    before = now() - timedelta(days=settings.analytics_days)
    for model in (AnalyticsEvent, AnalyticsActivity):
        old = select(model.id).where(model.occurred_at < before).limit(DELETE_BATCH_SIZE)
        part = delete(model).where(model.id.in_(old.scalar_subquery()))
        while run_unit(SYSTEM, Unit.bookkeep, part) == DELETE_BATCH_SIZE:
            pass
