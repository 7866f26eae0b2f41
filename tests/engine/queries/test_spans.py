"""Conditions and sorts by the spans that sums are grouped by: what a group counts, a list with its condition has."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from tests.engine.queries.conftest import COMPANIES, DEALS

UNITS = ("hour", "day", "week", "month", "quarter", "year")
# Half hours, midnights that are not there or twice, days that are not there.
ZONES = ("UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "America/Havana", "Pacific/Apia")
SWITCHES = ("2026-03-29T00:30:00Z", "2026-10-25T00:30:00Z", "2026-03-08T05:10:00Z", "2026-11-01T04:40:00Z",
            "2026-11-01T05:40:00Z", "2011-12-30T12:00:00Z", "2026-04-04T14:45:00Z", "2026-12-31T23:59:59Z")  # fmt: skip


@pytest.fixture(scope="module")
def dated(cast):
    """Somebody with deals at the edges of spans, and two without a date."""
    owner, chance = cast.user(), Random(7)
    company = owner.post(COMPANIES, {"name": "C"}).json["id"]
    moments = [
        datetime.fromisoformat(switch) + timedelta(minutes=chance.randint(-90, 90))
        for switch in SWITCHES
        for _ in range(4)
    ]
    closing = [None, None, *(each.astimezone(UTC).isoformat().replace("+00:00", "Z") for each in moments)]
    deals = [{"name": f"d{n:02}", "companyId": company, "expectedCloseAt": each} for n, each in enumerate(closing)]
    assert owner.post(DEALS, deals).status_code == 201
    return owner


def found(owner, condition, zone="UTC", **more):
    asked = {"where": json.dumps({"expectedCloseAt": condition}), "timeZone": zone, "take": 100, **more}
    answer = owner.get(DEALS, query_string=asked)
    assert answer.status_code == 200, answer.json
    return [each["name"] for each in answer.json["data"]]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("unit", UNITS)
def test_a_group_and_the_condition_on_its_span_have_the_same_rows(dated, unit, zone):
    asked = {"group": [{"field": "expectedCloseAt", "by": unit}], "timeZone": zone}
    groups = dated.post(f"{DEALS}/_aggregate", asked).json["data"]
    counted = {row["group"]["expectedCloseAt"]: row["count"] for row in groups}
    assert sum(counted.values()) == 34
    for span, count in counted.items():
        assert len(found(dated, {"by": unit, "eq": span}, zone)) == count, span


@pytest.mark.parametrize("unit", ["day", "week", "quarter"])
def test_operators_agree_with_the_order_of_spans(dated, unit):
    rows = dated.post(f"{DEALS}/_aggregate", {"group": [{"field": "expectedCloseAt", "by": unit}]}).json["data"]
    spans = sorted(row["group"]["expectedCloseAt"] for row in rows if row["group"]["expectedCloseAt"])
    of = {span: set(found(dated, {"by": unit, "eq": span})) for span in spans}
    every, empty = set(found(dated, {"isNull": False})), set(found(dated, {"isNull": True}))
    for place, span in enumerate(spans):
        before = set().union(*(of[each] for each in spans[:place]))
        wanted = {
            "lt": before, "lte": before | of[span], "gt": every - before - of[span], "gte": every - before,
            "ne": (every | empty) - of[span],
        }  # fmt: skip
        assert {name: set(found(dated, {"by": unit, name: span})) for name in wanted} == wanted
    first, last = spans[0], spans[-1]
    assert set(found(dated, {"by": unit, "in": [first, last, None]})) == of[first] | of[last] | empty
    assert set(found(dated, {"by": unit, "nin": [first, last]})) == (every | empty) - of[first] - of[last]
    assert set(found(dated, {"by": unit, "nin": [first, None]})) == every - of[first]


def test_a_parameter_names_a_span_by_as_much_of_a_day_as_it_takes(dated):
    def names(**asked):
        answer = dated.get(DEALS, query_string={"take": 100, **asked})
        assert answer.status_code == 200, answer.json
        return sorted(each["name"] for each in answer.json["data"])

    of_2011 = names(**{"expectedCloseAt:year": "2011"})
    assert len(of_2011) == 4
    assert names(**{"expectedCloseAt:month": "2011-12"}) == of_2011
    assert names(**{"expectedCloseAt:quarter[in]": "2011-10,2011-11-05"}) == of_2011
    assert names(**{"expectedCloseAt:year[lte]": "2011-06-06"}) == of_2011
    # That day was left out there.
    assert names(**{"expectedCloseAt:day": "2011-12-30", "timeZone": "Pacific/Apia"}) == []


def test_a_sort_by_spans_leaves_the_order_within_them_to_the_next_key(dated):
    asked = {"sort": "-expectedCloseAt:year,name", "timeZone": "Europe/Berlin", "take": 5, "cursor": ""}
    walked, second = [], dated.get(DEALS, query_string=asked).json["meta"]["next"]
    while True:
        page = dated.get(DEALS, query_string=asked).json
        walked += [(each["expectedCloseAt"], each["name"]) for each in page["data"]]
        asked["cursor"] = page["meta"]["next"]
        if asked["cursor"] is None:
            break

    def year(moment):
        local = datetime.fromisoformat(moment) + timedelta(hours=1)  # in winter
        return -local.year

    kept = sorted((each for each in walked if each[0]), key=lambda each: (year(each[0]), each[1]))
    assert walked == [*kept, *sorted(each for each in walked if each[0] is None)]
    assert len(walked) == 34
    other = dated.get(DEALS, query_string=asked | {"cursor": second, "timeZone": "UTC"})
    assert other.json["code"] == "INVALID_PAGINATION"


@pytest.mark.parametrize(
    ("asked", "code", "place"),
    [
        ({"expectedCloseAt:second": "2026"}, "INVALID_FILTER", "expectedCloseAt:second"),
        ({"name:day": "2026"}, "INVALID_FILTER", "name:day"),
        ({"nope:day": "2026"}, "INVALID_FILTER", "nope:day"),
        ({"expectedCloseAt:hour": "2026-11-23"}, "INVALID_FILTER", "expectedCloseAt:hour"),
        ({"expectedCloseAt:day": "2026-13"}, "INVALID_FILTER", "expectedCloseAt:day"),
        ({"expectedCloseAt:year": "9999"}, "INVALID_FILTER", "expectedCloseAt:year"),
        ({"expectedCloseAt:day[contains]": "2026"}, "INVALID_FILTER", "expectedCloseAt:day[contains]"),
        ({"where": '{"expectedCloseAt": {"by": "day"}}'}, "INVALID_FILTER", "where.expectedCloseAt"),
        ({"where": '{"expectedCloseAt": {"by": ["day"], "eq": "2026"}}'}, "INVALID_FILTER", "where.expectedCloseAt.by"),
        ({"where": '{"expectedCloseAt": {"by": "day", "eq": 2026}}'}, "INVALID_FILTER", "where.expectedCloseAt.eq"),
        ({"where": '{"expectedCloseAt": {"by": "day", "in": []}}'}, "INVALID_FILTER", "where.expectedCloseAt.in"),
        ({"sort": "expectedCloseAt:second"}, "INVALID_SORT", "sort"),
        ({"sort": "name:day"}, "INVALID_SORT", "sort"),
        ({"timeZone": "Mars/Base"}, "INVALID_FIELDS", "timeZone"),
    ],
)  # fmt: skip
def test_what_names_no_span_is_refused(dated, asked, code, place):
    answer = dated.get(DEALS, query_string=asked)
    assert (answer.status_code, answer.json["code"]) == (400, code)
    assert list(answer.json["details"]["fields"]) == [place]
