"""What all models share, shown on each of them: create, read back, change, filter, list, delete.

A module of tests takes it all, and names its models:

    from app.testing.every_model import *  # noqa: F403

    MODELS = [Task, Project]

``EXCEPT`` may say why a test is not for a model: ``{("test_every_plain_field_can_be_changed_alone", Task): "why"}``.
"""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from app.engine.declare.fields import ADMIN_READS, FILTERABLE, IMMUTABLE, READ_ONLY, UNLISTED
from app.engine.declare.kind import Operator
from app.engine.declare.kinds import Enum
from app.engine.declare.record import Field, Record
from app.engine.declare.scope import Rule
from app.engine.declare.structures import Json
from app.testing.cast import Actor
from app.testing.workshop import GUARDED, Workshop, kept

__all__ = [
    "test_a_deleted_record_is_gone_and_a_second_delete_finds_nothing",
    "test_a_field_that_is_not_filterable_is_refused_as_a_filter",
    "test_a_read_only_or_immutable_field_cannot_get_another_value",
    "test_a_record_keeps_every_field_it_was_made_with",
    "test_a_record_made_from_the_required_fields_reads_back_equal",
    "test_a_record_that_was_read_may_be_sent_back_and_nothing_changes",
    "test_an_id_that_is_no_uuid_is_not_found",
    "test_every_plain_field_can_be_changed_alone",
    "test_lists_filter_by_every_filterable_field",
    "test_lists_leave_out_what_only_the_single_record_has",
    "test_refused_verbs_answer_405_with_what_is_allowed",
]

Model = type[Record]


def item(model: Model, record: dict[str, Any]) -> str:
    return f"{model.collection_path()}/{record['id']}"


def reader_of(model: Model, workshop: Workshop) -> Actor:
    """Who can see and change all of the model's fields."""
    by_admin = Rule.ADMIN in (model.policy.create, model.policy.update, model.policy.list)
    return workshop.cast.admin if by_admin else workshop.owner


@pytest.mark.creatable
def test_a_record_made_from_the_required_fields_reads_back_equal(model: Model, workshop: Workshop) -> None:
    made = workshop.make(model)

    assert workshop.maker(model).get(item(model, made)).get_json() == made


@pytest.mark.creatable
def test_a_record_keeps_every_field_it_was_made_with(model: Model, workshop: Workshop) -> None:
    body = workshop.body(model, full=True)
    workshop.make_room(model)

    response = workshop.maker(model).post(model.collection_path(), body)

    assert response.status_code == 201, response.get_json()
    for name, sent in kept(model, body).items():
        if name in response.get_json() and not is_free(model, name):
            assert response.get_json()[name] == sent, name


@pytest.mark.creatable
def test_a_record_that_was_read_may_be_sent_back_and_nothing_changes(model: Model, workshop: Workshop) -> None:
    if model.policy.update is Rule.NONE:
        pytest.skip("has no update")
    made = workshop.make(model)
    actor = reader_of(model, workshop)

    response = actor.put(item(model, made), actor.get(item(model, made)).get_json())

    assert response.status_code == 200, response.get_json()
    assert response.get_json()["updatedAt"] == made["updatedAt"]


@pytest.mark.creatable
def test_a_read_only_or_immutable_field_cannot_get_another_value(model: Model, workshop: Workshop) -> None:
    if model.policy.update is Rule.NONE:
        pytest.skip("has no update")
    made = workshop.make(model)
    actor = reader_of(model, workshop)
    stored = actor.get(item(model, made)).get_json()

    for field in model.fields().values():
        fixed = field.spec.flags & {READ_ONLY, IMMUTABLE} and field.name in stored
        if not fixed or field.attribute in ("created_at", "updated_at"):
            continue
        other = different(field, stored[field.name])
        response = actor.put(item(model, made), {field.name: other})
        assert response.status_code == 400, (field.name, other, response.get_json())
    assert actor.get(item(model, made)).get_json() == stored


@pytest.mark.creatable
def test_every_plain_field_can_be_changed_alone(model: Model, workshop: Workshop) -> None:
    if model.policy.update is Rule.NONE:
        pytest.skip("has no update")
    values = workshop.body(model, full=True)
    made = workshop.make(model)
    actor = reader_of(model, workshop)
    skipped = {*model.transitions, *GUARDED.get(model, ())}
    for name, sent in values.items():
        field = next(each for each in model.fields().values() if each.name == name)
        plain = field.spec.access == "normal" and not field.references and field.column is not None
        if plain and field.attribute not in skipped and not is_free(model, name):
            response = actor.put(item(model, made), {name: sent})
            assert response.status_code == 200, (name, response.get_json())
            assert response.get_json().get(name, sent) == kept(model, {name: sent})[name], name


@pytest.mark.creatable
def test_lists_filter_by_every_filterable_field(model: Model, workshop: Workshop) -> None:
    made = workshop.make(model)
    actor = workshop.maker(model)
    stored = actor.get(item(model, made)).get_json()

    for field in model.fields().values():
        value = stored.get(field.name)
        takes = FILTERABLE in field.spec.flags and Operator.EQ in field.spec.kind.operators
        if not takes or value is None or isinstance(value, list):
            continue
        asked = orjson.dumps({field.name: {"eq": value}}).decode()
        sent = {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
        query = {"where": asked} if isinstance(value, dict) else {field.name: sent}
        listed = actor.get(model.collection_path(), query_string={**query, "take": 1000})
        assert listed.status_code == 200, (field.name, listed.get_json())
        assert made["id"] in [row["id"] for row in listed.get_json()["data"]], field.name
        assert all(row[field.name] == value for row in listed.get_json()["data"]), field.name


def test_a_field_that_is_not_filterable_is_refused_as_a_filter(model: Model, workshop: Workshop) -> None:
    for field in model.fields().values():
        if field.spec.readable and FILTERABLE not in field.spec.flags and ADMIN_READS not in field.spec.flags:
            response = workshop.cast.admin.get(model.collection_path(), query_string={field.name: "x"})
            assert response.status_code == 400, field.name
            assert model.legacy_envelope or response.get_json()["code"] == "INVALID_FILTER"


@pytest.mark.creatable
def test_lists_leave_out_what_only_the_single_record_has(model: Model, workshop: Workshop) -> None:
    made = workshop.make(model)
    listed = workshop.maker(model).get(model.collection_path(), query_string={"id": made["id"]}).get_json()["data"][0]

    assert set(made) - set(listed) == {field.name for field in model.fields().values() if UNLISTED in field.spec.flags}


@pytest.mark.creatable
def test_a_deleted_record_is_gone_and_a_second_delete_finds_nothing(model: Model, workshop: Workshop) -> None:
    if model.policy.delete is Rule.NONE:
        pytest.skip("is not removed")
    made = workshop.make(model)
    actor = workshop.remover(model)

    first, second = actor.delete(item(model, made)), actor.delete(item(model, made))

    assert first.status_code == 200, first.get_json()
    assert first.get_json() == (made if model.legacy_envelope else {"id": made["id"], "deleted": True})
    assert (second.status_code, actor.get(item(model, made)).status_code) == (404, 404)


def test_an_id_that_is_no_uuid_is_not_found(model: Model, workshop: Workshop) -> None:
    for wrong in ("x", "1", "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e1", "%00", "é", "0192f0c17a507c3e9d0a5b1f6f2d8e11"):
        response = workshop.owner.get(f"{model.collection_path()}/{wrong}")
        assert response.status_code in (404, 403), (wrong, response.get_json())


def test_refused_verbs_answer_405_with_what_is_allowed(model: Model, workshop: Workshop) -> None:
    paths = {"create": ("POST", ""), "update": ("PUT", "/x"), "delete": ("DELETE", "/x")}
    for operation, (method, suffix) in paths.items():
        if getattr(model.policy, operation) is Rule.NONE:
            response = workshop.owner.send(method, model.collection_path() + suffix, json={})
            assert response.status_code == 405
            assert "GET" in response.headers["Allow"]
            assert response.get_json()["code"] == "METHOD_NOT_ALLOWED"


def is_free(model: Model, name: str) -> bool:
    """Tell whether a field has whatever JSON a plugin makes of what is sent."""
    return any(isinstance(each.spec.kind, Json) for each in model.fields().values() if each.name == name)


def different(field: Field, value: Any) -> Any:
    """Another value of the same type."""
    kind = field.spec.kind.name
    if isinstance(field.spec.kind, Enum):
        return next(each for each in field.spec.kind.values if each != value)
    if kind == "boolean":
        return not value
    if kind in ("integer", "number"):
        bounds = field.spec.kind.constraints
        return bounds.get("minimum", 7) if value != bounds.get("minimum", 7) else bounds.get("maximum", 8)
    if kind == "timestamp":
        return "2020-02-02T02:02:02.000Z"
    if kind == "array<string>":
        return [] if value else list(field.spec.kind.constraints.get("items", ["x"]))[:1]
    if kind == "json":
        return [1] if field.spec.kind.constraints.get("shape") == "array" else {"other": 1}
    if field.references or field.attribute == "id":
        return "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"
    return "zzz@example.com" if field.spec.kind.constraints.get("format") == "email" else "other"
