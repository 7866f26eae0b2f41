"""The OpenAPI description of writes of many records."""

from __future__ import annotations

from typing import Any

from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.policy import Rule
from app.engine.declare.record import Record
from app.engine.write.plan import MAX_RECORDS
from blueprints.describe import access_text, error_reference, noun, schema_reference, written_forms
from blueprints.examples import example
from schemas.bulk import MAX_IDS_IN_URL

SUMMARIES = {"update": "Change many {plural}", "delete": "Delete many {plural}"}
MATCHING = {"update": "Change the {plural} that match", "delete": "Delete the {plural} that match"}
STATUSES = (400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 500, 503)
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


def document_bulk(model: type[Record], operation: str, endpoint: str) -> dict[str, Any]:
    """Return the description of a change or a removal of many records."""
    document = _document(model, operation, endpoint, SUMMARIES)
    if operation == "update":
        document["parameters"] = ["idempotencyKey", "return"]
        items = {
            "type": "array",
            "items": schema_reference(f"{model.__name__}Change"),
            "minItems": 1,
            "maxItems": MAX_RECORDS,
        }
        shown = [{"id": EXAMPLE_ID, "ifMatch": "7", **example(model, operation)}]
        document["requestBody"] = _body(items, shown)
        document["responses"][200] = _answer({"oneOf": written_forms(model)})
    else:
        document["parameters"] = ["idempotencyKey", "ids"]
        document["requestBody"] = _body(IDS, {"ids": [EXAMPLE_ID]}) | {"required": False}
        document["responses"][200] = _answer(schema_reference("DeletedMany"))
    return document


def document_matching(model: type[Record], operation: str, endpoint: str) -> dict[str, Any]:
    """Return the description of a write about all records that match."""
    document = _document(model, operation, endpoint, MATCHING)
    document["parameters"] = ["idempotencyKey"]
    asked = {
        "where": schema_reference(f"{model.__name__}Where"),
        "max": {"type": "integer", "minimum": 1, "maximum": MAX_RECORDS},
    }
    required = ["where", "max"]
    shown: dict[str, Any] = {"where": {"createdAt": {"lt": "2026-01-01T00:00:00.000Z"}}, "max": 100, "dryRun": True}
    if operation == "update":
        asked["set"], shown["set"] = schema_reference(f"{model.__name__}Update"), example(model, operation)
        required.append("set")
    asked["dryRun"] = {"type": "boolean", "default": False, "description": "Only counts."}
    schema = {"type": "object", "properties": asked, "required": required, "additionalProperties": False}
    document["requestBody"] = _body(schema, shown)
    document["responses"][200] = _answer(schema_reference("Matched"))
    return document


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


def _document(model: type[Record], operation: str, endpoint: str, summaries: dict[str, str]) -> dict[str, Any]:
    return {
        "operationId": endpoint,
        "summary": summaries[operation].format(plural=noun(model)[1]),
        "description": f"{ALL_OR_NONE} {access_text(model, operation)}",
        "x-access": getattr(model.policy, operation).value,
        "responses": {status: error_reference(model, status) for status in STATUSES},
    }


def _body(schema: dict[str, Any], shown: Any) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema, "example": shown}}}


def _answer(schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": "OK", "content": {"application/json": {"schema": schema}}}
