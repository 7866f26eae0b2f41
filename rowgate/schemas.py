"""Schemas of what routes read and write, for marshmallow: those of models, and fields for others."""

from blueprints.http.base import load
from schemas.derive import create_schema, read_schema, update_schema
from schemas.fields import Email, Flag, Identifier, Items, Json, Moment, Number, Strings, Text, Url, Whole, WireSchema

__all__ = [  # noqa: RUF022
    "WireSchema", "read_schema", "create_schema", "update_schema", "load",
    "Text", "Email", "Url", "Identifier", "Whole", "Number", "Flag", "Moment", "Json", "Items", "Strings",
]  # fmt: skip
