"""The shapes of models: what of a declaration changes how the engine treats a record.

A mechanism is shown on the fewest models that have every pair of features which occurs together in some model. The list
follows from the declarations, so that a model with something new joins by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import fields
from itertools import combinations

from app.engine.declare.record import BASE_FIELDS, Record
from app.engine.read import records
from app.engine.write import hooks

Model = type[Record]

MARKS = ("has_custom_routes", "cascades_widely", "audited", "requires_version")
DECLARED = ("transitions", "searchable", "bookkeeping", "path")
EVENTS = ("create", "update", "delete")


def covering(models: Iterable[Model]) -> list[Model]:
    """The models that show every pair of mechanics, and every feature of fields."""
    rest = list(models)
    chosen = cover(rest, lambda model: set(combinations(sorted(mechanics(model)), 2)))
    shown = {feature for model in chosen for feature in of_fields(model)}
    return chosen + cover(rest, lambda model: of_fields(model) - shown)


def showing(models: Iterable[Model]) -> list[Model]:
    """The fewest models that show every mechanic and every feature of fields."""
    return cover(list(models), lambda model: mechanics(model) | of_fields(model))


def mechanics(model: Model) -> set[str]:
    """Who sees and writes its rows, and what belongs to a write."""
    return set(_of_policy(model)) | set(_of_writes(model))


def of_fields(model: Model) -> set[str]:
    """What its fields hold, and who may do what with them."""
    found = set()
    for field in model.fields().values():
        if field.attribute in BASE_FIELDS:
            continue
        found |= {f"kind {type(field.spec.kind).__name__}", *(f"flag {flag}" for flag in field.spec.flags)}
        found |= {word for word, holds in (("unique", field.unique), ("virtual", field.virtual)) if holds}
        if field.references:
            found.add("reference to itself" if field.references == model.__tablename__ else "reference")
    return found


def _of_policy(model: Model) -> Iterator[str]:
    policy, scope = model.policy, model.policy.scope
    yield f"scope {type(scope).__name__}"
    yield f"session {policy.session_only}"
    for name, rule in policy.operations().items():
        yield f"{name} {rule}"
    for each in fields(scope):
        if each.name != "column" and getattr(scope, each.name):
            yield f"scope {each.name}"
    for name in ("leaves", "managed"):
        if getattr(policy, name):
            yield f"policy {name}"


def _of_writes(model: Model) -> Iterator[str]:
    for event in EVENTS:
        if hooks.has_any(event, model):
            yield f"hook {event} {hooks.takes_many(event, model)}"
    if model in hooks.preparations:
        yield "prepared"
    if records.has_read_hooks(model):
        yield "hook read"
    yield from (name for name in (*MARKS, *DECLARED) if getattr(model, name))


def cover(models: list[Model], parts_of: Callable[[Model], set[Hashable]]) -> list[Model]:
    """The models that have every part which any of them has, found greedily: those with the most new parts first."""
    parts = {model: parts_of(model) for model in models}
    left: set[Hashable] = set().union(*parts.values())
    chosen = []
    while left:
        best = max(models, key=lambda model: len(parts[model] & left))
        chosen.append(best)
        left -= parts[best]
    return chosen
