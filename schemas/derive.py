"""Read, create and update schemas of a model, derived from its fields."""

from __future__ import annotations

from functools import cache
from typing import Any

from marshmallow import fields

from app.engine.declare.fields import ADMIN_READS, RETURNED_ONCE, SCOPE_READS, UNLISTED
from app.engine.declare.kind import Identifier
from app.engine.declare.kinds import LongText, OpenEnum, String
from app.engine.declare.record import Field, Record, Setter
from app.engine.declare.scope import Rule
from schemas.fields import WireSchema
from schemas.kinds import field_of

FIXED = {"readOnly": True}
# No field: lists that a search ranks have it beside those of a record.
SCORE = {"description": "How well it answers: in lists that `searchMode` ranks alone.", "x-ranked": True}


@cache
def read_schema(model: type[Record]) -> WireSchema:
    """What an answer holds of a record. Fields that some readers or lists do not get are optional."""
    shown = [each for each in model.fields().values() if each.spec.readable and RETURNED_ONCE not in each.spec.flags]
    declared = {field.attribute: _field(field, required=_always_shown(model, field)) for field in shown}
    for field in shown:
        read = declared[field.attribute]
        fixed = {} if _is_sent(model, field) else FIXED
        # Blank is a rule of what is sent; jobs and providers write what they have.
        read.metadata = {name: value for name, value in read.metadata.items() if name != "blank"} | fixed
        if isinstance(field.spec.kind, OpenEnum):
            # Rows outlive the plugin or the setting that brought the name in them.
            read.validators, read.metadata["examples"] = [], list(field.spec.kind.values)
    if model.semantic:
        declared["score"] = fields.Float(metadata=FIXED | SCORE)
    return schema_of(model.__name__, declared)


@cache
def create_schema(model: type[Record], without: tuple[str, ...] = ()) -> WireSchema:
    """What a caller sends to make a record, ``without`` the attributes that are known from elsewhere."""
    declared = {}
    for field in model.fields().values():
        if field.set_on_create is not Setter.SERVER and field.attribute not in without:
            required = field.required or bool(field.virtual and field.virtual.required)
            declared[field.attribute] = _field(field, required=required)
    return schema_of(_named(f"{model.__name__}Create", without), declared)


@cache
def update_schema(model: type[Record], without: tuple[str, ...] = ()) -> WireSchema:
    """What a caller sends to change a record: any field of it, as a record that was read may be sent back, ``without``
    some attributes. Those that cannot be changed are marked, and left out of the description."""
    taken = [
        field
        for field in model.fields().values()
        if (field.spec.readable or field.set_on_create is not Setter.SERVER) and not _only_on_create(field)
        and field.attribute not in without
    ]  # fmt: skip
    declared = {field.attribute: _field(field, required=False) for field in taken}
    for field in taken:
        if field.set_on_update is Setter.SERVER:
            changed = declared[field.attribute]
            changed.metadata = {**changed.metadata, **FIXED}
    return schema_of(_named(f"{model.__name__}Update", without), declared)


def _named(name: str, without: tuple[str, ...]) -> str:
    """The name of a schema in the description, where each has one of its own."""
    return "Without".join((name, *(each.title().replace("_", "") for each in sorted(without))))


def schema_of(name: str, declared: dict[str, fields.Field[Any]]) -> WireSchema:
    """The schema called ``name``, with these fields."""
    return type(name, (WireSchema,), declared)()


def _is_sent(model: type[Record], field: Field) -> bool:
    made = model.policy.create is not Rule.NONE and field.set_on_create is not Setter.SERVER
    return made or (model.policy.update is not Rule.NONE and field.set_on_update is not Setter.SERVER)


def _only_on_create(field: Field) -> bool:
    return (field.virtual is not None and not field.spec.readable) or RETURNED_ONCE in field.spec.flags


def _always_shown(model: type[Record], field: Field) -> bool:
    if field.spec.flags & {ADMIN_READS, SCOPE_READS, UNLISTED} or field.spec.read is not None:
        return False
    colleagues = model.policy.scope.colleague_fields
    return not colleagues or field.name in colleagues


def _field(field: Field, *, required: bool) -> fields.Field[Any]:
    return field_of(
        field.spec.kind,
        data_key=field.name,
        required=required,
        allow_none=field.nullable,
        metadata=_documentation(field),
    )


def _documentation(field: Field) -> dict[str, Any]:
    documented: dict[str, Any] = {}
    if field.spec.note:
        documented["description"] = field.spec.note[0].upper() + field.spec.note[1:] + "."
    if isinstance(field.spec.kind, Identifier):
        documented["format"] = "uuid"
    if field.required and isinstance(field.spec.kind, String | LongText):
        documented["blank"] = False
    return documented
