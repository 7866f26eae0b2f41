"""The OpenAPI description of generic routes, derived from the declarations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.engine.declare.policy import Rule, SessionOnly
from app.engine.declare.record import Record
from app.engine.write.plan import MAX_RECORDS
from app.engine.write.upserts import rules_of
from blueprints.base import JSON
from blueprints.describe_queries import OF_EXPORTS, OF_LISTS, OF_SUMS, condition_parameters
from blueprints.describe_relations import related_parameters
from blueprints.examples import example, record_example
from schemas.derive import create_schema, read_schema
from schemas.queries import MAX_SKIP

SUMMARIES = {
    "list": "List {plural}, newest first",
    "create": "Create {article} {noun}",
    "read": "Read {article} {noun}",
    "update": "Change {article} {noun}",
    "delete": "Delete {article} {noun}",
}
ERRORS = {
    "list": (400, 401, 403, 429, 500, 503),
    "create": (400, 401, 403, 409, 413, 415, 422, 429, 500, 503),
    "read": (400, 401, 403, 404, 429, 500, 503),
    "update": (400, 401, 403, 404, 409, 412, 413, 415, 422, 428, 429, 500, 503),
    "delete": (400, 401, 403, 404, 409, 412, 422, 428, 429, 500, 503),
}
PARAMETERS = {
    "create": ("idempotencyKey", "return"),
    "read": ("fields", "expand", "ifNoneMatch"),
    "update": ("idempotencyKey", "ifMatch"),
    "delete": ("idempotencyKey", "ifMatch"),
}


def document_operation(model: type[Record], operation: str, operation_id: str) -> dict[str, Any]:
    """Return the description of one generic operation of ``model``."""
    document: dict[str, Any] = {
        "operationId": operation_id,
        "summary": summary(model, operation),
        "description": access_text(model, operation),
        "x-access": getattr(model.policy, operation).value,
        "responses": {status: error_reference(model, status) for status in ERRORS[operation]},
    }
    if operation == "list":
        document["parameters"] = [*window_parameters(), *OF_LISTS, *condition_parameters(model)]
        document["parameters"] += related_parameters(model)
    if operation != "list":
        document["parameters"] = list(PARAMETERS[operation])
    if operation in ("create", "update"):
        body = {"example": example(model, operation)}
        document["requestBody"] = {"content": {"application/json": body}, "required": True}
    status = 201 if operation == "create" else 200
    if operation in ("create", "read", "update"):
        document["responses"][status] = {"content": {"application/json": {"example": record_example(model)}}}
    if operation == "create":
        _describe_many(model, document)
    return document


def _describe_many(model: type[Record], document: dict[str, Any]) -> None:
    """Add to what is said of making a record that the body may be an array, and what is answered then; and by which
    unique rules records are merged, where the model has any that callers can name."""
    one, many = create_schema(model), written_forms(model)
    item = schema_reference(f"{model.__name__}CreateItem")
    several = {"type": "array", "items": item, "minItems": 1, "maxItems": MAX_RECORDS}
    document["description"] += " Takes an array of records as well, and answers `{data, meta}` then."
    document["requestBody"]["content"]["application/json"]["schema"] = {"oneOf": [one, several]}
    forms = [read_schema(model), many[0], schema_reference("WrittenVersion"), many[1]]
    document["responses"][201]["content"]["application/json"]["schema"] = {"oneOf": forms}
    if rules := rules_of(model):
        document["x-upsert"] = rules
        document["parameters"] += ["onConflict", "resolution"]
        # Generators that know one answer to an operation alone take that of the lowest status: all forms are in both.
        merged = {"application/json": {"schema": {"oneOf": forms}}}
        document["responses"][200] = {"description": "Merged: no record was new", "content": merged}


def written_forms(model: type[Record]) -> list[dict[str, str]]:
    """What writes of many records answer: the records, or with ``return=minimal`` their ids and versions."""
    return [schema_reference(f"{model.__name__}Written"), schema_reference("WrittenVersions")]


QUERIES = {
    "query": "List {plural} by a query in the body",
    "aggregate": "Sum up {plural}",
    "queryAggregate": "Sum up {plural} by a query in the body",
    "export": "Export {plural}",
}


def document_query(model: type[Record], operation: str, operation_id: str) -> dict[str, Any]:
    """Return the description of one of the operations that ask of the list of ``model``."""
    statuses = ERRORS["list"] if operation == "aggregate" else (*ERRORS["list"], 413, 415)
    document: dict[str, Any] = {
        "operationId": operation_id,
        "summary": summary(model, operation),
        "description": access_text(model, "list"),
        "x-access": model.policy.list.value,
        "responses": {status: error_reference(model, status) for status in statuses},
    }
    if operation == "aggregate":
        document["parameters"] = list(OF_SUMS)
        document["description"] += " Takes the conditions of the list, operators included."
    else:
        schema, asked = ("SumQuery", SUMS_ASKED) if operation == "queryAggregate" else (f"{model.__name__}Query", ASKED)
        body = {"schema": schema_reference(schema), "example": asked}
        document["requestBody"] = {"required": True, "content": {"application/json": body}}
    answered = "Sums" if operation != "query" else f"{model.__name__}{'GuideList' if model.guide else 'List'}"
    found = {"schema": schema_reference(answered)}
    document["responses"][200] = {"description": "OK", "content": {"application/json": found}}
    return document


def document_export(model: type[Record], operation_id: str, content_types: Sequence[str]) -> dict[str, Any]:
    """Return the description of the export of ``model``, which comes as one of ``content_types``."""
    said = "All of the list as a file, with the fields of single records. Takes the conditions of the list."
    found: dict[str, Any] = {each: {"schema": {"type": "string", "format": "binary"}} for each in content_types}
    found[JSON]["schema"] = {"type": "array", "items": schema_reference(model.__name__)}
    name = {"description": "The name of the file.", "schema": {"type": "string"}}
    answered = {"description": "OK", "headers": {"Content-Disposition": name}, "content": found}
    return {
        "operationId": operation_id,
        "summary": summary(model, "export"),
        "description": f"{access_text(model, 'list')} {said}",
        "parameters": list(OF_EXPORTS),
        "responses": {**{status: error_reference(model, status) for status in ERRORS["list"]}, 200: answered},
        "x-access": model.policy.list.value,
    }


ASKED = {"where": {"createdAt": {"gte": "2026-01-01T00:00:00.000Z"}}, "sort": ["-createdAt"], "take": 20}
SUMS_ASKED = {"group": [{"field": "createdAt", "by": "month"}], "measures": {"count": True}}


def error_reference(model: type[Record], status: int) -> dict[str, str]:
    family = "GuideError" if model.guide else "Error"
    return {"$ref": f"#/components/responses/{family}{status}"}


def schema_reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def summary(model: type[Record], operation: str) -> str:
    one, many = noun(model)
    article = "an" if one[0] in "aeiou" else "a"
    return (SUMMARIES | QUERIES)[operation].format(noun=one, article=article, plural=many)


def noun(model: type[Record]) -> tuple[str, str]:
    """What summaries call one record of ``model``, and many."""
    one = f"{model.domain} {model.segment.replace('-', ' ')}"
    return one, one if one.endswith(("data", "s")) else f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"


def access_text(model: type[Record], operation: str) -> str:
    """Who may do it, in words."""
    rule = getattr(model.policy, operation)
    who = {
        Rule.SCOPE: "",
        Rule.MANAGERS: "For managers of the organization.",
        Rule.OWNERS: "For owners of the organization.",
        Rule.ADMIN: "For platform admins.",
    }[rule]
    session = model.policy.session_only
    if session is SessionOnly.ALL or (session is SessionOnly.WRITES and operation not in ("list", "read")):
        who = f"{who} Needs a session token.".strip()
    note = f" Note: {model.operations_note}." if model.operations_note else ""
    return f"{model.model_summary()} {who}".strip() + note


def window_parameters(most: int = 1000) -> list[dict[str, Any]]:
    """The parameters of a page of at most so many records."""
    return [
        {
            "name": "take",
            "in": "query",
            "description": "How many records to answer at most, up to the maximum that the service sets.",
            "schema": {"type": "integer", "minimum": 1, "maximum": most, "default": 20},
        },
        {
            "name": "skip",
            "in": "query",
            "description": "How many records to leave out from the start.",
            "schema": {"type": "integer", "minimum": 0, "maximum": MAX_SKIP, "default": 0},
        },
    ]
