"""Values of every kind: kept, found, compared, summed, taken out and in, and back."""

from __future__ import annotations

import csv
import io
import json

import pytest
from asking import BERLIN, BOAT, EUR, ITEMS, NADI, POTSDAM, SUVA, names
from sqlalchemy import text

from rowgate.testing import transaction

# By field: a value, how it is kept, a greater one (or another), and what is refused.
KINDS = {
    "dailyPrice": (
        {"amount": "12.5", "currency": "EUR"}, EUR, {"amount": "13.00", "currency": "EUR"},
        [12.5, "12.50", {"amount": 12.5, "currency": "EUR"}, {"amount": "1.005", "currency": "EUR"},
         {"amount": "1.5", "currency": "JPY"}, {"amount": "1", "currency": "EURO"}, {"amount": "-1", "currency": "EUR"},
         {"amount": "1"}, {**EUR, "more": 1}, {"amount": "1" * 16, "currency": "EUR"}],
    ),
    "weightKg": ("80.5", "80.500", "100.000", [80.5, "80.5001", "100000", "-1", "1e3", "", "NaN", "0x1", " 1"]),
    "color": ("#0A7D5C", "#0a7d5c", "#ffffff", ["red", "#fff", "#0a7d5g", 1]),
    "madeIn": ("DE", "DE", "FR", ["de", "Germany", "EU", "ZZ", 49]),
    "manual": ("pt-BR", "pt-BR", "de", ["german", "pt_BR", "xx-YY", ""]),
    "boughtOn": (
        "2026-11-23", "2026-11-23", "2026-11-24", ["2026-11-31", "20261123", "23.11.2026", "2026-11-23T00:00:00Z"],
    ),
    "location": (
        BERLIN, BERLIN, POTSDAM,
        [[52, 13], "52,13", {"lat": 91, "lng": 0}, {"lat": 0, "lng": 181}, {"lat": "1", "lng": 1}, {"lat": 1}],
    ),
    "opensAt": ("08:30", "08:30:00", "09:00:00", ["24:00", "8:30", "08:30:00.5", "08:30:00Z"]),
    "tracker": ("2001:DB8::10", "2001:db8::10", "2001:db8::11", ["10.0.0", "10.0.0.0/8", "::1%eth0", "tracker", 1]),
    "trackedIn": ("10.0.0.0/8", "10.0.0.0/8", "192.168.0.0/16", ["10.0.0.1/8", "10.0.0.0/33", "", 10]),
    "shortest": (
        "PT90M", "PT1H30M", "P1DT12H", ["1h", "P1M", "P1Y", "PT", "P", "-PT1H", "P40000D", 5400],
    ),
}  # fmt: skip
ORDERED = ("dailyPrice", "weightKg", "boughtOn", "opensAt", "shortest", "tracker", "trackedIn")


@pytest.mark.parametrize("name", KINDS)
def test_a_value_is_kept_in_its_one_form_and_found_by_it(owner, item, name):
    sent, kept, other, _ = KINDS[name]
    made = item(**{name: sent})
    item(**{name: other})
    assert made[name] == kept
    assert owner.get(f"{ITEMS}/{made['id']}").json[name] == kept
    found = owner.get(ITEMS, query_string={"where": json.dumps({name: {"eq": sent}})}).json["data"]
    assert [each["id"] for each in found] == [made["id"]]
    for operator in ("in", "nin") if name != "location" else ():
        asked = {"where": json.dumps({name: {operator: [sent]}})}
        ids = [each["id"] for each in owner.get(ITEMS, query_string=asked).json["data"]]
        assert (made["id"] in ids) == (operator == "in")


@pytest.mark.parametrize("name", KINDS)
def test_what_is_no_value_is_refused_at_its_field(owner, name):
    for wrong in KINDS[name][3]:
        answer = owner.post(ITEMS, BOAT | {name: wrong})
        assert (answer.status_code, list(answer.json["details"]["fields"])) == (400, [name]), wrong


@pytest.mark.parametrize("name", KINDS)
def test_an_update_that_repeats_a_value_changes_nothing(owner, item, name):
    sent, _, other, _ = KINDS[name]
    made = item(**{name: sent})
    again = owner.put(f"{ITEMS}/{made['id']}", {name: sent})
    assert (again.status_code, again.json["updatedAt"]) == (200, made["updatedAt"])
    assert owner.put(f"{ITEMS}/{made['id']}", {name: other}).json[name] == other


@pytest.mark.parametrize("name", ORDERED)
def test_values_compare_and_sort_by_what_they_mean(owner, item, name):
    less, kept, greater, _ = KINDS[name]
    item(name="greater", **{name: greater})
    item(name="less", **{name: less})
    assert names(owner.get(ITEMS, query_string={"sort": name})) == ["less", "greater"]
    assert names(owner.get(ITEMS, query_string={"sort": f"-{name}"})) == ["greater", "less"]
    for operator, wanted in (("gt", ["greater"]), ("gte", ["greater", "less"]), ("lte", ["less"]), ("lt", [])):
        asked = {"where": json.dumps({name: {operator: kept}}), "sort": "name"}
        assert names(owner.get(ITEMS, query_string=asked)) == wanted
    page = owner.get(ITEMS, query_string={"sort": name, "take": 1, "cursor": ""}).json
    after = owner.get(ITEMS, query_string={"sort": name, "take": 1, "cursor": page["meta"]["next"]})
    assert names(after) == ["greater"]


def test_a_query_parameter_takes_the_short_form(owner, item):
    item(name="here", location=BERLIN, shortest="PT2H")
    item(name="dear", dailyPrice={"amount": "99.00", "currency": "USD"})
    assert names(owner.get(ITEMS, query_string={"dailyPrice": "12.50 EUR"})) == ["here"]
    assert names(owner.get(ITEMS, query_string={"dailyPrice[gte]": "12 EUR"})) == ["here"]
    assert names(owner.get(ITEMS, query_string={"location": "52.52,13.405"})) == ["here"]
    assert names(owner.get(ITEMS, query_string={"shortest[gt]": "PT90M"})) == ["here"]
    for wrong in ({"dailyPrice": "12.50"}, {"location[near]": "52,13"}, {"location[near]": "52,13,-1"}):
        assert owner.get(ITEMS, query_string=wrong).json["code"] == "INVALID_FILTER"


@pytest.mark.parametrize(
    ("near", "found"),
    [("52.5,13.4,5", ["Berlin"]), ("52.5,13.4,40", ["Berlin", "Potsdam"]), ("-18,179.9,160", ["Nadi", "Suva"]),
     ("-18,-179.99,60", ["Nadi"]), ("90,0,4200", ["Berlin", "Potsdam"]),
     ("0,0,20040", ["Berlin", "Nadi", "Potsdam", "Suva"])],
)  # fmt: skip
def test_what_is_near_is_found_across_the_antimeridian_and_the_poles(owner, item, near, found):
    for name, place in (("Berlin", BERLIN), ("Potsdam", POTSDAM), ("Suva", SUVA), ("Nadi", NADI)):
        item(name=name, location=place)
    item(name="nowhere")
    assert names(owner.get(ITEMS, query_string={"location[near]": near, "sort": "name"})) == found
    lat, lng, km = map(float, near.split(","))
    asked = {"where": json.dumps({"location": {"near": {"lat": lat, "lng": lng, "km": km}}}), "sort": "name"}
    assert names(owner.get(ITEMS, query_string=asked)) == found


def test_amounts_are_summed_by_currency_exactly(owner, item):
    for amount, currency in (("0.10", "EUR"), ("0.20", "EUR"), ("5", "JPY")):
        item(dailyPrice={"amount": amount, "currency": currency}, weightKg="0.100", boughtOn="2026-11-23")
    asked = {"group": "dailyPrice", "sum": "dailyPrice,weightKg,shortest", "max": "boughtOn"}
    first, second = owner.get(f"{ITEMS}/_aggregate", query_string=asked).json["data"]
    assert first["group"] == {"dailyPrice": "EUR"}
    assert first["sum"] == {"dailyPrice": "0.30", "weightKg": "0.200", "shortest": "PT2H"}
    assert (second["sum"]["dailyPrice"], second["max"]) == ("5", {"boughtOn": "2026-11-23"})
    alone = owner.get(f"{ITEMS}/_aggregate", query_string={"sum": "dailyPrice"})
    assert (alone.status_code, alone.json["code"]) == (400, "INVALID_FIELDS")


def test_dates_are_grouped_by_day_and_by_spans_of_the_calendar(owner, item):
    for bought in ("2026-11-01", "2026-11-30", "2026-12-01"):
        item(boughtOn=bought)
    by = {"day": "boughtOn", "month": "boughtOn:month"}
    answers = {name: owner.get(f"{ITEMS}/_aggregate", query_string={"group": asked}) for name, asked in by.items()}
    groups = {name: [each["group"]["boughtOn"] for each in answer.json["data"]] for name, answer in answers.items()}
    assert groups == {"day": ["2026-11-01", "2026-11-30", "2026-12-01"], "month": ["2026-11-01", "2026-12-01"]}
    assert owner.get(f"{ITEMS}/_aggregate", query_string={"group": "boughtOn:hour"}).status_code == 400


@pytest.mark.parametrize("form", ["csv", "ndjson", "json"])
def test_every_kind_goes_out_and_comes_back_the_same(cast, owner, item, form):
    values = {name: sent for name, (sent, _, _, _) in KINDS.items()}
    made = item(**values, traits={"seats": 4, "berth": {"harbor": "Spandau"}}, rank="2.5")
    file = owner.get(f"{ITEMS}/_export", query_string={"as": form}).data
    if form == "csv":
        (row,) = csv.DictReader(io.StringIO(file.decode()))
        assert (row["dailyPrice"], row["location"], row["shortest"]) == ("12.50 EUR", "52.52,13.405", "PT1H30M")
    other = cast.user()
    query = {"as": form, "map": "organizationId:,createdAt:,updatedAt:,slug:"}
    types = {"csv": "text/csv", "ndjson": "application/x-ndjson", "json": "application/json"}
    answer = other.send(
        "POST", f"{ITEMS}/_import", query_string=query, data=file, headers={"Content-Type": types[form]}
    )
    assert answer.status_code in (200, 201), answer.json
    kept = [*KINDS, "traits", "rank"]
    (copy,) = other.get(ITEMS, query_string={"fields": ",".join(kept)}).json["data"]
    assert {name: copy[name] for name in kept} == {name: made[name] for name in kept}


def test_history_shows_values_as_records_do_and_takes_them_back(owner, item):
    made = item(**{name: sent for name, (sent, _, _, _) in KINDS.items()})
    others = {name: other for name, (_, _, other, _) in KINDS.items()}
    path = f"{ITEMS}/{made['id']}"
    owner.patch(path, others)
    change = owner.get(f"{path}/_history").json["data"][0]
    assert change["before"] == {name: kept for name, (_, kept, _, _) in KINDS.items()}
    assert change["after"] == others
    kept = {name: value for name, value in made.items() if name not in ("lockCode", "weeklyPrice")}
    assert owner.get(path, query_string={"asOf": made["createdAt"]}).json == kept
    back = owner.post(f"{path}/_revert", {"version": 1})
    assert {name: back.json[name] for name in KINDS} == {name: made[name] for name in KINDS}


COPIES = """
INSERT INTO rental_item (id, created_at, updated_at, organization_id, name, slug, published, daily_price, manual,
    opens_at, closes_at, shortest, traits, rank)
SELECT gen_random_uuid(), created_at, updated_at, organization_id, name, 'long' || n, published, daily_price, manual,
    opens_at, closes_at, shortest, traits, n
FROM rental_item, generate_series(1, 30000) AS n WHERE organization_id = :id
"""


def test_a_sum_that_is_too_long_is_refused(app, owner, item):
    item(shortest="P36500D")
    with app.app_context(), transaction() as session:
        session.execute(text(COPIES), {"id": owner.organization_id})
    answer = owner.get(f"{ITEMS}/_aggregate", query_string={"sum": "shortest"})
    assert (answer.status_code, answer.json["code"]) == (400, "INVALID_FIELDS")
