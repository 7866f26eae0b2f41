"""The query of a list: its window and its filters, read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from werkzeug.datastructures import MultiDict

from app.engine.fields import ADMIN_READS, FILTERABLE
from app.engine.principal import Principal
from app.engine.record import Field, Record
from app.foundation.errors import InvalidFilter, InvalidPagination

DEFAULT_TAKE = 20
MAX_SKIP = 10_000_000
MAX_NUMBER_LENGTH = 100
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
    return {each.name: each for each in _known(model).values() if FILTERABLE in each.spec.flags}


@cache
def _known(model: type[Record]) -> dict[str, Field]:
    return {each.name: each for each in model.fields().values() if each.spec.readable}


def _bounded(args: MultiDict[str, str], name: str, low: int, high: int, default: int) -> int:
    given = args.getlist(name)
    if not given:
        return default
    text = given[0]
    plain = len(given) == 1 and text.isascii() and text.isdigit() and len(text) <= MAX_NUMBER_LENGTH
    if not plain or not low <= int(text) <= high:
        message = f"Must be one whole number from {low} to {high}."
        raise InvalidPagination(f"Invalid {name}: {message}", details={"fields": {name: [message]}})
    return int(text)


def _filter(model: type[Record], principal: Principal, name: str, values: list[str]) -> tuple[str, Any]:
    known = _known(model).get(name)
    if known is None or (ADMIN_READS in known.spec.flags and not principal.is_admin):
        raise invalid_query(name, "Unknown query parameter.")
    if FILTERABLE not in known.spec.flags:
        raise invalid_query(name, "Cannot be filtered by.")
    if len(values) > 1:
        raise invalid_query(name, "Given more than once.")
    value = known.spec.kind.parse(values[0])
    if value is None or "\x00" in values[0]:
        raise invalid_query(name, known.spec.kind.expected())
    return known.attribute, value


def invalid_query(name: str, message: str) -> InvalidFilter:
    """The failure of one query parameter."""
    return InvalidFilter(f"Invalid query parameter {name}: {message}", details={"fields": {name: [message]}})
