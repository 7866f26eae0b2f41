"""Bookings that do not meet, invoices without gaps, names of their own."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

from asking import BOAT, BOOKINGS, EUR, INVOICES, ITEMS, POTSDAM, at, names
from rental.models import RentalBooking
from sqlalchemy import text

from app.engine.write import broken_rules
from rowgate import driver_connection
from rowgate.testing import transaction


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
