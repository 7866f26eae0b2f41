"""Sums over the records of a list, in the OpenAPI document: what asks for them, and what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.engine.declare.kind import LISTS, Operator
from app.engine.read.aggregates import Function
from app.engine.read.spans import OPERATORS, Interval

TEXT = {"type": "string"}
OBJECT = {"type": "object", "additionalProperties": True}
GROUP = {
    "type": "object",
    "properties": {"field": {"type": "string"}, "by": {"type": "string", "enum": list(Interval)}},
    "required": ["field"],
    "additionalProperties": False,
}
FIELDS = {"type": "array", "items": {"type": "string"}}
SUM_QUERY = {
    "type": "object",
    "properties": {
        "where": OBJECT,
        "search": {"type": "string"},
        "group": {"type": "array", "maxItems": 3, "items": {"anyOf": [{"type": "string"}, GROUP]}},
        "measures": {
            "type": "object",
            "properties": {str(each): {"type": "boolean"} if each == "count" else FIELDS for each in Function},
            "additionalProperties": False,
        },
        "sort": {"type": "array", "items": {"type": "string"}},
        "take": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100},
        "timeZone": {"type": "string"},
    },
    "additionalProperties": False,
}
SUMS = {
    "type": "object",
    "description": "Groups of records with their measures. A measure of fields is an object by field.",
    "properties": {
        "data": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "group": OBJECT,
                    **{str(each): {"type": "integer"} if each == "count" else OBJECT for each in Function},
                },
                "required": ["group"],
            },
        },
        "meta": {
            "type": "object",
            "properties": {"take": {"type": "integer"}, "more": {"type": "boolean"}},
            "required": ["take", "more"],
        },
    },
    "required": ["data", "meta"],
}


def of_spans(units: Sequence[Interval]) -> dict[str, Any]:
    """Return the schema of a condition on the span that a date or a timestamp lies in."""
    several = {"type": "array", "items": TEXT, "minItems": 1}
    properties: dict[str, Any] = {"by": {"type": "string", "enum": list(units)}}
    properties |= {each: several if each in LISTS else TEXT for each in OPERATORS}
    properties[Operator.IS_NULL] = {"type": "boolean"}
    return {"type": "object", "properties": properties, "required": ["by"], "additionalProperties": False}
