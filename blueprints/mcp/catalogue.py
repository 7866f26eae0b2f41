"""The models as one caller may use them by tools: which there are, and their fields as JSON Schema."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import Any

from flask import current_app
from marshmallow import Schema

from app.auth.credentials.authentication import authorize, caller
from app.engine.declare.catalogue import every_model, find_model
from app.engine.declare.record import Record
from app.engine.operations.verbs import RecordOperation, Verb
from app.engine.operations.verbs import operations as operations_of
from app.foundation.errors import Invalid, MethodNotAllowed
from blueprints.records.bindings import access_of
from schemas.catalogue import KEPT, CallerProfile, catalogue_for, served
from schemas.derive import create_schema, read_schema, update_schema

Model = type[Record]
# The method of HTTP that asks for a scope, by whether an operation reads.
METHODS = {True: "GET", False: "POST"}
# Of a name that is none, so much is compared with those that there are.
MAX_NAME_LENGTH = 80


def profile() -> CallerProfile:
    """What decides what the caller may do."""
    return CallerProfile.of(caller())


def entries(profile: CallerProfile) -> dict[str, dict[str, Any]]:
    """What the catalogue has of the models that a caller may read, by their name, ``crm/contact``."""
    by_hand = {model.qualified_name() for model in every_model() if model.has_custom_routes}
    listed = ((f"{domain['name']}/{model['name']}", model) for domain in catalogue_for(profile)["domains"]
              for model in domain["models"])  # fmt: skip
    return {name: entry for name, entry in listed if name not in by_hand}


def names(profile: CallerProfile, operation: str) -> list[str]:
    """The models on which a caller may carry out an operation, in the words of grants."""
    return [name for name, entry in entries(profile).items() if entry["operations"][operation]]


def find(name: str) -> Model:
    """The model that is called ``name``; raises Invalid, with names that look like it."""
    model = find_model(name)
    if model is None or model.has_custom_routes:
        known = list(entries(profile()))
        alike = get_close_matches(name[:MAX_NAME_LENGTH], known, 3, 0.5)
        hint = f"Did you mean {', '.join(alike)}?" if alike else "Call list_models for their names."
        raise Invalid({"model": [f"Is no model. {hint}"]})
    return model


def require(model: Model, verb: Verb) -> None:
    """Refuse an operation that nobody, or not the caller, may carry out on ``model``; raises Forbidden and
    MethodNotAllowed."""
    if verb not in _verbs(model):
        raise MethodNotAllowed(f"Nobody may {verb.name} records of {model.qualified_name()}")
    authorize(caller(), access_of(RecordOperation(model, verb)), METHODS[verb.reads])


def schemas_of(name: str, profile: CallerProfile) -> dict[str, Any]:
    """JSON Schemas of the records of a model as the caller reads them, and of what they may send; as the description of
    the API has them."""
    return _schemas(name, profile, served())


@lru_cache(maxsize=KEPT * 4)
def _schemas(name: str, profile: CallerProfile, domains: tuple[str, ...]) -> dict[str, Any]:
    entry, model = entries(profile)[name], find(name)
    read = {each["name"] for each in entry["fields"] if each.get("readable")}
    found: dict[str, Any] = {"record": {**_schema(read_schema(model), read), "required": []}}
    for operation, schema in (("create", create_schema), ("update", update_schema)):
        sent = {each["name"] for each in entry["fields"] if operation in each["settable"]}
        if entry["operations"][operation] and sent:
            found[operation] = {**_schema(schema(model), sent), "additionalProperties": False}
    return found


def _schema(schema: Schema, names: Collection[str]) -> dict[str, Any]:
    """The JSON Schema of those fields of ``schema`` that are called ``names`` on the wire."""
    converter = current_app.extensions["flask-smorest"]["blp_name_to_api"]["mcp"].ma_plugin.converter
    chosen = {name: field for name, field in schema.fields.items() if (field.data_key or name) in names}
    return _without_references(converter.fields2jsonschema(chosen))


def _without_references(schema: Any) -> Any:
    """The same without references into the description of the API, which an agent does not have."""
    if isinstance(schema, dict):
        return {"type": "object"} if "$ref" in schema else {k: _without_references(v) for k, v in schema.items()}
    return [_without_references(each) for each in schema] if isinstance(schema, list) else schema


@cache
def _verbs(model: Model) -> frozenset[Verb]:
    """What somebody may do with records of ``model``."""
    return frozenset(operation.verb for operation in operations_of(model))
