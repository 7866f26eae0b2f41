"""Request bodies read to the letter of RFC 8259, without what parsers usually let through."""

from __future__ import annotations

import json
from typing import Any

import orjson

from app.errors import InvalidJson

DEEPEST = 32
LARGEST_INTEGER = 2**63 - 1


def loads(data: bytes) -> Any:
    """Parse a JSON document; raises InvalidJson for malformed text, NaN and infinities, lone surrogates, NUL
    characters, duplicate keys, integers beyond 64 bits, and nesting over 32 levels."""
    try:
        # The fast parser is strict about the text; the slow one tells duplicate keys and large numbers.
        orjson.loads(data)
        document = json.loads(data, object_pairs_hook=_object, parse_int=_integer, parse_float=_number)
    except InvalidJson:
        raise
    except (ValueError, RecursionError):
        raise InvalidJson() from None
    _check(document, 1)
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidJson("The body holds a key twice")
    return found


def _integer(text: str) -> int:
    value = int(text) if len(text) < 25 else LARGEST_INTEGER + 1
    if not -LARGEST_INTEGER - 1 <= value <= LARGEST_INTEGER:
        raise InvalidJson("The body holds an integer beyond 64 bits")
    return value


def _number(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise InvalidJson("The body holds a number that is too large")
    return value


def _check(value: Any, depth: int) -> None:
    if isinstance(value, str):
        if "\x00" in value:
            raise InvalidJson("The body holds a NUL character")
    elif isinstance(value, dict | list):
        if depth > DEEPEST:
            raise InvalidJson(f"The body nests deeper than {DEEPEST} levels")
        for each in (*value.keys(), *value.values()) if isinstance(value, dict) else value:
            _check(each, depth + 1)
