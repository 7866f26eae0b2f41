"""Read, create and update schemas of a model, derived from its columns and the wire rules that stand on them."""

from __future__ import annotations

from functools import cache
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, validate

from app.engine.fields import (
    ADMIN_READS,
    ADMIN_WRITES,
    HIDDEN,
    IMMUTABLE,
    READ_ONLY,
    RETURNED_ONCE,
    SCOPE_READS,
    UNLISTED,
)
from app.engine.policy import Owner, Rule
from app.engine.record import Field, Record
from schemas.fields import Email, Flag, Identifier, Json, Moment, Nested, Number, Strings, Text, Url, Vector, Whole

FIXED = {"readOnly": True}
PLAIN = {"boolean": Flag, "timestamp": Moment, "vector": Vector}


class WireSchema(Schema):
    """Base of all schemas: unknown fields are refused by name. Instances are shared and never changed, so
    whoever copies documentation deeply gets the same one."""

    class Meta:
        unknown = RAISE
        ordered = True

    error_messages = {"unknown": "Unknown field.", "type": "Must be a JSON object."}

    def __deepcopy__(self, memo: dict[int, Any]) -> WireSchema:
        return self


class Pattern(validate.Regexp):
    """A regular expression for the whole value: no line break slips in behind the end."""

    def __call__(self, value: Any) -> Any:
        if self.regex.fullmatch(value) is None:
            raise ValidationError(self.error)
        return value


@cache
def read_schema(model: type[Record]) -> WireSchema:
    """What an answer holds of a record. Fields that some readers or lists do not get are optional."""
    shown = [each for each in model.fields().values() if each.wire.readable and RETURNED_ONCE not in each.wire.marks]
    declared = {field.attribute: _field(field, required=_always_shown(model, field)) for field in shown}
    for field in shown:
        read = declared[field.attribute]
        fixed = {} if _is_sent(model, field) else FIXED
        # Blank is a rule of what is sent; jobs and providers write what they have.
        read.metadata = {name: value for name, value in read.metadata.items() if name != "blank"} | fixed
    return _schema(model.__name__, declared)


@cache
def create_schema(model: type[Record]) -> WireSchema:
    """What a caller sends to make a record."""
    declared = {}
    for field in model.fields().values():
        if _settable(model, field):
            required = field.required or bool(field.virtual and field.virtual.required)
            declared[field.attribute] = _field(field, required=required)
    return _schema(f"{model.__name__}Create", declared)


@cache
def update_schema(model: type[Record]) -> WireSchema:
    """What a caller sends to change a record: any field of it, as a record that was read may be sent back. Those that
    cannot be changed are marked, and left out of the description."""
    taken = [
        field
        for field in model.fields().values()
        if (field.wire.readable or _settable(model, field)) and not _only_on_create(field)
    ]
    declared = {field.attribute: _field(field, required=False) for field in taken}
    for field in taken:
        if not _changeable(field):
            changed = declared[field.attribute]
            changed.metadata = {**changed.metadata, **FIXED}
    return _schema(f"{model.__name__}Update", declared)


def _schema(name: str, declared: dict[str, fields.Field[Any]]) -> WireSchema:
    made: type[WireSchema] = type(name, (WireSchema,), declared)
    return made()


def _settable(model: type[Record], field: Field) -> bool:
    is_owner = isinstance(model.policy.scope, Owner) and model.policy.scope.column == field.attribute
    return field.wire.writable or (is_owner and field.attribute != "id") or ADMIN_WRITES in field.wire.marks


def _is_sent(model: type[Record], field: Field) -> bool:
    made = model.policy.create is not Rule.NONE and _settable(model, field)
    return made or (model.policy.update is not Rule.NONE and _changeable(field))


def _changeable(field: Field) -> bool:
    fixed = field.wire.marks & {READ_ONLY, IMMUTABLE, HIDDEN} and ADMIN_WRITES not in field.wire.marks
    return field.column is not None and not fixed


def _only_on_create(field: Field) -> bool:
    return (field.virtual is not None and not field.wire.readable) or RETURNED_ONCE in field.wire.marks


def _always_shown(model: type[Record], field: Field) -> bool:
    if field.wire.marks & {ADMIN_READS, SCOPE_READS, UNLISTED}:
        return False
    colleagues = model.policy.scope.co_members if isinstance(model.policy.scope, Owner) else ()
    return not colleagues or field.name in colleagues


def _field(field: Field, *, required: bool) -> fields.Field[Any]:
    wire, bounds = field.wire, field.wire.constraints
    options: dict[str, Any] = {
        "data_key": field.name,
        "required": required,
        "allow_none": field.nullable,
        "metadata": _documentation(field),
        "validate": _validators(field),
    }
    if field.references or field.attribute == "id":
        return Identifier(**options)
    if wire.type.startswith("enum["):
        values = wire.type[5:-1].split(",")
        return Text(**options | {"validate": validate.OneOf(values, error="Must be one of: {choices}.")})
    if wire.type == "json":
        if field.virtual is not None:
            return Nested(**options)
        return Json(shape=bounds.get("shape", ""), max_bytes=bounds.get("maxBytes", 65536), **options)
    if wire.type.startswith("array"):
        return Strings(each=_item_validators(bounds), **options)
    if wire.type in ("integer", "number"):
        return (Whole if wire.type == "integer" else Number)(**options)
    if wire.type in PLAIN:
        return PLAIN[wire.type](**options)
    return {"email": Email, "url": Url}.get(bounds.get("format", ""), Text)(**options)


def _validators(field: Field) -> list[Any]:
    bounds = field.wire.constraints
    checks: list[Any] = []
    if bounds.get("minLength") or bounds.get("maxLength"):
        checks.append(validate.Length(min=bounds.get("minLength") or None, max=bounds.get("maxLength") or None))
    if bounds.get("minItems") or bounds.get("maxItems"):
        checks.append(validate.Length(min=bounds.get("minItems") or None, max=bounds.get("maxItems") or None))
    if "minimum" in bounds:
        checks.append(validate.Range(min=bounds["minimum"], max=bounds["maximum"]))
    if "pattern" in bounds:
        checks.append(Pattern(bounds["pattern"], error="Has a form that is not allowed."))
    return checks


def _item_validators(bounds: dict[str, Any]) -> list[Any]:
    if bounds.get("items"):
        return [validate.OneOf(bounds["items"], error="Must be one of: {choices}.")]
    return [validate.Length(max=bounds["itemMaxLength"])] if bounds.get("itemMaxLength") else []


def _documentation(field: Field) -> dict[str, Any]:
    documented: dict[str, Any] = {}
    if field.wire.note:
        documented["description"] = field.wire.note[0].upper() + field.wire.note[1:] + "."
    if field.references or field.attribute == "id":
        documented["format"] = "uuid"
    if field.required and field.wire.type in ("string", "text") and not field.references:
        documented["blank"] = False
    return documented
