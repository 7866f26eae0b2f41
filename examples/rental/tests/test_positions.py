"""The order of a catalogue, in which an item is moved by one request."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from uuid import uuid4

import pytest
from asking import BOAT, EUR, ITEMS, names

from app.engine.write.placing import spread


@pytest.fixture
def shelf(item):
    return {name: item(name=name) for name in "abcd"}


def order(owner):
    return "".join(names(owner.get(ITEMS, query_string={"sort": "rank", "take": 100})))


def move(owner, item, place):
    return owner.put(f"{ITEMS}/{item['id']}", {"rank": place})


def test_a_new_record_stands_last_and_several_as_they_were_sent(owner, shelf):
    assert [each["rank"] for each in shelf.values()] == ["1", "2", "3", "4"]
    assert owner.post(ITEMS, [BOAT | {"name": name} for name in "ef"]).status_code == 201
    assert order(owner) == "abcdef"


@pytest.mark.parametrize(
    ("moved", "place", "wanted"),
    [("d", "first", "dabc"), ("a", "last", "bcda"), ("d", "before:b", "adbc"), ("a", "after:c", "bcad"),
     ("b", "after:a", "abcd"), ("b", "before:c", "abcd"), ("c", "before:a", "cabd"), ("b", "after:d", "acdb")],
)  # fmt: skip
def test_one_request_moves_one_record(owner, shelf, moved, place, wanted):
    where, _, neighbor = place.partition(":")
    answer = move(owner, shelf[moved], f"{where}:{shelf[neighbor]['id']}" if neighbor else where)
    assert answer.status_code == 200, answer.json
    assert order(owner) == wanted
    others = [owner.get(f"{ITEMS}/{each['id']}").json for name, each in shelf.items() if name != moved]
    assert others == [each for name, each in shelf.items() if name != moved]


def test_a_record_is_made_in_its_place_and_several_move_in_one_request(owner, item, shelf):
    item(name="x", rank=f"after:{shelf['a']['id']}")
    assert order(owner) == "axbcd"
    after = f"after:{shelf['a']['id']}"
    moves = [{"id": shelf[name]["id"], "rank": after} for name in "cd"]
    assert owner.put(ITEMS, moves).status_code == 200
    assert order(owner) == "adcxb"
    chained = [{"id": shelf["c"]["id"], "rank": "first"}, {"id": shelf["d"]["id"], "rank": f"after:{shelf['c']['id']}"}]
    answer = owner.put(ITEMS, chained)
    assert answer.json["details"]["items"] == [
        {"index": 1, "code": "VALIDATION_ERROR", "fields": {"rank": ["Names a record that moves in the same request."]}}
    ]
    assert order(owner) == "adcxb"


def test_what_names_no_place_is_refused(cast, owner, item, shelf):
    foreign = cast.user()
    theirs = foreign.post(ITEMS, {"name": "theirs", "dailyPrice": EUR, "published": True}).json
    gone = "Names no other record of this list."
    form = "Is none of first, last, before:{id} and after:{id}, and no position that was read."
    for place, said in (
        (f"after:{theirs['id']}", gone), (f"before:{uuid4()}", gone), (f"after:{shelf['a']['id']}", gone),
        ("middle", form), ("after:x", form), (f"after:{'-' * 36}", form), ("1e9", form), (3, form), ("9" * 200, form),
    ):  # fmt: skip
        answer = move(owner, shelf["a"], place)
        assert (answer.status_code, answer.json["details"]["fields"]) == (400, {"rank": [said]}), place
    assert order(owner) == "abcd"


def test_a_record_that_was_read_is_sent_back_and_a_position_as_it_was(owner, shelf):
    again = owner.put(f"{ITEMS}/{shelf['b']['id']}", shelf["b"])
    assert (again.status_code, again.json) == (200, shelf["b"])
    assert move(owner, shelf["b"], "3.5").json["rank"] == "3.5"
    assert order(owner) == "acbd"


def test_hundreds_of_moves_into_one_gap_keep_the_order(owner, shelf):
    first, second = shelf["a"], shelf["b"]
    for _ in range(400):
        first, second = second, first
        assert move(owner, second, f"after:{shelf['c']['id']}").status_code == 200
    found = order(owner)
    assert found.index("c") + 1 == found.index(second["name"])
    assert found in ("cabd", "cbad")
    # They were numbered anew before a number had more than a hundred digits.
    assert max(len(owner.get(f"{ITEMS}/{each['id']}").json["rank"]) for each in shelf.values()) < 110


def test_moves_at_once_leave_no_two_in_one_place(owner, item, shelf):
    made = [item(name=f"n{number}") for number in range(12)]
    after = f"after:{shelf['a']['id']}"
    with ThreadPoolExecutor(6) as pool:
        assert {each.status_code for each in pool.map(lambda each: move(owner, each, after), made)} == {200}
    ranks = [each["rank"] for each in owner.get(ITEMS, query_string={"take": 100}).json["data"]]
    assert len(set(ranks)) == len(ranks)


def test_numbers_between_two_are_short_and_there_is_always_one():
    low, high = Decimal(1), Decimal(2)
    for _ in range(300):
        (found,) = spread(low, high, 1)
        assert low < found < high
        low, high = (low, found) if len(str(found)) % 2 else (found, high)
    assert len(str(found)) < 110
    assert [spread(None, None, 2), spread(Decimal("2.5"), None, 2), spread(None, Decimal("2.5"), 2)] == [
        [1, 2], [4, 5], [0, 1],
    ]  # fmt: skip
    many = spread(low, high, 1000)
    assert sorted(set(many)) == many
    assert low < many[0] < many[-1] < high


def test_a_thousand_records_go_to_one_place_in_one_request(owner, item, shelf):
    given = [BOAT | {"name": f"n{number}", "rank": f"after:{shelf['a']['id']}"} for number in range(1000)]
    assert owner.post(f"{ITEMS}?return=minimal", given).status_code == 201
    found = [each["name"] for each in owner.get(ITEMS, query_string={"sort": "rank", "take": 1000}).json["data"]]
    assert found[:4] == ["a", "n999", "n998", "n997"]
    assert len({each["rank"] for each in owner.get(ITEMS, query_string={"take": 1000}).json["data"]}) == 1000


def test_large_numbers_are_no_end_of_a_list(owner, item, shelf):
    assert move(owner, shelf["d"], "9" * 15).status_code == 200
    for longer in ("9" * 16, "1" + "0" * 29, f"1.{'0' * 40}1"):
        assert move(owner, shelf["a"], longer).status_code == 400
    assert move(owner, shelf["a"], "last").json["rank"] == "1" + "0" * 15
    after = f"after:{shelf['a']['id']}"
    assert owner.post(ITEMS, [BOAT | {"name": name, "rank": after} for name in "ef"]).status_code == 201
    assert order(owner) == "bcdafe"
