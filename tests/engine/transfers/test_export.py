"""Exports of every model: in each format, to each caller, what a plain GET of the same records shows, and no more."""

from __future__ import annotations

import csv
import io

import orjson
import pytest

from app.engine.declare.catalogue import every_model
from app.engine.declare.fields import FILTERABLE
from app.engine.declare.kinds import Enum
from app.engine.declare.scope import Rule
from app.testing.workshop import Workshop

MODELS = [model for model in every_model() if not model.has_custom_routes]
every = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.qualified_name())
RISKY = ("=", "+", "-", "@", "\t", "\r", "'")


@pytest.fixture(scope="module")
def callers(cast):
    """The owner of some records, those who share some with them, and those who share nothing."""
    owner = cast.user()
    return {
        "owner": owner, "colleague": cast.colleague(owner), "stranger": cast.user(), "admin": cast.admin,
        "anonymous": cast.anonymous, "reading key": cast.key(owner, "read"),
    }  # fmt: skip


@pytest.fixture(scope="module")
def workshop(cast, callers):
    return Workshop(cast, callers["owner"])


def made(model, workshop):
    """The ids of a few records, of which the public ones are everybody's to see."""
    found = [workshop.make(model)["id"]]
    ((name, values),) = (model.policy.scope.public or {"": [""]}).items()
    if name and model.policy.create is not Rule.NONE and model.fields()[name].spec.writable:
        found.append(workshop.make(model, **{model.fields()[name].name: values[0]})["id"])
    return found


def public_of(model):
    """The condition with which a list takes in public rows of others."""
    for name, values in (model.policy.scope.public or {}).items():
        field = model.fields()[name]
        if FILTERABLE in field.spec.flags:
            yield {field.name: str(values[0]).lower()}


def shown(actor, model, asked):
    """The records that a list answers, each as a plain GET shows it."""
    path = model.collection_path()
    response = actor.get(path, query_string={**asked, "take": "1000"})
    if response.status_code != 200:
        return None
    items = [actor.get(f"{path}/{each['id']}") for each in response.json["data"]]
    assert {each.status_code for each in items} <= {200}
    return [orjson.loads(each.data) for each in items]


def exported(actor, model, **asked):
    return actor.get(f"{model.collection_path()}/_export", query_string=asked)


@every
def test_every_format_holds_what_plain_requests_show_to_each_caller(model, workshop, callers):
    ids = ",".join(made(model, workshop))
    seen = {}
    for name, actor in callers.items():
        for asked in ({"id[in]": ids}, *({"id[in]": ids, **public} for public in public_of(model))):
            expected = shown(actor, model, asked)
            answers = {form: exported(actor, model, **asked, **{"as": form}) for form in ("csv", "ndjson", "json")}
            if expected is None:
                assert {each.status_code for each in answers.values()} == {403}, name
                continue
            seen[name] = seen.get(name, 0) + len(expected)
            assert orjson.loads(answers["json"].data) == expected, name
            assert [orjson.loads(line) for line in answers["ndjson"].data.splitlines()] == expected, name
            compare(model, list(csv.DictReader(io.StringIO(answers["csv"].text, newline=""))), expected)
    assert seen["admin"] > 0


def compare(model, rows, records):
    fields = {field.name: field for field in model.fields().values()}
    assert len(rows) == len(records)
    for row, record in zip(rows, records, strict=True):
        assert record.keys() <= row.keys()
        for name, cell in row.items():
            assert same(fields[name].spec.kind, cell, record.get(name)), (name, cell, record.get(name))


def same(kind, cell, value):
    if value is None:
        return cell == ""
    if isinstance(value, bool):
        return cell == str(value).lower()
    if isinstance(value, str) and kind.name != "json":
        return cell == (
            f"'{value}" if value.startswith(RISKY) and kind.is_text and not isinstance(kind, Enum) else value
        )
    return orjson.loads(cell) == value


@every
def test_an_export_holds_the_rows_of_the_list_in_their_order(model, workshop, callers):
    made(model, workshop)
    for name in ("owner", "stranger", "anonymous"):
        listed, cursor = [], ""
        while cursor is not None:
            page = callers[name].get(model.collection_path(), query_string={"cursor": cursor, "take": "1000"})
            if page.status_code != 200:
                break
            listed += [each["id"] for each in page.json["data"]]
            cursor = (page.json.get("meta") or page.json)["next"]
        if page.status_code != 200:
            continue
        found = exported(callers[name], model, **{"as": "json", "fields": "id"}).json
        assert [each["id"] for each in found] == listed, name


@every
def test_no_export_without_a_credential_or_by_another_verb(model, cast, callers):
    assert exported(cast.nobody, model).status_code == 401
    assert callers["owner"].post(f"{model.collection_path()}/_export").status_code == 405
