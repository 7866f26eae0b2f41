"""Tolerant readers of Microsoft's JSON: a value of the wrong type counts as missing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import requests

Json = Mapping[str, Any]


def part(value: Json, name: str) -> Json:
    """An object within an object; an empty one where there is none."""
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


def plain(value: Any, most: int) -> str | None:
    """A text of at most ``most`` characters, or None for what is none."""
    return value[:most] if isinstance(value, str) and value else None


def json_of(answer: requests.Response) -> dict[str, Any]:
    """The object that an answer is; an empty one where it is none."""
    try:
        found = answer.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def moment_of(text: Any) -> datetime | None:
    """A time whose fraction may have seven digits, to the millisecond; None for what is none."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(re.sub(r"(\.\d{3})\d*", r"\1", text).replace("Z", "+00:00"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
