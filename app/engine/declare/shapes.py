"""JSON of a declared shape: values are held to a JSON Schema, and conditions ask for what lies within them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar

from app.engine.declare.kind import Kind, Operator, non_empty
from app.engine.declare.kinds import SAFE_MAX, Boolean, Enum, Integer, Number, String
from app.engine.declare.structures import Json
from config import SettingError

# Names of members that conditions go to.
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)
DEEPEST = 4
# What conditions are called themselves.
TAKEN = frozenset({*(each.value for each in Operator), "by"})
# What a member has where it is of that type; anything else is as good as nothing.
OF_TYPE = "(CASE WHEN jsonb_typeof({at}) = '{type}' THEN ({at})::{cast} END)"


@dataclass(frozen=True)
class Amount(Number):
    """A number within JSON, as exact as that is."""

    sql_type: ClassVar[str] = "numeric"

    def parse(self, text: str) -> Any:
        return _decimal(super().parse(text))

    def parse_json(self, value: Any) -> Any:
        return _decimal(super().parse_json(value))


# The members of an object by name; of those that are objects themselves theirs.
Members = Mapping[str, "Kind | Members"]


@dataclass(frozen=True)
class Shaped(Json):
    """JSON that fits the JSON Schema ``schema``, whose members conditions ask for by their names."""

    schema: Mapping[str, Any] = None  # type: ignore[assignment]

    @property
    def constraints(self) -> dict[str, Any]:
        return non_empty({"shape": self.shape, "maxBytes": self.max_bytes, "schema": dict(self.schema)})

    @cached_property
    def members(self) -> Members:
        return dict(_members(self.schema))

    def fault(self, value: Any) -> str | None:
        """Say where and how ``value`` does not fit; None where it does."""
        from jsonschema.exceptions import best_match

        found = best_match(self._validator.iter_errors(value))
        if found is None:
            return None
        place = ".".join(map(str, found.absolute_path))
        return f"{place}: {found.message[:200]}." if place else f"{found.message[:200]}."

    @cached_property
    def _validator(self) -> Any:
        from jsonschema import Draft202012Validator  # takes a while to import

        return Draft202012Validator(self.schema)


def shaped(schema: Mapping[str, Any], max_bytes: int) -> Shaped:
    """The kind of values that fit ``schema``; raises SettingError for what is no JSON Schema of an object or an
    array."""
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise SettingError(f"A shape is no JSON Schema: {error.message}") from None
    if schema.get("type") not in ("object", "array"):
        raise SettingError("A shape is a JSON Schema with the type object or array")
    return Shaped(schema["type"], max_bytes, schema)


def members_at(kind: Kind, path: Sequence[str]) -> Members:
    """The members of what lies at ``path`` within values of ``kind``."""
    found = _at(kind, path)
    return found if isinstance(found, Mapping) else {}


def member_kind(kind: Kind, path: Sequence[str]) -> Kind | None:
    """What lies at ``path`` within values of ``kind``; None where there is nothing that can be compared."""
    found = _at(kind, path)
    return found if isinstance(found, Kind) else None


def _at(kind: Kind, path: Sequence[str]) -> Kind | Members | None:
    found: Kind | Members | None = kind.members if isinstance(kind, Shaped) else {}
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def member_sql(column: str, kind: Kind, path: Sequence[str]) -> str:
    """The SQL of the value of ``kind`` at ``path`` of the JSON in ``column``."""
    at = f"{column} #> '{{{','.join(path)}}}'"
    if isinstance(kind, Boolean):
        return OF_TYPE.format(at=at, type="boolean", cast="boolean")
    if isinstance(kind, Integer | Number):
        return OF_TYPE.format(at=at, type="number", cast="numeric")
    return f"(CASE WHEN jsonb_typeof({at}) = 'string' THEN {column} #>> '{{{','.join(path)}}}' END)"


def _members(schema: Mapping[str, Any], depth: int = 1) -> Iterator[tuple[str, Kind | Members]]:
    for name, each in schema.get("properties", {}).items():
        if not NAME.fullmatch(name) or name in TAKEN or not isinstance(each, Mapping):
            continue
        if each.get("type") == "object" and depth < DEEPEST:
            if inner := dict(_members(each, depth + 1)):
                yield name, inner
        elif kind := _kind(each):
            yield name, kind


def _kind(schema: Mapping[str, Any]) -> Kind | None:
    """The kind of a member, as far as its values can be compared."""
    values = schema.get("enum", ())
    if values and all(isinstance(each, str) for each in values):
        return Enum(tuple(values))
    types = schema.get("type")
    named = [each for each in types if each != "null"] if isinstance(types, list) else [types]
    made: dict[Any, Kind] = {
        "string": String(), "integer": Integer(-SAFE_MAX, SAFE_MAX), "number": Amount(), "boolean": Boolean(),
    }  # fmt: skip
    return made.get(named[0]) if len(named) == 1 else None


def _decimal(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(str(value))
