"""What a rental does beyond what all models share: values of every kind, bookings that do not meet, invoices without
gaps."""

from __future__ import annotations

import csv
import io
import json
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from rental.models import RentalBooking, RentalInvoice, RentalItem
from sqlalchemy import text

from app.engine.write import broken_rules
from rowgate import driver_connection
from rowgate.testing import transaction

ITEMS, BOOKINGS, INVOICES = (model.collection_path() for model in (RentalItem, RentalBooking, RentalInvoice))
EUR = {"amount": "12.50", "currency": "EUR"}
BOAT = {"name": "An old boat", "dailyPrice": EUR}
BERLIN, POTSDAM, SUVA, NADI = (
    {"lat": 52.52, "lng": 13.405}, {"lat": 52.3906, "lng": 13.0645}, {"lat": -18.1416, "lng": 178.4419},
    {"lat": -17.7765, "lng": -179.9},
)  # fmt: skip

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
    "shortest": (
        "PT90M", "PT1H30M", "P1DT12H", ["1h", "P1M", "P1Y", "PT", "P", "-PT1H", "P40000D", 5400],
    ),
}  # fmt: skip
ORDERED = ("dailyPrice", "weightKg", "boughtOn", "opensAt", "shortest")


@pytest.fixture
def item(owner):
    def make(**values):
        made = owner.post(ITEMS, BOAT | values)
        assert made.status_code == 201, made.json
        return made.json

    return make


@pytest.fixture
def book(owner):
    def send(item, start, end, actor=owner, **values):
        return actor.post(BOOKINGS, {"itemId": item["id"], "startsAt": at(start), "endsAt": at(end)} | values)

    return send


def at(day):
    return f"2027-03-{day:02}T09:00:00.000Z"


def names(answer):
    assert answer.status_code == 200, answer.json
    return [each["name"] for each in answer.json["data"]]


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
    made = item(**values)
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
    (copy,) = other.get(ITEMS, query_string={"fields": ",".join(KINDS)}).json["data"]
    assert {name: copy[name] for name in KINDS} == {name: made[name] for name in KINDS}


def test_history_shows_values_as_records_do_and_takes_them_back(owner, item):
    made = item(**{name: sent for name, (sent, _, _, _) in KINDS.items()})
    others = {name: other for name, (_, _, other, _) in KINDS.items()}
    path = f"{ITEMS}/{made['id']}"
    owner.patch(path, others)
    change = owner.get(f"{path}/_history").json["data"][0]
    assert change["before"] == {name: kept for name, (_, kept, _, _) in KINDS.items()}
    assert change["after"] == others
    assert owner.get(path, query_string={"asOf": made["createdAt"]}).json == made
    back = owner.post(f"{path}/_revert", {"version": 1})
    assert {name: back.json[name] for name in KINDS} == {name: made[name] for name in KINDS}


def test_two_bookings_of_one_item_do_not_meet(item, book):
    boat, bike = item(), item()
    assert book(boat, 1, 3).status_code == 201
    assert book(boat, 3, 4).status_code == 201  # one ends as the next begins
    assert book(bike, 1, 3).status_code == 201
    taken = book(boat, 2, 5)
    assert (taken.status_code, taken.json["code"]) == (409, "OVERLAP")
    assert set(taken.json["details"]["fields"]) == {"itemId", "startsAt", "endsAt"}


def test_what_is_cancelled_leaves_its_time_free(owner, item, book):
    boat = item()
    first = book(boat, 1, 3).json
    assert owner.patch(f"{BOOKINGS}/{first['id']}", {"state": "cancelled"}).status_code == 200
    assert book(boat, 1, 3).status_code == 201


def test_a_booking_that_is_moved_keeps_clear_of_the_others(owner, item, book):
    boat = item()
    first, second = book(boat, 1, 3).json, book(boat, 5, 7).json
    assert owner.patch(f"{BOOKINGS}/{second['id']}", {"startsAt": at(2)}).json["code"] == "OVERLAP"
    assert owner.patch(f"{BOOKINGS}/{second['id']}", {"startsAt": at(3)}).status_code == 200
    assert owner.patch(f"{BOOKINGS}/{first['id']}", {"endsAt": at(2)}).status_code == 200


def test_two_bookings_change_places_in_one_request(owner, item, book):
    boat = item()
    first, second = book(boat, 1, 3).json, book(boat, 5, 7).json
    moved = [
        {"id": first["id"], "startsAt": at(5), "endsAt": at(7)},
        {"id": second["id"], "startsAt": at(1), "endsAt": at(3)},
    ]  # fmt: skip
    assert owner.put(BOOKINGS, moved).status_code == 200
    moved = [{"id": first["id"], "endsAt": at(8)}, {"id": second["id"], "endsAt": at(6)}]
    refused = owner.put(BOOKINGS, moved)
    assert (refused.status_code, refused.json["code"]) == (409, "OVERLAP")
    assert owner.get(f"{BOOKINGS}/{first['id']}").json["endsAt"] == at(7)


def test_of_an_array_the_one_that_breaks_a_rule_is_named(owner, item):
    boat = item()

    def bookings(*days):
        return [{"itemId": boat["id"], "startsAt": at(start), "endsAt": at(end)} for start, end in days]

    def broken(answer):
        return [(each["index"], each["code"], sorted(each["fields"])) for each in answer.json["details"]["items"]]

    fields = ["endsAt", "itemId", "startsAt"]
    assert broken(owner.post(BOOKINGS, bookings((1, 3), (4, 6), (2, 5)))) == [(2, "OVERLAP", fields)]
    assert owner.post(BOOKINGS, bookings((1, 3))).status_code == 201
    assert broken(owner.post(BOOKINGS, bookings((4, 6), (2, 3), (7, 8)))) == [(1, "OVERLAP", fields)]
    assert len(owner.get(BOOKINGS).json["data"]) == 1
    items = [BOAT, BOAT | {"opensAt": "19:00"}, BOAT | {"closesAt": "07:00"}]
    assert broken(owner.post(ITEMS, items)) == [
        (1, "VALIDATION_ERROR", ["closesAt"]),
        (2, "VALIDATION_ERROR", ["closesAt"]),
    ]


def test_a_check_says_at_its_field_what_is_wrong(owner, item, book):
    refused = owner.post(ITEMS, BOAT | {"opensAt": "19:00"})
    assert refused.json["details"]["fields"] == {"closesAt": ["Must be after opensAt."]}
    made = item()
    assert owner.patch(f"{ITEMS}/{made['id']}", {"closesAt": "08:00"}).status_code == 400


def test_of_fifty_bookings_at_once_one_holds(owner, item, book):
    boat = item()
    with ThreadPoolExecutor(10) as pool:
        statuses = [each.status_code for each in pool.map(lambda _: book(boat, 1, 3), range(50))]
    assert (statuses.count(201), statuses.count(409)) == (1, 49)


def test_numbers_of_an_organization_have_no_gaps(cast, owner):
    other = cast.user()
    total = {"dueOn": "2027-04-01", "total": EUR}
    wrong = total | {"bookingId": "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"}
    with ThreadPoolExecutor(10) as pool:
        sent = [(actor, body) for actor in (owner, other) for body in [total, wrong] * 25]
        list(pool.map(lambda each: each[0].post(INVOICES, each[1]), sent))
    assert owner.post(INVOICES, [total, wrong]).status_code == 400
    assert owner.post(INVOICES, [total] * 3).status_code == 201
    for actor, count in ((owner, 28), (other, 25)):
        rows = actor.get(INVOICES, query_string={"sort": "number", "take": 100}).json["data"]
        assert [each["number"] for each in rows] == list(range(1, count + 1))
    assert owner.post(INVOICES, total | {"number": 99}).status_code == 400


def test_numbers_go_on_behind_rows_that_have_come_in_another_way(app, owner):
    total = {"dueOn": "2027-04-01", "total": EUR}
    assert owner.post(INVOICES, total).json["number"] == 1
    moved = "UPDATE rental_invoice SET number = 7 WHERE organization_id = :id"
    with app.app_context(), transaction() as session:
        session.execute(text(moved), {"id": owner.organization_id})
    assert [owner.post(INVOICES, total).json["number"] for _ in range(2)] == [8, 9]


def test_items_are_found_by_their_price_and_place_in_an_import(owner, item):
    boat = item(dailyPrice={"amount": "77.70", "currency": "EUR"}, location=POTSDAM)
    for head, cell in (("item.dailyPrice", "77.70 EUR"), ("item.location", "52.3906,13.0645")):
        day = 1 if head == "item.location" else 5
        file = f'{head},startsAt,endsAt\n"{cell}",{at(day)},{at(day + 1)}\n'.encode()
        options = {"query_string": {"as": "csv"}, "data": file, "headers": {"Content-Type": "text/csv"}}
        answer = owner.send("POST", f"{BOOKINGS}/_import", **options)
        assert answer.status_code in (200, 201), answer.json
    assert {each["itemId"] for each in owner.get(BOOKINGS).json["data"]} == {boat["id"]}


def test_of_an_array_what_ends_before_it_begins_hides_no_overlap(app, owner, item):
    boat = item()
    spans = ((1, 3), (2, 4), (9, 8))
    sent = [{"itemId": boat["id"], "startsAt": at(begin), "endsAt": at(end)} for begin, end in spans]
    refused = owner.post(BOOKINGS, sent)
    assert refused.status_code in (400, 409), refused.json
    sql = broken_rules._statement(RentalBooking, "ex_rental_booking_item_id_starts_at_ends_at")
    rows = [{"record_index": n, "id": str(uuid4()), "item_id": boat["id"], "starts_at": at(b), "ends_at": at(e),
             "state": "reserved"} for n, (b, e) in enumerate(spans)]  # fmt: skip
    with app.app_context(), transaction() as session:
        found = driver_connection(session).execute(sql, {"rows": json.dumps(rows)}).fetchall()
    assert found == [(1,)]


COPIES = """
INSERT INTO rental_item (id, created_at, updated_at, organization_id, name, slug, published, daily_price, manual,
    opens_at, closes_at, shortest)
SELECT gen_random_uuid(), created_at, updated_at, organization_id, name, 'long' || n, published, daily_price, manual,
    opens_at, closes_at, shortest
FROM rental_item, generate_series(1, 30000) AS n WHERE organization_id = :id
"""


def test_a_sum_that_is_too_long_is_refused(app, owner, item):
    item(shortest="P36500D")
    with app.app_context(), transaction() as session:
        session.execute(text(COPIES), {"id": owner.organization_id})
    answer = owner.get(f"{ITEMS}/_aggregate", query_string={"sum": "shortest"})
    assert (answer.status_code, answer.json["code"]) == (400, "INVALID_FIELDS")


def test_a_slug_follows_the_name_once_and_is_nobody_elses(owner, item):
    first, second = item(name="A red Boat"), item(name="A red boat")
    assert first["slug"] == "a-red-boat"
    assert second["slug"].startswith("a-red-boat-")
    assert item(name="Über, größer & ŵider!")["slug"] == "uber-groer-wider"
    assert item(name="船")["slug"] == "record"
    assert owner.patch(f"{ITEMS}/{first['id']}", {"name": "A new boat"}).json["slug"] == "a-red-boat"
    assert owner.post(ITEMS, BOAT | {"slug": "a-red-boat"}).json["code"] == "UNIQUE_VIOLATION"
    assert owner.post(ITEMS, BOAT | {"slug": "An old boat"}).status_code == 400
    assert owner.post(ITEMS, [BOAT] * 20).status_code == 201
    both = [BOAT | {"name": "A blue boat"}, BOAT | {"name": "A blue boat", "slug": "a-blue-boat"}]
    made = owner.send("POST", ITEMS, json=both, query_string={"onConflict": "slug"})
    assert [each["slug"] == "a-blue-boat" for each in made.json["data"]] == [False, True]


def test_a_booking_has_its_price_by_days(item, book):
    assert book(item(), 1, 3).json["price"] == {"amount": "25.00", "currency": "EUR"}


def test_what_is_worked_out_is_filtered_sorted_and_grouped_by(owner, item, book):
    short, long = book(item(), 1, 2).json, book(item(), 3, 9).json
    assert (short["days"], long["days"]) == (1, 6)

    def ids(**query):
        answer = owner.get(BOOKINGS, query_string=query)
        assert answer.status_code == 200, answer.json
        return [each["id"] for each in answer.json["data"]]

    assert ids(**{"days[gt]": 1}) == [long["id"]]
    assert ids(sort="days") == [short["id"], long["id"]]
    first = owner.get(BOOKINGS, query_string={"sort": "-days", "take": 1, "cursor": ""}).json
    assert ids(sort="-days", take=1, cursor=first["meta"]["next"]) == [short["id"]]
    groups = owner.get(f"{BOOKINGS}/_aggregate", query_string={"group": "days"}).json["data"]
    assert [each["group"]["days"] for each in groups] == [1, 6]
    assert owner.post(BOOKINGS, {"days": 3}).status_code == 400


def test_the_catalogue_is_for_everybody(cast, item):
    item(name="shown", published=True)
    item(name="kept back")
    assert names(cast.anonymous.get(ITEMS, query_string={"published": "true", "name[in]": "shown,kept back"})) == [
        "shown"
    ]
