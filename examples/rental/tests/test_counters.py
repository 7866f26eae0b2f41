"""How often an item is booked, counted by whatever writes bookings."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from asking import BOOKINGS, ITEMS, at
from sqlalchemy import text

from app.schema import change_log
from app.testing.database import transaction


def count(owner, item):
    return owner.get(f"{ITEMS}/{item['id']}").json["bookingCount"]


def test_bookings_are_counted_as_they_come_change_and_go(owner, item, book):
    made, other = item(), item()
    assert made["bookingCount"] == 0
    first = book(made, 1, 2).json
    bookings = [
        {"itemId": each["id"], "startsAt": at(day), "endsAt": at(day + 1)}
        for each, day in ((made, 3), (made, 5), (other, 3))
    ]
    assert owner.post(BOOKINGS, bookings).status_code == 201
    assert (count(owner, made), count(owner, other)) == (3, 1)
    assert owner.put(f"{BOOKINGS}/{first['id']}", {"state": "cancelled"}).status_code == 200
    assert count(owner, made) == 2
    owner.post(f"{BOOKINGS}/_matching/_delete", {"where": {"itemId": made["id"]}, "max": 10})
    assert (count(owner, made), count(owner, other)) == (0, 1)
    (found,) = owner.get(ITEMS, query_string={"bookingCount[gte]": "1", "sort": "-bookingCount"}).json["data"]
    assert found["id"] == other["id"]


def test_a_booking_that_comes_to_nothing_is_not_counted(owner, item, book):
    made = item()
    assert book(made, 1, 3).status_code == 201
    assert book(made, 2, 4).status_code == 409
    assert count(owner, made) == 1


def test_a_count_is_no_version_of_the_item(owner, item, book):
    made = item()
    path = f"{ITEMS}/{made['id']}"
    version = owner.get(path).headers["ETag"].partition("-")[0]
    book(made, 1, 2)
    assert owner.get(path).headers["ETag"].partition("-")[0] == version
    assert owner.get(path).json["updatedAt"] == made["updatedAt"]
    assert len(owner.get(f"{path}/_history").json["data"]) == 1
    assert owner.put(path, {"bookingCount": 7}).status_code == 400


def test_what_is_brought_back_is_counted_once(owner, item, book):
    made = item()
    booked = book(made, 1, 2).json
    book(made, 3, 4)
    owner.delete(f"{BOOKINGS}/{booked['id']}")
    assert owner.post(f"{BOOKINGS}/_deleted/{booked['id']}/_restore").status_code < 300
    assert count(owner, made) == 2
    owner.delete(f"{ITEMS}/{made['id']}")
    assert owner.post(f"{ITEMS}/_deleted/{made['id']}/_restore").status_code < 300
    there = owner.get(BOOKINGS, query_string={"itemId": made["id"]}).json["meta"]["count"]
    assert count(owner, made) == there == 2


def test_many_who_book_at_once_are_all_counted(owner, item, book):
    made, other = item(), item()

    def send(day):
        pair = [made, other] if day % 2 else [other, made]
        asked = [{"itemId": each["id"], "startsAt": at(day), "endsAt": at(day + 1)} for each in pair]
        return owner.post(BOOKINGS, asked).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(send, range(1, 25))) == {201}
    assert (count(owner, made), count(owner, other)) == (24, 24)


def test_a_counter_that_is_declared_for_rows_that_are_there_begins_with_their_number(app, owner, item, book):
    made = item()
    book(made, 1, 2)
    with app.app_context():
        with transaction() as session:
            for end in ("insert", "update", "delete"):
                session.execute(text(f"DROP TRIGGER rowgate_count_rental_item_booking_count_{end} ON rental_booking"))
            session.execute(text("DROP TRIGGER rowgate_count_rental_item_booking_count_zero ON rental_item"))
        book(made, 3, 4)
        assert count(owner, made) == 1
        assert change_log.differences() == ["rental_booking"]
        change_log.install()
        assert change_log.differences() == []
    assert count(owner, made) == 2
    book(made, 5, 6)
    assert count(owner, made) == 3
