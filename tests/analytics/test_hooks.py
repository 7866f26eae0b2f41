"""Events, insights and reports."""

from __future__ import annotations

from tests.writes import changed, created, messages


def test_an_event_from_the_future_is_drawn_back(owner):
    event = created(owner, "analytics/event", name="chat.created", occurredAt="2099-01-01T00:00:00Z")
    assert event["occurredAt"] < "2099"
    assert event["source"] == "api"


def test_an_insight_compares_its_values(owner):
    period = {"periodStart": "2026-01-01T00:00:00Z", "periodEnd": "2026-02-01T00:00:00Z"}
    body = {"title": "T", "summary": "S", "metric": "m", "value": 150, "previousValue": 100, **period}
    insight = created(owner, "analytics/insight", **body)
    assert insight["changePercent"] == 50
    seen = changed(owner, "analytics/insight", insight, status="acknowledged").json
    assert seen["acknowledgedById"] == str(owner.user_id)
    backwards = {**body, "periodEnd": "2025-01-01T00:00:00Z"}
    assert messages(owner.post("/api/v1/analytics/insight", backwards), "periodEnd")


def test_a_report_covers_a_year_at_most_and_is_run_by_the_service(owner):
    body = {"name": "R", "kind": "usage", "periodStart": "2025-01-01T00:00:00Z", "schedule": "daily"}
    long = {**body, "periodEnd": "2026-06-01T00:00:00Z"}
    assert messages(owner.post("/api/v1/analytics/report", long), "periodEnd")
    report = created(owner, "analytics/report", **body, periodEnd="2025-02-01T00:00:00Z")
    assert report["nextRunAt"] is not None
    assert messages(changed(owner, "analytics/report", report, status="running"), "status")
