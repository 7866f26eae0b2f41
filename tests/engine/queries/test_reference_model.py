"""Made-up queries of made-up callers over made-up rows: the service answers as the contract in plain Python does."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.queries import asking
from tests.engine.queries.asking import PATIENT
from tests.engine.queries.reference import Reference


def test_lists_answer_as_the_contract_says(known, examples):
    @settings(max_examples=examples, **PATIENT)
    @given(st.data())
    def ask(data):
        caller, model, asked = asking.drawn(data, known, asking.query)
        check_list(known, caller, model, asked, data)

    ask()


def check_list(known, caller, model, asked, data):
    reference, path = Reference(known, caller), model.collection_path()
    found = reference.found(model, asked)
    take, skip = data.draw(st.integers(1, 7)), data.draw(st.integers(0, 3))
    whole = {**asked, "take": take, "skip": skip, "count": "exact"}
    if "expand" not in asked and data.draw(st.booleans()):
        answer = caller.actor.get(path, query_string=asking.as_parameters(whole))
    else:
        answer = caller.actor.post(f"{path}/_query", whole)
    assert answer.status_code == 200, answer.json
    expected = [reference.record(model, row, asked) for row in found[skip : skip + take]]
    assert [cut(record, wanted) for record, wanted in zip(answer.json["data"], expected, strict=True)] == expected
    count = answer.json.get("total", answer.json.get("meta", {}).get("count"))
    assert count == len(found)
    if data.draw(st.booleans()):
        check_walk(caller, path, asked, [str(row["id"]) for row in found], take)


def check_walk(caller, path, asked, expected, take):
    """The pages of a cursor, one after the other, hold every row once."""
    walked, cursor = [], ""
    while cursor is not None:
        answer = caller.actor.send("QUERY", path, json={**asked, "take": take, "cursor": cursor})
        assert answer.status_code == 200, answer.json
        walked += [record["id"] for record in answer.json["data"]]
        cursor = answer.json["next"] if "next" in answer.json else answer.json["meta"]["next"]
        assert len(walked) <= len(expected)
    assert walked == expected


def cut(record, wanted):
    """What of ``record`` the reference knows, and that nothing else of the world's fields is there."""
    if not isinstance(record, dict) or not isinstance(wanted, dict):
        return record
    kept = {name: record[name] for name in wanted if name in record}
    for name, value in kept.items():
        if isinstance(value, dict) and isinstance(wanted[name], dict):
            kept[name] = cut(value, wanted[name])
        elif isinstance(value, list) and isinstance(wanted[name], list) and len(value) == len(wanted[name]):
            kept[name] = [cut(one, other) for one, other in zip(value, wanted[name], strict=True)]
    return kept


def test_sums_answer_as_the_contract_says(known, examples):
    @settings(max_examples=examples // 4, **PATIENT)
    @given(st.data())
    def ask(data):
        caller, model, asked = asking.drawn(data, known, asking.sum_query)
        answer = caller.actor.post(f"{model.collection_path()}/_aggregate", asked)
        assert answer.status_code == 200, answer.json
        measured = asked["measures"].get("sum", [])
        groups = [
            (tuple(row["group"].values()), row["count"], *(row["sum"][name] for name in measured))
            for row in answer.json["data"]
        ]
        expected = Reference(known, caller).sums(model, asked)
        assert sorted(groups, key=repr) == sorted(expected, key=repr)

    ask()
