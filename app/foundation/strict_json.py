"""A strict reader of JSON bodies (RFC 8259)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import chain
from typing import Any

import orjson

from app.foundation.errors import InvalidJson

MAX_DEPTH = 32
# What one document may hold, so that reading it stops nobody for long.
MAX_VALUES = 50_000
TOO_MANY = f"The body holds more than {MAX_VALUES} values"
STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
MAX_INTEGER = 2**63 - 1


def loads(data: bytes) -> Any:
    """Parse a JSON document; raises InvalidJson for malformed text, NaN and infinities, lone surrogates, NUL
    characters, duplicate keys, integers beyond 64 bits, nesting over 32 levels, and more than 50,000 values."""
    if data.count(b",") + data.count(b"[") + data.count(b"{") >= MAX_VALUES:
        _count(data)
    try:
        # The fast parser is strict about the text; the slow one tells duplicate keys and large numbers.
        _check(orjson.loads(data))
        return json.loads(data, object_pairs_hook=_object, parse_int=_integer, parse_float=_number)
    except InvalidJson:
        raise
    except (ValueError, RecursionError):
        raise InvalidJson() from None


def _count(data: bytes) -> None:
    """Refuse too many values by their punctuation, which is cheaper than to make them; what is within strings does not
    count."""
    bare = STRING.sub(b"", data)
    if bare.count(b",") + bare.count(b"[") + bare.count(b"{") >= MAX_VALUES:
        raise InvalidJson(TOO_MANY)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidJson("The body holds a key twice")
    return found


def _integer(text: str) -> int:
    value = int(text) if len(text) < 25 else MAX_INTEGER + 1
    if not -MAX_INTEGER - 1 <= value <= MAX_INTEGER:
        raise InvalidJson("The body holds an integer beyond 64 bits")
    return value


def _number(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise InvalidJson("The body holds a number that is too large")
    return value


def _check(document: Any) -> None:
    """Look at the values level by level, and at no more of them than a document may hold."""
    level, depth, count = [document], 0, 0
    while level:
        count += len(level)
        if count > MAX_VALUES:
            raise InvalidJson(TOO_MANY)
        if any(isinstance(value, str) and "\x00" in value for value in level):
            raise InvalidJson("The body holds a NUL character")
        inside = [value for value in level if isinstance(value, dict | list)]
        depth += 1
        if inside and depth > MAX_DEPTH:
            raise InvalidJson(f"The body nests deeper than {MAX_DEPTH} levels")
        level = [each for value in inside for each in _contents(value)]


def _contents(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return chain(value, value.values()) if isinstance(value, dict) else value
