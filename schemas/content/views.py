"""Saved views on the wire."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from app.engine.declare.catalogue import every_model
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.foundation.errors import Invalid, require_found
from app.platform.kept import VIEW_BYTES, PlatformSavedView
from schemas.catalogue import CallerProfile
from schemas.content.kept import Definition, KeptState, KeptUpdate, kept_of
from schemas.envelopes import ListMeta
from schemas.fields import Text, WireSchema


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
