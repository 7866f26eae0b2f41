"""Tools of plugins: functions whose annotations say which arguments they take."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from app import extension_points
from app.auth.credentials.access import Access, WithGrants
from app.auth.credentials.authentication import authorize, caller
from app.auth.errors import InsufficientScope
from app.engine.write.unit_of_work import run_unit
from app.foundation.errors import Invalid
from blueprints.mcp import results
from blueprints.mcp.tool import Arguments, Schema, Tool
from config import SettingError

PLAIN: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object"}
# What JSON has as text, with its format and what reads it.
TEXTS: dict[type, tuple[str, Callable[[str], Any]]] = {
    UUID: ("uuid", UUID), datetime: ("date-time", datetime.fromisoformat), date: ("date", date.fromisoformat),
}  # fmt: skip


def tool_of(name: str, brought: extension_points.Tool) -> Tool:
    """The tool that a plugin has brought; raises SettingError for arguments that are not described."""
    named = list(inspect.signature(brought.run).parameters.values())[1:]
    try:
        hints = get_type_hints(brought.run)
    except NameError as error:
        raise SettingError(f"The tool {name} takes what cannot be looked up: {error}") from None
    for parameter in named:
        if parameter.name not in hints:
            raise SettingError(f"The tool {name} does not say of which type {parameter.name} is")
    kinds = {each.name: hints[each.name] for each in named}
    access = Access(
        reads=not brought.writes, private=True,
        with_grants=WithGrants.EVERYBODY if brought.is_judged else WithGrants.NOBODY,
    )  # fmt: skip

    def run(arguments: Arguments) -> dict[str, Any]:
        authorize(caller(), access, "POST")
        if brought.scope and brought.scope not in caller().scopes:
            raise InsufficientScope(brought.scope)
        given = {key: _value(key, kinds[key], value) for key, value in arguments.items()}
        if brought.writes:
            found = run_unit(caller(), lambda unit: brought.run(unit, **given))
        else:
            found = brought.run(caller(), **given)
        return results.of_data(found if isinstance(found, Mapping) else {"result": found})

    return Tool(
        name, name.replace("_", " ").capitalize(), inspect.getdoc(brought.run) or name, run,
        {key: _schema(name, kind) for key, kind in kinds.items()},
        tuple(each.name for each in named if each.default is inspect.Parameter.empty), writes=brought.writes,
        destroys=brought.writes, repeatable=not brought.writes,
    )  # fmt: skip


def _schema(tool: str, kind: Any) -> Schema:
    """The JSON Schema of what an annotation stands for; raises SettingError."""
    if kind in PLAIN:
        return {"type": PLAIN[kind]}
    if kind in TEXTS:
        return {"type": "string", "format": TEXTS[kind][0]}
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is list and inner:
        return {"type": "array", "items": _schema(tool, inner[0])}
    if origin is dict:
        return {"type": "object"}
    if origin in (Union, types.UnionType) and len(inner) == 2 and type(None) in inner:
        (only,) = (each for each in inner if each is not type(None))
        return {"anyOf": [_schema(tool, only), {"type": "null"}]}
    raise SettingError(f"The tool {tool} takes {kind}, which JSON has no word for")


def _value(name: str, kind: Any, value: Any) -> Any:
    """What the function gets for a value of JSON that fits; raises Invalid."""
    inner = get_args(kind)
    if get_origin(kind) in (Union, types.UnionType):
        (only,) = (each for each in inner if each is not type(None))
        return None if value is None else _value(name, only, value)
    if get_origin(kind) is list:
        return [_value(name, inner[0], each) for each in value]
    if kind is int:
        return int(value)  # JSON has one kind of number
    if kind not in TEXTS:
        return value
    try:
        return TEXTS[kind][1](value)
    except (ValueError, TypeError):
        raise Invalid({name: [f"Must be text of the format {TEXTS[kind][0]}."]}) from None
