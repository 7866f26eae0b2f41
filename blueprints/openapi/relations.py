"""Relations in the OpenAPI document: the members that ``expand`` adds to records, and conditions along one relation."""

from __future__ import annotations

from typing import Any

from app.engine.declare import relations
from app.engine.declare.record import Field, Record
from app.engine.declare.relations import Relation
from app.runtime.turns import yield_if_overdue
from blueprints.openapi.queries import equality, filterable

# Names the model of a member that ``expand`` adds.
RELATED = "x-related"


def add_related(schemas: dict[str, Any], models: list[type[Record]]) -> None:
    """Say in the schema of each record which members ``expand`` adds to it."""
    for model in models:
        yield_if_overdue()
        if (record := schemas.get(model.__name__)) is not None:
            related = {name: _related(each) for name, each in relations.of(model).items()}
            schemas[model.__name__] = {**record, "properties": {**record["properties"], **related}}


def _related(relation: Relation) -> dict[str, Any]:
    target = {"$ref": f"#/components/schemas/{relation.target.__name__}"}
    said = {"readOnly": True, "description": "There where `expand` names it.", RELATED: relation.target.__name__}
    if relation.many:
        return {"type": "array", "items": target, **said}
    return {"anyOf": [target, {"type": "null"}], **said}


def related_parameters(model: type[Record]) -> list[str]:
    """By name the parameters for what is equal in the record that a relation leads to; a body asks all else.

    Relations to many would be hundreds for some models, and a method in Java takes no more than 255 parameters."""
    return [_component(relation, field) for relation, field in _one_hop(model)]


def components(models: list[type[Record]]) -> dict[str, dict[str, Any]]:
    """The parameters that the lists of ``models`` refer to."""
    found = {}
    for model in models:
        yield_if_overdue()
        for relation, field in _one_hop(model):
            found[_component(relation, field)] = equality(field, f"{relation.name}.{field.name}")
    return {"parameters": found}


def _component(relation: Relation, field: Field) -> str:
    return f"{relation.target.__name__}.{relation.name}.{field.name}"


def _one_hop(model: type[Record]) -> list[tuple[Relation, Field]]:
    """The relations to one record with the fields there. Generators write names together: `company.id` would meet
    `companyId`, which asks the same."""
    taken = {each.name for each in filterable(model)}
    return [
        (relation, field)
        for relation in relations.of(model).values()
        if not relation.many
        for field in filterable(relation.target)
        if f"{relation.name}{field.name[0].upper()}{field.name[1:]}" not in taken
    ]
