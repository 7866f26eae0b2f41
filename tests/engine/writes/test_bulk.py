"""Arrays do to every model what as many single requests do, row for row and with the same effects."""

from __future__ import annotations

import pytest

from app.engine.declare.scope import Rule
from tests.engine.writes.twins import CREATABLE, alike, bodies, growth, name_of, twins

creatable = pytest.mark.parametrize("model", CREATABLE, ids=name_of)
changeable = pytest.mark.parametrize("model", [m for m in CREATABLE if m.policy.update is not Rule.NONE], ids=name_of)
DELETABLE = [model for model in CREATABLE if model.policy.delete is not Rule.NONE]
deletable = pytest.mark.parametrize("model", DELETABLE, ids=name_of)


@pytest.fixture
def pair(cast):
    return twins(cast)


def actor_of(shop, model, operation="create"):
    return shop.cast.admin if Rule.ADMIN in (model.policy.create, getattr(model.policy, operation)) else shop.owner


@pytest.fixture
def worlds(pair):
    """For each twin who acts, and what was made before."""

    def make(model, operation):
        found = []
        for shop in pair:
            maker = actor_of(shop, model)
            made = [maker.post(model.collection_path(), body).json for body in bodies(shop, model)]
            found.append((actor_of(shop, model, operation), made))
        return found

    return make


@creatable
@pytest.mark.parametrize("full", [False, True], ids=["required", "full"])
def test_an_array_makes_what_as_many_single_creates_make(app, pair, model, full):
    singly, at_once = ([shop, actor_of(shop, model), bodies(shop, model, full=full)] for shop in pair)
    path = model.collection_path()

    with growth(app) as by_singles:
        answers = [singly[1].post(path, body) for body in singly[2]]
    with growth(app) as by_array:
        answer = at_once[1].post(path, at_once[2])

    assert {each.status_code for each in answers} == {201}, answers[0].json
    assert answer.status_code == 201, answer.json
    assert answer.json["meta"] == {"count": len(answers)}
    assert alike(model, answer.json["data"]) == alike(model, [each.json for each in answers])
    assert by_array == by_singles
    reader = at_once[1]
    assert [reader.get(f"{path}/{each['id']}").json for each in answer.json["data"]] == answer.json["data"]


@changeable
def test_an_array_changes_what_as_many_single_changes_change(app, pair, worlds, model):
    (one, first), (other, second) = worlds(model, "update")
    names = changeable_fields(model)
    values = [{name: values_for(shop, model, name, len(first)) for name in names} for shop in pair]

    with growth(app) as by_singles:
        singly = [change_each(one, model, method, name, first, values[0][name]) for name, method in alternating(names)]
    with growth(app) as by_arrays:
        at_once = [change_all(other, model, method, name, second, values[1][name])
                   for name, method in alternating(names)]  # fmt: skip

    assert at_once == singly
    assert by_arrays == by_singles
    path = model.collection_path()
    assert [version_of(other, path, each) for each in second] == [version_of(one, path, each) for each in first]


def alternating(names):
    return [(name, ("PUT", "PATCH")[place % 2]) for place, name in enumerate(names)]


def change_each(actor, model, method, name, records, values):
    """What came of single changes: the records, or that they were refused."""
    sent = [(f"{model.collection_path()}/{each['id']}", {name: value})
            for each, value in zip(records, values, strict=True)]  # fmt: skip
    answers = [actor.send(method, path, json=body) for path, body in sent]
    first = next((each for each in answers if each.status_code != 200), answers[0])
    return outcome(first, model, name, [each.json for each in answers])


def change_all(actor, model, method, name, records, values):
    sent = [{"id": each["id"], name: value} for each, value in zip(records, values, strict=True)]
    answer = actor.send(method, model.collection_path(), json=sent)
    return outcome(answer, model, name, answer.json.get("data"))


def outcome(answer, model, name, records):
    if answer.status_code != 200:
        return name, answer.status_code, answer.json.get("code")
    return name, 200, alike(model, records)


def changeable_fields(model):
    """The fields that are tried one by one: what may be changed, and some that may not."""
    return [field.name for field in model.fields().values()
            if field.column is not None and not field.references and field.attribute not in ("id", "row_version")
            and field.spec.readable and field.attribute not in ("created_at", "updated_at")]  # fmt: skip


def values_for(shop, model, name, number):
    field = next(each for each in model.fields().values() if each.name == name)
    if name == "position":
        return list(range(number, 2 * number))
    if model.transitions.get(field.attribute):
        return [field.spec.kind.values[-1]] * number
    return [name not in ("isDefault",) or place == 0 if field.spec.kind.name == "boolean" else shop.value(model, field)
            for place in range(number)]  # fmt: skip


def version_of(actor, path, record):
    return actor.get(f"{path}/{record['id']}").headers["ETag"].partition("-")[0]


@deletable
def test_many_are_deleted_as_by_as_many_single_deletes(app, worlds, model):
    (one, first), (other, second) = worlds(model, "delete")
    path, ids = model.collection_path(), [each["id"] for each in second]

    with growth(app) as by_singles:
        answers = [one.delete(f"{path}/{each['id']}") for each in first]
    with growth(app) as at_once:
        named = {"query_string": {"ids": ",".join(ids)}} if DELETABLE.index(model) % 2 else {"json": {"ids": ids}}
        answer = other.delete(path, **named)

    refused = [each for each in answers if each.status_code != 200]
    if refused:
        assert (answer.status_code, answer.json["code"]) == (refused[0].status_code, refused[0].json["code"])
        return
    assert answer.status_code == 200, answer.json
    assert answer.json == {"data": [{"id": each, "deleted": True} for each in ids], "meta": {"count": len(ids)}}
    assert at_once == by_singles
    assert {other.get(f"{path}/{each}").status_code for each in ids} == {404}
