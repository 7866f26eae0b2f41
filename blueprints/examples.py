"""An example for every body, made from the declarations; tests use the same ones as a start."""

from __future__ import annotations

from typing import Any

from app.engine.record import Field, Record
from schemas.derive import create_schema, read_schema

EXAMPLE_ID = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"
STAMPS = {"createdAt": "2027-01-01T09:00:00.000Z", "updatedAt": "2027-01-01T09:00:00.000Z"}
USER = {"id": EXAMPLE_ID, "name": "Ada", "email": "ada@example.com", "image": None, "emailVerified": False, **STAMPS}
TEXTS = {
    "firstName": "Ada",
    "lastName": "Lovelace",
    "email": "ada@example.com",
    "name": "Harbour Works",
    "title": "Quarterly plan",
    "currency": "USD",
    "slug": "harbour-works",
    "key": "new-feature",
    "website": "https://example.com",
    "contentBase64": "SGVsbG8=",
    "filename": "hello.txt",
    "contentType": "text/plain",
    "value": "42",
}


def example(model: type[Record], operation: str) -> dict[str, Any]:
    """A body for ``operation``: the required fields on create, a few that can change on update."""
    fields = model.fields()
    if operation == "create":
        required = [name for name, field in create_schema(model).fields.items() if field.required]
        return {fields[name].name: value_of(model, fields[name]) for name in required}
    changeable = [field for field in fields.values() if field.wire.access == "normal" and field.column is not None]
    plain = [field for field in changeable if not field.references and field.attribute not in model.transitions]
    return {field.name: value_of(model, field) for field in plain[:2]}


def record_example(model: type[Record]) -> dict[str, Any]:
    """A record as it is answered."""
    fields = model.fields()
    return {fields[name].name: value_of(model, fields[name]) for name in read_schema(model).fields}


def value_of(model: type[Record], field: Field) -> Any:
    """A value that ``field`` takes."""
    kind, bounds = field.wire.type, field.wire.constraints
    if field.references or field.attribute == "id":
        return EXAMPLE_ID
    if kind.startswith("enum["):
        return kind[5:-1].split(",")[0]
    if kind.startswith("array"):
        return list(bounds.get("items", ["text"]))[:1]
    if kind in ("integer", "number"):
        return max(bounds.get("minimum", 1), min(1, bounds.get("maximum", 1)))
    if kind in ("string", "text"):
        return _text(model, field)
    return {
        "boolean": True,
        "timestamp": "2027-01-31T09:00:00.000Z" if field.name.endswith("End") else "2027-01-01T09:00:00.000Z",
        "json": [] if bounds.get("shape") == "array" else {},
        "vector": [0.1, 0.2, 0.3],
    }[kind]


def _text(model: type[Record], field: Field) -> str:
    bounds = field.wire.constraints
    if bounds.get("format") == "url":
        return "https://example.com/page"
    text = TEXTS.get(field.name, "Example text")
    if field.name == "name" and bounds.get("pattern"):
        text = "example.name" if model.domain == "analytics" else "files"
    return text[: bounds.get("maxLength") or None]
