"""Rows that go after their time, when the settings say so."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from app.analytics import retention
from app.analytics.models import AnalyticsActivity, AnalyticsEvent
from app.foundation.clock import now
from app.testing.database import transaction

AGES = (1, 29, 31, 400)


@pytest.fixture
def owner(app, cast):
    """Somebody with events and activities of several ages."""
    made = cast.user()
    with app.app_context(), transaction() as session:
        for days in AGES:
            at = now() - timedelta(days=days)
            event = AnalyticsEvent(
                user_id=made.user_id, organization_id=made.organization_id, name="opened", source="api"
            )
            event.occurred_at = at
            session.add(event)
            session.add(AnalyticsActivity(user_id=made.user_id, activity_type="CANVAS_VIEW", occurred_at=at))
    return made


def left(app, owner):
    with app.app_context(), transaction() as session:
        return [
            session.scalar(select(func.count()).where(model.user_id == owner.user_id))
            for model in (AnalyticsEvent, AnalyticsActivity)
        ]


@pytest.mark.parametrize(("days", "kept"), [(0, 4), (30, 2), (365, 3)])
def test_events_and_activities_go_after_their_time(app, build, owner, days, kept, monkeypatch):
    monkeypatch.setattr(retention, "DELETE_BATCH_SIZE", 1)
    for _ in range(2):
        with build(analytics_days=days).app_context():
            retention.expire_analytics()
        assert left(app, owner) == [kept, kept]
