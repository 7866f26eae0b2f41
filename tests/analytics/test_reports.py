"""Reports: computed by a job over the rows that each kind covers, as JSON or as a file."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from app.analytics import reports
from app.analytics.hooks import after
from app.analytics.models import AnalyticsReport
from app.foundation.clock import now, wire
from app.storage.object_store import object_store
from app.testing.database import transaction
from app.testing.waiting import work
from tests import gone
from tests.ai.chains import ask

REPORT = "/api/v1/analytics/report"
KINDS = ("usage", "chat_quality", "provider_costs", "crm_pipeline", "api_keys")


def order(owner, kind, **values):
    period = {"periodStart": wire(now() - timedelta(days=7)), "periodEnd": wire(now() + timedelta(hours=1))}
    response = owner.post(REPORT, {"name": "Weekly", "kind": kind, **period, **values})
    assert response.status_code == 201, response.json
    return response.json["id"]


def computed(app, owner, kind, **values):
    identifier = order(owner, kind, **values)
    work(app)
    return owner.get(f"{REPORT}/{identifier}").json


def deal(owner, company, stage, amount):
    body = {"name": stage, "companyId": company, "stage": stage, "amount": amount}
    assert owner.post("/api/v1/crm/deal", body).status_code == 201


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_computed_also_from_nothing(app, owner, kind):
    report = computed(app, owner, kind)
    assert (report["status"], report["data"], report["rowCount"], report["errorMessage"]) == ("ready", [], 0, None)
    assert report["generatedAt"]
    (activity,) = owner.get("/api/v1/analytics/activity?activityType=REPORT_GENERATED").json["data"]
    assert activity["metadata"]["reportId"] == report["id"]


def test_usage_counts_events_and_people_by_day(app, owner, cast):
    for who in (owner, owner, cast.colleague(owner)):
        event = {"name": "chat.created", "organizationId": str(owner.organization_id)}
        assert who.post("/api/v1/analytics/event", event).status_code == 201
    (row,) = computed(app, owner, "usage")["data"]
    assert row == {"date": wire(now())[:10], "name": "chat.created", "events": 3, "people": 2}


def test_chat_quality_and_costs_count_what_was_answered(app, owner):
    for _ in range(2):
        ask(owner)
    message = owner.get("/api/v1/ai/message?role=assistant").json["data"][0]["id"]
    owner.post("/api/v1/ai/vote", {"messageId": message, "isUpvoted": True})
    (quality,) = computed(app, owner, "chat_quality")["data"]
    assert (quality["answers"], quality["completed"], quality["upvotes"], quality["downvotes"]) == (2, 2, 1, 0)
    (costs,) = computed(app, owner, "provider_costs")["data"]
    assert (costs["provider"], costs["attempts"], costs["succeeded"]) == ("passages", 2, 2)
    assert costs["outputTokens"] > 0


def test_the_pipeline_sums_the_deals_of_its_creator(app, owner, cast):
    company = owner.post("/api/v1/crm/company", {"name": "Harbour"}).json["id"]
    for stage, amount in (("lead", 1000), ("lead", 3000), ("won", 500)):
        deal(owner, company, stage, amount)
    rows = computed(app, owner, "crm_pipeline")["data"]
    assert rows == [
        {"stage": "lead", "currency": "USD", "deals": 2, "amount": 4000, "weightedAmount": 400},
        {"stage": "won", "currency": "USD", "deals": 1, "amount": 500, "weightedAmount": 500},
    ]
    assert computed(app, cast.user(), "crm_pipeline")["data"] == []


def test_a_file_is_an_upload_of_the_creator(app, owner):
    company = owner.post("/api/v1/crm/company", {"name": "Harbour"}).json["id"]
    deal(owner, company, "lead", 1000)
    report = computed(app, owner, "crm_pipeline", format="csv")
    assert (report["status"], report["data"], report["rowCount"]) == ("ready", None, 1)
    response = owner.get(f"/api/upload/{report['uploadId']}/content", buffered=True)
    (row,) = csv.DictReader(io.StringIO(response.get_data(as_text=True)))
    assert (row["stage"], row["amount"]) == ("lead", "1000")
    assert response.headers["Content-Type"].startswith("text/csv")


def test_a_new_file_takes_the_place_of_the_last_one(app, owner):
    report = computed(app, owner, "usage", format="csv")
    owner.patch(f"{REPORT}/{report['id']}", {"status": "queued"})
    work(app)
    (upload,) = owner.get("/api/v1/storage/upload").json["data"]
    assert upload["id"] == owner.get(f"{REPORT}/{report['id']}").json["uploadId"] != report["uploadId"]


def test_who_has_left_gets_no_more_figures(app, owner, cast):
    member = cast.colleague(owner)
    period = {"periodStart": wire(now() - timedelta(days=1)), "periodEnd": wire(now())}
    body = {"name": "Mine", "kind": "usage", "organizationId": str(owner.organization_id), **period}
    report = member.post(REPORT, body).json["id"]
    membership = owner.get(f"/api/v1/auth/member?userId={member.user_id}").json["data"][0]["id"]
    owner.delete(f"/api/v1/auth/member/{membership}")
    work(app)
    assert owner.get(f"{REPORT}/{report}").json["status"] == "failed"


@pytest.mark.parametrize("way", [gone.banned, gone.removed, gone.deleted])
def test_figures_of_somebody_who_goes_meanwhile_are_not_kept_and_leave_no_file(app, owner, cast, monkeypatch, way):
    member = cast.colleague(owner)
    period = {"periodStart": wire(now() - timedelta(days=1)), "periodEnd": wire(now())}
    body = {"name": "Mine", "kind": "usage", "organizationId": str(owner.organization_id), "format": "csv", **period}
    report = member.post(REPORT, body).json["id"]
    kept = []

    def keep(content):
        kept.append(put(content))
        way(cast, owner, member)
        return kept[-1]

    put = reports.put
    monkeypatch.setattr(reports, "put", keep)
    work(app)
    left = owner.get(f"{REPORT}/{report}").json
    assert (left["status"], left["errorMessage"]) == ("failed", "Whoever asked for it is not there any more")
    assert (left["data"], left["rowCount"], left["uploadId"]) == (None, None, None)
    with app.app_context():
        assert not {*kept} & {key for key, _ in object_store().keys()}


@pytest.mark.parametrize(
    ("schedule", "later"),
    [("daily", "2028-02-01"), ("weekly", "2028-02-07"), ("monthly", "2028-02-29")],
)
def test_a_schedule_goes_by_the_calendar(schedule, later):
    assert wire(after(datetime(2028, 1, 31, tzinfo=UTC), schedule))[:10] == later


def test_texts_in_a_file_are_no_formulas():
    assert [reports.harmless(text) for text in ("=1+1", "@x", "x;=1", 5)] == ["'=1+1", "'@x", "x;'=1", 5]


def test_a_report_with_a_schedule_is_computed_again_for_the_next_period(app, owner):
    report = computed(app, owner, "usage", schedule="daily")
    with app.app_context(), transaction() as session:
        due = update(AnalyticsReport).where(AnalyticsReport.id == report["id"])
        session.execute(due.values(next_run_at=now() - timedelta(minutes=1)))
    with app.app_context():
        reports.queue_due()
    waiting = owner.get(f"{REPORT}/{report['id']}").json
    assert waiting["status"] == "queued"
    assert waiting["periodStart"][:10] > report["periodStart"][:10]
    assert waiting["nextRunAt"] > wire(now() + timedelta(hours=23))
    work(app)
    assert owner.get(f"{REPORT}/{report['id']}").json["status"] == "ready"


def test_a_report_whose_plugin_is_gone_fails_by_name_and_is_not_scheduled_again(app, owner, monkeypatch):
    monkeypatch.setattr(reports, "REPORTS", {})
    report = computed(app, owner, "usage", schedule="daily")
    assert (report["status"], report["errorMessage"]) == ("failed", reports.NO_SOURCE)
    assert report["nextRunAt"] is None
