"""The versions of records that were read or written, beside what is in them, so that none is in what is sent back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import httpx

TAG = re.compile(r'(?:W/)?"([0-9]+)-[0-9a-f]{16}"')


class Versioned(dict[str, Any]):
    """A record as it came from the service; a copy of it is a plain dictionary."""

    version: int | None = None


def versioned(record: Mapping[str, Any], version: int | None) -> Versioned:
    found = Versioned(record)
    found.version = version
    return found


def version_of(record: object) -> int | None:
    """The version of a record as it came from the service; a copy of it has none."""
    return record.version if isinstance(record, Versioned) else None


def version_in(response: httpx.Response) -> int | None:
    """The version in the entity tag of an answer. A proxy that compresses makes the tag weak."""
    found = TAG.fullmatch(response.headers.get("etag", ""))
    return int(found[1]) if found else None


def aimed(target: Any) -> tuple[str, int | None]:
    """The id that a write is for, and the version of the record where one was given."""
    if isinstance(target, str):
        return target, None
    version = version_of(target)
    if version is None:
        raise ValueError(
            "The version of this record is not known: read it by get, list it with versions, or give its id"
        )
    return str(target["id"]), version
