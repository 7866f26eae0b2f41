"""Sums over a list: groups, measures and time zones."""

from __future__ import annotations

import re
from zoneinfo import available_timezones

import pytest

from app.analytics.models import AnalyticsInsight
from app.testing.workshop import Workshop
from tests.engine.queries.conftest import COMPANIES, DEALS


def test_sums_are_grouped_and_measured(owner):
    body = owner.get(
        f"{DEALS}/_aggregate", query_string={"group": "company.industry", "count": "", "sum": "amount"}
    ).json
    assert body["data"] == [
        {"group": {"company.industry": "shipping"}, "count": 3, "sum": {"amount": 2000}},
        {"group": {"company.industry": "steel"}, "count": 2, "sum": {"amount": 1507}},
    ]
    assert body["meta"] == {"take": 100, "more": False}


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("group=createdAt", "INVALID_FIELDS"), ("group=createdAt:second", "INVALID_FIELDS"),
        ("group=stage:day", "INVALID_FIELDS"), ("group=nope", "INVALID_FIELDS"), ("sum=name", "INVALID_FIELDS"),
        ("group=stage,priority,source,currency", "INVALID_FIELDS"), ("timeZone=Mars/Base", "INVALID_FIELDS"),
        ("count=1", "INVALID_FIELDS"), ("sort=stage", "INVALID_SORT"), ("take=1001", "INVALID_PAGINATION"),
        ("nope=1", "INVALID_FILTER"), ("group=deliverables.title", "INVALID_FIELDS"),
        ("avg=createdAt", "INVALID_FIELDS"),
        ("skip=1", "INVALID_FILTER"), ("sum=", "INVALID_FIELDS"),
        ("group=", "INVALID_FIELDS"), ("sort=", "INVALID_SORT"),
    ],
)  # fmt: skip
def test_sums_refuse_what_cannot_be_summed(owner, query, code):
    answer = owner.get(f"{DEALS}/_aggregate?{query}")
    assert (answer.status_code, answer.json["code"]) == (400, code)
    assert list(answer.json["details"]["fields"]) == [query.partition("=")[0]]


def test_weeks_begin_on_monday_in_their_time_zone(cast):
    owner = cast.user()
    company = owner.post(COMPANIES, {"name": "C"}).json["id"]
    for moment in ("2026-03-29T21:59:00Z", "2026-03-29T22:01:00Z"):
        owner.post(DEALS, {"name": "d", "companyId": company, "expectedCloseAt": moment})
    asked = {"group": [{"field": "expectedCloseAt", "by": "week"}], "timeZone": "Europe/Berlin"}
    rows = owner.post(f"{DEALS}/_aggregate", asked).json["data"]
    assert [row["group"]["expectedCloseAt"] for row in rows] == [
        "2026-03-23T00:00:00.000+01:00", "2026-03-30T00:00:00.000+02:00",
    ]  # fmt: skip


@pytest.mark.parametrize("unit", ["hour", "day", "week", "month", "quarter", "year"])
def test_moments_at_the_ends_of_time_break_no_sum(cast, unit):
    owner = cast.user()
    company = owner.post(COMPANIES, {"name": "C"}).json["id"]
    for moment in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "1880-05-05T00:00:00Z"):
        owner.post(DEALS, {"name": "d", "companyId": company, "expectedCloseAt": moment})
    for zone in ("America/New_York", "Asia/Tokyo", "Europe/Berlin", "UTC"):
        answer = owner.get(f"{DEALS}/_aggregate?group=expectedCloseAt:{unit}&timeZone={zone}")
        assert answer.status_code == 200, answer.json
        found = [row["group"]["expectedCloseAt"] for row in answer.json["data"]]
        assert (len(found), found[-1]) == (2, None)
        assert re.fullmatch(r".*(Z|[+-]\d\d:\d\d)", found[0])


def test_every_time_zone_is_known_to_the_database(owner):
    for zone in sorted(available_timezones())[::40]:
        answer = owner.get(f"{DEALS}/_aggregate", query_string={"group": "createdAt:day", "timeZone": zone})
        assert answer.status_code == 200, (zone, answer.json)
    assert owner.get(f"{DEALS}/_aggregate?group=createdAt:day&timeZone=localtime").status_code == 400


def test_the_sum_of_one_number_is_that_number(cast):
    owner = cast.user()
    Workshop(cast, owner).make(AnalyticsInsight, value=0.12345678901234567)
    sums = owner.get("/api/v1/analytics/insight/_aggregate?sum=value&avg=value&max=value").json["data"][0]
    assert {sums[name]["value"] for name in ("sum", "avg", "max")} == {0.12345678901234566}


@pytest.mark.parametrize("by", [["month"], {}, 5, None])
def test_a_unit_that_is_none_is_refused(owner, by):
    answer = owner.post(f"{DEALS}/_aggregate", {"group": [{"field": "createdAt", "by": by}]})
    assert (answer.status_code, answer.json["code"]) == (400, "INVALID_FIELDS")
