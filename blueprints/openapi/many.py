"""The OpenAPI description of writes of many records."""

from __future__ import annotations

from typing import Any

from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.record import Record
from app.engine.declare.scope import Rule
from app.engine.write.plan import MAX_RECORDS
from blueprints.http.examples import example
from blueprints.openapi.vocabulary import json_answer, json_body, schema_reference, written_forms
from schemas.bulk import MAX_IDS_IN_URL

ALL_OR_NONE = "All or none, in the order given. What is wrong with each record is in `details.items`."
SHARED: dict[str, dict[str, Any]] = {
    "idempotencyKey": {"description": "Does the work once for this key, as the header Idempotency-Key."},
    "ifMatch": {"description": "Only while the record has this version, as the header If-Match."},
    "ifNoneMatch": {"description": "Answers 304 while the representation has this tag, as the header If-None-Match."},
    "return": {
        "description": "Answers the id and version alone, of one record as of each of many.",
        "schema": {"type": "string", "enum": ["minimal"]},
    },
    "onConflict": {"description": "The fields of a unique rule: a record that is there already is merged."},
    "resolution": {
        # Without a default: generated clients send that, and it means nothing without onConflict.
        "description": "What becomes of a record that is there already: merge without it.",
        "schema": {"type": "string", "enum": ["merge", "ignore"]},
    },
    "ids": {"description": f"The ids of at most {MAX_IDS_IN_URL} records, comma-separated; more come in the body."},
    "versions": {
        "description": "Tells the version of each record in `meta.versions`.",
        "schema": {"type": "boolean"},
    },
}  # fmt: skip
MATCHED = {
    "type": "object",
    "properties": {
        "meta": {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]},
    },
    "required": ["meta"],
}  # fmt: skip
DELETED = {
    "type": "object",
    "properties": {
        "data": {"type": "array", "items": {"$ref": "#/components/schemas/Deleted"}},
        "meta": MATCHED["properties"]["meta"],  # type: ignore[index]
    },
    "required": ["data", "meta"],
}
VERSION = {
    "type": "object",
    "description": "What `return=minimal` answers of a record, and what is kept of answers that are too large.",
    "properties": {"id": {"type": "string", "format": "uuid"}, "version": {"type": "integer"}},
    "required": ["id", "version"],
    "additionalProperties": False,
}
IDS = {
    "type": "object",
    "properties": {
        "ids": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MAX_RECORDS},
    },
    "required": ["ids"],
    "additionalProperties": False,
}  # fmt: skip


def update_many(model: type[Record], document: dict[str, Any]) -> None:
    """Describe a change of many records."""
    _say_all_or_none(document)
    document["parameters"] = ["idempotencyKey", "return"]
    items = {
        "type": "array",
        "items": schema_reference(f"{model.__name__}Change"),
        "minItems": 1,
        "maxItems": MAX_RECORDS,
    }
    document["requestBody"] = json_body(items, [{"id": EXAMPLE_ID, "ifMatch": "7", **example(model, "update")}])
    document["responses"][200] = json_answer({"oneOf": written_forms(model)})


def delete_many(model: type[Record], document: dict[str, Any]) -> None:
    """Describe a removal of many records."""
    _say_all_or_none(document)
    document["parameters"] = ["idempotencyKey", "ids"]
    document["requestBody"] = json_body(IDS, {"ids": [EXAMPLE_ID]}) | {"required": False}
    document["responses"][200] = json_answer(schema_reference("DeletedMany"))


def update_matching(model: type[Record], document: dict[str, Any]) -> None:
    """Describe a change of all records that match."""
    named = {"set": schema_reference(f"{model.__name__}Update")}
    _matching(model, document, named, {"set": example(model, "update")})


def delete_matching(model: type[Record], document: dict[str, Any]) -> None:
    """Describe a removal of all records that match."""
    _matching(model, document, {}, {})


def _matching(model: type[Record], document: dict[str, Any], named: dict[str, Any], shown: dict[str, Any]) -> None:
    _say_all_or_none(document)
    document["parameters"] = ["idempotencyKey"]
    asked = {
        "where": schema_reference(f"{model.__name__}Where"),
        "max": {"type": "integer", "minimum": 1, "maximum": MAX_RECORDS},
        **named,
        "timeZone": {"type": "string"},
        "dryRun": {"type": "boolean", "default": False, "description": "Only counts."},
    }
    required = ["where", "max", *named]
    schema = {"type": "object", "properties": asked, "required": required, "additionalProperties": False}
    where = {"createdAt": {"lt": "2026-01-01T00:00:00.000Z"}}
    document["requestBody"] = json_body(schema, {"where": where, "max": 100, "dryRun": True, **shown})
    document["responses"][200] = json_answer(schema_reference("Matched"))


def _say_all_or_none(document: dict[str, Any]) -> None:
    document["description"] = f"{ALL_OR_NONE} {document['description']}"


def components(schemas: dict[str, Any], models: list[type[Record]]) -> dict[str, dict[str, Any]]:
    """The parameters and schemas that these operations refer to; ``schemas`` has those of single records."""
    parameters = {name: {"name": name, "in": "query", "schema": {"type": "string"}, **each} for name, each in
                  SHARED.items()}  # fmt: skip
    found: dict[str, Any] = {"Matched": MATCHED, "DeletedMany": DELETED, "WrittenVersion": VERSION}
    found["WrittenVersions"] = _written("WrittenVersion")
    for model in models:
        if model.policy.update is not Rule.NONE and f"{model.__name__}Update" in schemas:
            found[f"{model.__name__}Change"] = _change(schemas[f"{model.__name__}Update"])
        if model.policy.create is not Rule.NONE and f"{model.__name__}Create" in schemas:
            # By a name of its own: what stands alone and in an array is imported twice by some generators' clients.
            found[f"{model.__name__}CreateItem"] = schemas[f"{model.__name__}Create"]
        found[f"{model.__name__}Written"] = _written(model.__name__)
    return {"parameters": parameters, "schemas": found}


def _change(update: dict[str, Any]) -> dict[str, Any]:
    named = {
        "id": {"type": "string", "format": "uuid"},
        "ifMatch": {"type": "string", "description": "Only while the record has this version."},
    }
    return {**update, "properties": {**update["properties"], **named}, "required": ["id"]}


def _written(name: str) -> dict[str, Any]:
    counts = {name: {"type": "integer"} for name in ("count", "created", "updated", "ignored")}
    return {
        "type": "object",
        "properties": {
            "data": {"type": "array", "items": schema_reference(name)},
            "meta": {"type": "object", "properties": counts, "required": ["count"]},
        },
        "required": ["data", "meta"],
    }
