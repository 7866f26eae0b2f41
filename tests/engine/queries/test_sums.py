"""Sums over a list: groups, measures and time zones."""

from __future__ import annotations

import pytest

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
