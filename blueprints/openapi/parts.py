"""Parts of the OpenAPI document: the paths of one domain with the components that they reach."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from blueprints.openapi.relations import RELATED


def part(document: dict[str, Any], paths: Collection[str], tags: Collection[str]) -> dict[str, Any]:
    """The part of ``document`` that holds ``paths``, in the order of the whole. Of the records that ``expand`` adds to
    others it names the model: a page that looks up what those hold would go from record to record through all of it."""
    for schema in document["components"]["schemas"].values():
        for name, member in schema.get("properties", {}).items():
            if RELATED in member:
                schema["properties"][name] = _named(member)
    kept = {path: operations for path, operations in document["paths"].items() if path in paths}
    reached = _reached(document["components"], kept)
    components = {
        kind: {name: each for name, each in found.items() if kind == "securitySchemes" or (kind, name) in reached}
        for kind, found in document["components"].items()
    }
    return {
        **document,
        "paths": kept,
        "components": {kind: found for kind, found in components.items() if found},
        "tags": [each for each in document["tags"] if each["name"] in tags],
    }


def _named(member: dict[str, Any]) -> dict[str, Any]:
    """A member that ``expand`` adds, without what it holds."""
    is_many = member.get("type") == "array"
    described = {"type": "array", "items": {"type": "object"}} if is_many else {"type": ["object", "null"]}
    return {**described, "readOnly": True, "description": f"{member['description']} A `{member[RELATED]}`."}


def _reached(components: dict[str, Any], value: Any) -> set[tuple[str, str]]:
    """The components that ``value`` refers to, and those that these refer to, by kind and name."""
    found: set[tuple[str, str]] = set()
    waiting = list(_references(value))
    while waiting:
        if (each := waiting.pop()) not in found:
            found.add(each)
            kind, name = each
            waiting += _references(components[kind][name])
    return found


def _references(value: Any) -> Iterator[tuple[str, str]]:
    """The components that ``value`` names, by kind and name."""
    if isinstance(value, dict):
        if isinstance(reference := value.get("$ref"), str):
            kind, name = reference.removeprefix("#/components/").split("/")
            yield kind, name
        for each in value.values():
            yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)
