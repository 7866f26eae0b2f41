"""The schema field of each kind: how a value of it is read from a body, with its bounds. Kinds that are not listed here
read their values themselves."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from marshmallow import ValidationError, validate
from marshmallow.fields import Field

from app.engine.declare import kinds, shapes, structures
from app.engine.declare.kind import Identifier, Kind
from schemas import fields

ONE_OF = "Must be one of: {choices}."


class Pattern(validate.Regexp):
    """A regular expression for the whole value: no line break slips in behind the end."""

    def __call__(self, value: Any) -> Any:
        if self.regex.fullmatch(value) is None:
            raise ValidationError(self.error)
        return value


@singledispatch
def field_of(kind: Kind, **options: Any) -> Field[Any]:
    """The schema field of ``kind``; ``options`` are those of marshmallow."""
    return fields.Value(kind, **options)


@field_of.register
def _(kind: kinds.String, **options: Any) -> Field[Any]:
    checks: list[Any] = _lengths(kind.min, kind.max)
    if kind.pattern:
        checks.append(Pattern(kind.pattern, error="Has a form that is not allowed."))
    made = {"email": fields.Email, "url": fields.Url}.get(kind.format, fields.Text)
    return made(validate=checks, **options)


@field_of.register
def _(kind: kinds.LongText, **options: Any) -> Field[Any]:
    return fields.Text(validate=_lengths(kind.min, kind.max), **options)


@field_of.register
def _(kind: kinds.Integer, **options: Any) -> Field[Any]:
    return fields.Whole(validate=validate.Range(kind.min, kind.max), **options)


@field_of.register
def _(kind: kinds.Number, **options: Any) -> Field[Any]:
    return fields.Number(validate=[] if kind.min is None else [validate.Range(kind.min, kind.max)], **options)


@field_of.register
def _(kind: kinds.Boolean, **options: Any) -> Field[Any]:
    return fields.Flag(**options)


@field_of.register
def _(kind: kinds.Timestamp, **options: Any) -> Field[Any]:
    return fields.Moment(**options)


@field_of.register
def _(kind: structures.Grants, **options: Any) -> Field[Any]:
    return fields.Grants(max_bytes=kind.max_bytes, **options)


@field_of.register
def _(kind: structures.Json, **options: Any) -> Field[Any]:
    return fields.Json(shape=kind.shape, max_bytes=kind.max_bytes or structures.DEFAULT_MAX_BYTES, **options)


@field_of.register
def _(kind: shapes.Shaped, **options: Any) -> Field[Any]:
    return fields.Shaped(kind, **options)


@field_of.register
def _(kind: structures.Embedded, **options: Any) -> Field[Any]:
    return fields.Embedded(**options)


@field_of.register
def _(kind: kinds.Strings, **options: Any) -> Field[Any]:
    each: list[Any] = [validate.Length(max=kind.item_max)] if kind.item_max else []
    if kind.items:
        each = [validate.OneOf(kind.items, error=ONE_OF)]
    return fields.Strings(each=each, validate=_lengths(kind.min_items, kind.max_items), **options)


@field_of.register
def _(kind: structures.Vector, **options: Any) -> Field[Any]:
    return fields.Vector(**options)


@field_of.register
def _(kind: kinds.Enum, **options: Any) -> Field[Any]:
    return fields.Text(validate=validate.OneOf(kind.values, error=ONE_OF), **options)


@field_of.register
def _(kind: Identifier, **options: Any) -> Field[Any]:
    return fields.Identifier(**options)


def _lengths(low: int, high: int) -> list[validate.Length]:
    return [validate.Length(min=low or None, max=high or None)] if low or high else []
