"""Examples of bodies, derived from the declarations; the description and the tests use them."""

from __future__ import annotations

from typing import Any

from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.kinds import LongText, String, Timestamp
from app.engine.declare.record import Field, Record
from schemas.derive import create_schema, read_schema

LATER = "2027-01-31T09:00:00.000Z"
STAMPS = {"createdAt": "2027-01-01T09:00:00.000Z", "updatedAt": "2027-01-01T09:00:00.000Z"}
USER = {"id": EXAMPLE_ID, "name": "Ada", "email": "ada@example.com", "image": None, "emailVerified": False, **STAMPS}
QUERY_EXAMPLE = {"where": {"createdAt": {"gte": "2026-01-01T00:00:00.000Z"}}, "sort": ["-createdAt"], "take": 20}
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
    changeable = [field for field in fields.values() if field.spec.access == "normal" and field.column is not None]
    plain = [field for field in changeable if not field.references and field.attribute not in model.transitions]
    return {field.name: value_of(model, field) for field in plain[:2]}


def record_example(model: type[Record]) -> dict[str, Any]:
    """A record as it is answered."""
    fields = model.fields()
    return {fields[name].name: value_of(model, fields[name]) for name in read_schema(model).fields if name in fields}


def value_of(model: type[Record], field: Field) -> Any:
    """A value that ``field`` takes."""
    kind = field.spec.kind
    if isinstance(kind, String | LongText):
        return _text(model, field, kind)
    # Periods end after they began.
    return LATER if isinstance(kind, Timestamp) and field.name.endswith("End") else kind.example()


def _text(model: type[Record], field: Field, kind: String | LongText) -> str:
    if isinstance(kind, String) and kind.format == "url":
        return str(kind.example())
    text = TEXTS.get(field.name, str(kind.example()))
    if field.name == "name" and isinstance(kind, String) and kind.pattern:
        text = "example.name" if model.domain == "analytics" else "files"
    return text[: kind.max or None]
