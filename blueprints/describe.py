"""The OpenAPI description of generic routes, derived from the declarations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.engine.policy import Rule, SessionOnly
from app.engine.record import Record
from blueprints.base import Blueprint
from blueprints.examples import example, record_example
from schemas.queries import MAX_SKIP, filters_of

SUMMARIES = {
    "list": "List {plural}, newest first",
    "create": "Create {article} {noun}",
    "read": "Read {article} {noun}",
    "update": "Change {article} {noun}",
    "delete": "Delete {article} {noun}",
}
ERRORS = {
    "list": (400, 401, 403, 429, 500, 503),
    "create": (400, 401, 403, 409, 413, 415, 429, 500, 503),
    "read": (400, 401, 403, 404, 429, 500, 503),
    "update": (400, 401, 403, 404, 409, 413, 415, 429, 500, 503),
    "delete": (400, 401, 403, 404, 409, 429, 500, 503),
}


def document_operation(blp: Blueprint, model: type[Record], operation: str, operation_id: str) -> Callable[[Any], Any]:
    """Document one generic operation of ``model``."""
    document: dict[str, Any] = {
        "operationId": operation_id,
        "summary": summary(model, operation),
        "description": access_text(model, operation),
        "x-access": getattr(model.policy, operation).value,
        "responses": {status: error_reference(model, status) for status in ERRORS[operation]},
    }
    if operation == "list":
        document["parameters"] = window_parameters() + filter_parameters(model)
    if operation in ("create", "update"):
        body = {"application/json": {"example": example(model, operation)}}
        document["requestBody"] = {"content": body}
    status = 201 if operation == "create" else 200
    if operation in ("create", "read", "update"):
        document["responses"][status] = {"content": {"application/json": {"example": record_example(model)}}}
    return blp.doc(**document)


def error_reference(model: type[Record], status: int) -> dict[str, str]:
    family = "GuideError" if model.guide else "Error"
    return {"$ref": f"#/components/responses/{family}{status}"}


def summary(model: type[Record], operation: str) -> str:
    noun = f"{model.domain} {model.segment.replace('-', ' ')}"
    article = "an" if noun[0] in "aeiou" else "a"
    plural = noun if noun.endswith(("data", "s")) else f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return SUMMARIES[operation].format(noun=noun, article=article, plural=plural)


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


def window_parameters() -> list[dict[str, Any]]:
    return [
        {
            "name": "take",
            "in": "query",
            "description": "How many records to answer at most, up to the maximum that the service sets.",
            "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 20},
        },
        {
            "name": "skip",
            "in": "query",
            "description": "How many records to leave out from the start.",
            "schema": {"type": "integer", "minimum": 0, "maximum": MAX_SKIP, "default": 0},
        },
    ]


def filter_parameters(model: type[Record]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "query",
            "description": f"Only records with this {name}.",
            "schema": field.spec.kind.json_schema(),
        }
        for name, field in filters_of(model).items()
    ]
