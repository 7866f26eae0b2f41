"""The query of a list: its window and its filters, read strictly."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from marshmallow import ValidationError
from werkzeug.datastructures import MultiDict

from app.engine.fields import ADMIN_READS, FILTERABLE
from app.engine.principal import Principal
from app.engine.record import Field, Record
from app.foundation.addresses import normalized
from app.foundation.errors import InvalidFilter, InvalidPagination
from schemas.fields import NOT_A_MOMENT, moment_of, uuid_of

DEFAULT_TAKE = 20
MAX_SKIP = 10_000_000
LONGEST_NUMBER = 100
WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,18})", re.ASCII)
DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
WINDOW = ("take", "skip")
CREDENTIAL = "api_key"


@dataclass(frozen=True)
class ListQuery:
    """A window onto a list and the values its rows must have, by attribute."""

    take: int = DEFAULT_TAKE
    skip: int = 0
    filters: Mapping[str, Any] = field(default_factory=dict)


def list_query(model: type[Record], principal: Principal, args: MultiDict[str, str], max_take: int) -> ListQuery:
    """Read the query parameters of a list; raises InvalidPagination and InvalidFilter, and clamps nothing."""
    if not args:
        return ListQuery()
    take, skip = window(args, max_take)
    filters = dict(_filter(model, principal, name, values) for name, values in args.lists() if name not in KNOWN)
    return ListQuery(take, skip, filters)


def window(args: MultiDict[str, str], max_take: int) -> tuple[int, int]:
    """How many rows of a list to answer at most, and how many to leave out; raises InvalidPagination."""
    return _bounded(args, "take", 1, max_take, DEFAULT_TAKE), _bounded(args, "skip", 0, MAX_SKIP, 0)


KNOWN = (*WINDOW, CREDENTIAL)


def refuse_unknown(args: MultiDict[str, str], known: tuple[str, ...] = (CREDENTIAL,)) -> None:
    """Refuse query parameters that a route does not declare, and those that come twice; raises InvalidFilter."""
    for name in args:
        if name not in known:
            raise invalid_query(name, "Unknown query parameter.")
        if name not in KNOWN and len(args.getlist(name)) > 1:
            raise invalid_query(name, "Given more than once.")


def filters_of(model: type[Record]) -> dict[str, Field]:
    """The fields that lists of ``model`` can be filtered by, by wire name."""
    return {each.name: each for each in _known(model).values() if FILTERABLE in each.wire.marks}


@cache
def _known(model: type[Record]) -> dict[str, Field]:
    return {each.name: each for each in model.fields().values() if each.wire.readable}


def _bounded(args: MultiDict[str, str], name: str, low: int, high: int, default: int) -> int:
    given = args.getlist(name)
    if not given:
        return default
    text = given[0]
    plain = len(given) == 1 and text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER
    if not plain or not low <= int(text) <= high:
        message = f"Must be one whole number from {low} to {high}."
        raise InvalidPagination(f"Invalid {name}: {message}", details={"fields": {name: [message]}})
    return int(text)


def _filter(model: type[Record], principal: Principal, name: str, values: list[str]) -> tuple[str, Any]:
    known = _known(model).get(name)
    if known is None or (ADMIN_READS in known.wire.marks and not principal.is_admin):
        raise invalid_query(name, "Unknown query parameter.")
    if FILTERABLE not in known.wire.marks:
        raise invalid_query(name, "Cannot be filtered by.")
    if len(values) > 1:
        raise invalid_query(name, "Given more than once.")
    value = _reader(known)(values[0])
    if value is None or "\x00" in values[0]:
        raise invalid_query(name, _expected(known))
    return known.attribute, value


def _reader(known: Field) -> Callable[[str], Any]:
    if known.references or known.attribute == "id":
        return uuid_of
    kind = known.wire.type
    if kind.startswith("enum["):
        values = kind[5:-1].split(",")
        return lambda text: text if text in values else None
    if kind.startswith("array") and known.wire.constraints.get("items"):
        items = known.wire.constraints["items"]
        return lambda text: text if text in items else None
    if known.wire.constraints.get("format") == "email":
        return _as_stored
    return READERS.get(kind, str)


def _as_stored(address: str) -> str:
    try:
        return normalized(address)
    except ValidationError:
        return address.lower()  # which nobody has


def _whole(text: str) -> int | None:
    value = int(text) if WHOLE.fullmatch(text) else None
    return value if value is not None and -(2**63) <= value < 2**63 else None


def _number(text: str) -> float | None:
    value = float(text) if DECIMAL.fullmatch(text) else None
    return value if value is not None and math.isfinite(value) else None


READERS: dict[str, Callable[[str], Any]] = {
    "integer": _whole,
    "number": _number,
    "boolean": {"true": True, "false": False}.get,
    "timestamp": moment_of,
}


def _expected(known: Field) -> str:
    """What would be right in a filter."""
    kind = known.wire.type
    choices = kind[5:-1].split(",") if kind.startswith("enum[") else known.wire.constraints.get("items")
    if choices:
        return f"Must be one of: {', '.join(choices)}."
    if kind == "timestamp":
        return NOT_A_MOMENT
    return f"Is not an {kind}." if kind[0] in "aeiou" else f"Is not a {kind}."


def invalid_query(name: str, message: str) -> InvalidFilter:
    """The failure of one query parameter."""
    return InvalidFilter(f"Invalid query parameter {name}: {message}", details={"fields": {name: [message]}})
