"""Saved views on the wire."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, validate

from app.engine.declare.catalogue import every_model
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read.encoding import dumps
from app.foundation.errors import Invalid, require_found
from app.platform.kept import VIEW_BYTES, Kept, PlatformSavedView, is_own, may_change
from schemas.catalogue import CallerProfile
from schemas.envelopes import ListMeta
from schemas.fields import Flag, Identifier, Moment, Text, WireSchema

ABOUT_DEFINITION = "What is shown and how: up to the program that shows it, which the service does not read."


class KeptUpdate(WireSchema):
    """What changes of what somebody keeps."""

    name = Text(validate=validate.Length(1, 120))
    is_shared = Flag(data_key="shared", metadata={"description": "With all members of the organization."})


class KeptState(WireSchema):
    """What everything that somebody keeps has."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    is_own = Flag(required=True, data_key="own", metadata={"description": "Whether the caller made it."})
    is_writable = Flag(
        required=True, data_key="writable", metadata={"description": "Whether it is the caller's to change."}
    )
    created_at = Moment(required=True, data_key="createdAt")
    updated_at = Moment(required=True, data_key="updatedAt")


class Definition(fields.Dict):
    """A definition of at most ``most`` bytes."""

    def __init__(self, most: int) -> None:
        def bounded(value: Any) -> None:
            if len(dumps(value)) > most:
                raise ValidationError(f"Is larger than {most} bytes.")

        super().__init__(validate=bounded, metadata={"description": ABOUT_DEFINITION})


class ViewUpdate(KeptUpdate):
    """What changes of a view."""

    definition = Definition(VIEW_BYTES)


class ViewCreate(ViewUpdate):
    """A new view of the records of a model."""

    model = Text(required=True, metadata={"description": "Its domain and name, such as crm/deal."})
    name = Text(required=True, validate=validate.Length(1, 120))


class View(KeptState, ViewUpdate):
    """A view that somebody keeps."""

    model = fields.String(required=True)


class ViewList(WireSchema):
    """A page of views, by name."""

    data = fields.List(fields.Nested(View), required=True)
    meta = fields.Nested(ListMeta, required=True)


def kept_of(kept: Kept, principal: Principal) -> dict[str, Any]:
    """What everything that is kept tells ``principal``."""
    return {
        "id": kept.id, "name": kept.name, "shared": kept.is_shared, "own": is_own(kept, principal),
        "writable": may_change(kept, principal), "createdAt": kept.created_at, "updatedAt": kept.updated_at,
    }  # fmt: skip


def view_of(view: PlatformSavedView, principal: Principal) -> dict[str, Any]:
    """A view as ``principal`` gets it."""
    return {**kept_of(view, principal), "model": view.model, "definition": view.definition}


def models_of(principal: Principal) -> dict[str, type[Record]]:
    """The models that ``principal`` may read, by qualified name: views of other models are hidden."""
    standing = CallerProfile.of(principal)
    return {model.qualified_name(): model for model in every_model() if standing.may_read(model)}


def model_of(name: str, principal: Principal) -> type[Record]:
    """The model that a view is of; raises Invalid for one that ``principal`` may not read."""
    return require_found(models_of(principal).get(name), Invalid({"model": ["Is no model that you may read."]}))
