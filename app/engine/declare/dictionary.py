"""The data dictionary as data: every model with its fields, types, constraints, access, scope and operations."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from app.engine.declare import relations
from app.engine.declare.catalogue import domains
from app.engine.declare.combinations import Combination, MembersOf, Where
from app.engine.declare.fields import (
    ADMIN_READS,
    ADMIN_WRITES,
    DIGEST,
    ENCRYPTED,
    FILTERABLE,
    RETURNED_ONCE,
    SCOPE_READS,
    SORTABLE,
    UNLISTED,
    Factory,
)
from app.engine.declare.indexes import IndexSpec
from app.engine.declare.kind import Reference
from app.engine.declare.policy import SessionOnly
from app.engine.declare.readers_and_writers import ReadersAndWriters
from app.engine.declare.record import Field, Record, by_table, camel
from app.engine.declare.scope import Rule, Scope
from app.foundation.durations import iso


def dictionary() -> dict[str, Any]:
    """Describe the catalogue, with the totals of models and explicit generic route paths."""
    models = [model for domain in domains() for model in domain.models]
    counted = [model for model in models if not model.legacy_envelope]
    explicit = [model for model in counted if not (model.path or model.has_custom_routes)]
    return {
        "totals": {
            "domains": len(domains()),
            "models": len(counted),
            "guideModels": len(models) - len(counted),
            "explicitRoutes": 2 * len(explicit),
        },
        "domains": [
            {"name": domain.name, "summary": domain.summary, "models": [to_dict(model) for model in domain.models]}
            for domain in domains()
        ],
    }


def to_dict(model: type[Record]) -> dict[str, Any]:
    """One model, in the terms of the data dictionary."""
    found: dict[str, Any] = {
        "name": model.segment,
        "class": model.__name__,
        "table": model.__tablename__,
        "path": model.collection_path(),
        "summary": model.model_summary(),
        "plural": model.plural_name(),
        "scope": _scope(model, model.policy.scope),
        "operations": {name: rule.value for name, rule in model.policy.operations().items()},
    }
    if opened := model.policy.without_credential():
        found["withoutCredential"] = list(opened)
    if model.policy.session_only is not SessionOnly.NEVER:
        found["sessionOnly"] = model.policy.session_only.value
    if model.legacy_envelope:
        found["routes"] = "guide"
    if model.operations_note:
        found["operationsNote"] = model.operations_note
    if model.transitions:
        found["transitions"] = {camel(name): steps for name, steps in model.transitions.items()}
    if model.searchable:
        found["searchable"] = [model.fields()[name].name for name in model.searchable]
    if model.semantic:
        found["semantic"] = [model.fields()[name].name for name in model.semantic]
    if label := model.label_fields():
        found["label"] = [field.name for field in label]
    for kind, unique in (("unique", True), ("indexes", False)):
        keys = [_key(key) for key in model.keys if (key.unique and not key.where) is unique]
        if keys:
            found[kind] = keys
    found["relations"] = [
        {"name": each.name, "model": each.target.qualified_name(), "many": each.many}
        for each in relations.of(model).values()
    ]
    return found | {"fields": [_field(field) for field in model.fields().values()]}


def _scope(model: type[Record], scope: Scope) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": camel_kind(scope)}
    if isinstance(scope, ReadersAndWriters):
        return {**found, "readers": _scope(model, scope.reading), "writers": _scope(model, scope.writing)}
    if isinstance(scope, Combination):
        return {**found, "of": [_scope(model, each) for each in scope.scopes]}
    if isinstance(scope, Where):
        return {**found, "values": {camel(name): list(values) for name, values in scope.values}}
    if isinstance(scope, MembersOf):
        roles = {"roles": list(scope.role)} if scope.role else {}
        return {**found, "membership": scope.membership.qualified_name(), **roles}
    if scope.column:
        found["column"] = camel(scope.column)
    if scope.parent_column:
        inherits = {} if getattr(scope, "inherits_public", True) else {"inheritsPublic": False}
        found |= _ancestry(model, scope.column) | inherits
    if scope.public:
        found["publicWhen"] = {camel(name): list(values) for name, values in scope.public.items()}
    if scope.colleague_fields:
        found["coMembers"] = list(scope.colleague_fields)
    if scope.organization_column:
        narrowed = {"read": scope.readers, "write": scope.writers}
        found |= {name: rule.value for name, rule in narrowed.items() if rule is not Rule.SCOPE}
    return found


def camel_kind(scope: Scope) -> str:
    """What the dictionary calls a scope: its class, ``anyOf``."""
    name = type(scope).__name__
    return name[0].lower() + name[1:]


def _ancestry(model: type[Record], column: str) -> dict[str, Any]:
    """The way from a parent-scoped model up to its root."""
    parent, path, reached = model.target(column), [camel(column)], model.target(column)
    while above := reached.policy.scope.parent_column:
        path.append(camel(above))
        reached = reached.target(above)
    return {"parent": parent.qualified_name(), "path": path, "root": reached.qualified_name()}


def _key(key: IndexSpec) -> dict[str, Any]:
    fields = [("-" if name.startswith("-") else "") + camel(name.lstrip("-")) for name in key.columns]
    marks = {
        "unique": key.unique and bool(key.where),
        "deferrable": key.deferrable,
        "nullsNotDistinct": key.null_is_value,
        "where": key.where,
        "using": key.using,
    }
    return {"fields": fields} | {name: value for name, value in marks.items() if value}


def _field(field: Field) -> dict[str, Any]:
    spec, flags = field.spec, field.spec.flags
    found: dict[str, Any] = {
        "name": field.name,
        "type": str(spec.kind),
        "required": field.required,
        "nullable": field.nullable,
        "unique": field.unique,
        "access": spec.access,
        "filterable": FILTERABLE in flags,
        "sortable": SORTABLE in flags,
        "listed": UNLISTED not in flags,
        "virtual": field.virtual is not None,
    }
    if spec.has_default and field.attribute not in ("created_at", "updated_at"):
        default = spec.default.make() if isinstance(spec.default, Factory) else spec.default
        found["default"] = _json(default)
    if FILTERABLE in flags:
        found["operators"] = [str(operator) for operator in spec.kind.operators]
    if spec.kind.constraints:
        found["constraints"] = spec.kind.constraints
    if isinstance(spec.kind, Reference):
        target = by_table(spec.kind.table).qualified_name()
        found["references"] = {"model": target, "onDelete": spec.kind.on_delete}
    for flag, name, value in MARKED:
        if flag in flags:
            found[name] = value
    for name, rule in (("readRule", spec.read), ("writeRule", spec.write)):
        if rule is not None:
            found[name] = camel_kind(rule)
    if field.display:
        found["display"] = field.display
    if field.attribute.endswith("_"):
        found["attribute"] = field.attribute
    return found | ({"note": spec.note} if spec.note else {})


def _json(default: Any) -> Any:
    """A default as JSON has it; what is worked out when a record is written, by its name."""
    if isinstance(default, dict | list | bool | int | float):
        return default
    return iso(default) if isinstance(default, timedelta) else str(default)


MARKED = (
    (ADMIN_READS, "readableBy", "admin"),
    (SCOPE_READS, "readableBy", "scope"),
    (ADMIN_WRITES, "writableBy", "admin"),
    (RETURNED_ONCE, "returnedOnce", True),
    (ENCRYPTED, "atRest", "encrypted"),
    (DIGEST, "atRest", "digest"),
)
