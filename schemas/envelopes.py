"""Envelopes around records: list pages and delete results."""

from __future__ import annotations

from functools import cache
from typing import Any

from marshmallow import fields, validate

from app.engine.declare.record import Record
from schemas.derive import read_schema, schema_of
from schemas.fields import WireSchema

COUNTED = ("exact", "atLeast", "none")


class ListMeta(WireSchema):
    """The window of a list: ``count`` rows match and are visible, ``take`` after ``skip`` were asked for. With a cursor
    ``next`` is that of the page that follows. ``counted`` says how the count was made, if one was asked for;
    ``versions`` has the version of each record by its id, if they were. A list that a search ranks says whether it is
    ``degraded``: by words alone, as the question came to no vector."""

    count = fields.Integer(required=True)
    take = fields.Integer(required=True)
    skip = fields.Integer(required=True)
    next = fields.String(allow_none=True)
    counted = fields.String(validate=validate.OneOf(COUNTED))
    versions = fields.Dict(keys=fields.String(), values=fields.Integer())
    degraded = fields.Boolean()


class Deleted(WireSchema):
    """The id of a record that is gone."""

    id = fields.String(required=True)
    deleted = fields.Boolean(required=True)


@cache
def list_schema(model: type[Record]) -> WireSchema:
    """``{data, meta}`` around records of ``model``."""
    return schema_of(
        f"{model.__name__}List",
        {
            "data": fields.List(fields.Nested(read_schema(model)), required=True),
            "meta": fields.Nested(ListMeta, required=True),
        },
    )


@cache
def guide_list_schema(model: type[Record]) -> WireSchema:
    """``{data, total, page, pageSize, hasMore}`` around records of ``model``, as the generation guide has it."""
    declared: dict[str, fields.Field[Any]] = {
        "data": fields.List(fields.Nested(read_schema(model)), required=True),
        "total": fields.Integer(required=True),
        "page": fields.Integer(required=True),
        "pageSize": fields.Integer(required=True),
        "hasMore": fields.Boolean(required=True),
        "next": fields.String(allow_none=True),
        "counted": fields.String(validate=validate.OneOf(COUNTED)),
        "versions": fields.Dict(keys=fields.String(), values=fields.Integer()),
        "degraded": fields.Boolean(),
    }
    return schema_of(f"{model.__name__}GuideList", declared)
