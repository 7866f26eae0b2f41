"""The body of a batch: its requests, and the places where one takes a value from the answer of an earlier one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from marshmallow import fields, validate

from app.foundation.errors import Invalid
from schemas.fields import Flag, Items, Json, Text, WireSchema

MAX_REQUESTS = 100
MAX_PATH_LENGTH = 2048
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
NAME = r"[A-Za-z][A-Za-z0-9_]{0,39}"
REFERENCE = re.compile(rf"\{{({NAME})\.({NAME})\}}")
LITERAL = re.compile(rf"\{{(\{{({NAME})\.{NAME}\}})\}}")


class BatchRequest(WireSchema):
    """One request of a batch. ``{ref.field}`` in a value, or ``{ref.id}`` in the path, is a field of the answer to an
    earlier one."""

    ref = Text(validate=validate.Regexp(rf"{NAME}\Z", error="Must be a letter, then letters, digits and underscores."))
    method = Text(required=True, validate=validate.OneOf(METHODS, error="Must be one of: {choices}."))
    path = Text(required=True, validate=validate.Length(1, MAX_PATH_LENGTH))
    body = Json(shape="object", max_bytes=64 * 1024 * 1024)
    if_match = Text(data_key="ifMatch", validate=validate.Length(1, 1000))


class Batch(WireSchema):
    """Requests that are carried out in order, together or each by itself."""

    requests = Items(fields.Nested(BatchRequest), required=True, validate=validate.Length(1, MAX_REQUESTS))
    atomic = Flag()


class BatchReply(WireSchema):
    """The answer to one request of a batch."""

    ref = Text(required=True, allow_none=True)
    status = fields.Integer(required=True)
    etag = Text(required=True, allow_none=True)
    body = Json(required=True)


class BatchAnswer(WireSchema):
    """The answers to the requests of a batch, one for one in their order."""

    data = fields.List(fields.Nested(BatchReply), required=True)
    meta = fields.Dict(required=True)


@dataclass(frozen=True, slots=True)
class SubRequest:
    """One request of a batch, as it was sent."""

    index: int
    method: str
    path: str
    body: Any = None
    ref: str | None = None
    if_match: str | None = None


# What a reference stands for: takes the name of the answer and of its field.
Value = Callable[[str, str], Any]


def parts_of(given: Mapping[str, Any]) -> list[SubRequest]:
    """The requests of a batch; raises Invalid for a name that is given twice, and for a reference that leads to the
    request itself or to a later one."""
    parts = [SubRequest(index, **each) for index, each in enumerate(given["requests"])]
    indexes: dict[str, int] = {}
    for part in parts:
        if part.ref is not None and indexes.setdefault(part.ref, part.index) != part.index:
            raise _refused(part, f"Two requests are called {part.ref}.")
    for part in parts:
        for ref in _named(part):
            if indexes.get(ref, -1) >= part.index:
                raise _refused(part, f"{ref} comes no earlier, so that nothing is known of it yet.")
    return parts


def resolved(part: SubRequest, refs: Mapping[str, Any], value: Value) -> tuple[str, Any]:
    """The path and the body with references put in; text that only looks like one stays."""
    segments = [_segment(each, refs, value) for each in part.path.partition("?")[0].split("/")]
    return "/".join(segments) + "".join(part.path.partition("?")[1:]), _filled(part.body, refs, value)


def _segment(text: str, refs: Mapping[str, Any], value: Value) -> str:
    found = REFERENCE.fullmatch(text)
    if found is None or found[1] not in refs:
        return text
    if found[2] != "id":
        raise Invalid({"path": ["Takes {ref.id} alone."]})
    return str(value(found[1], "id"))


def _filled(body: Any, refs: Mapping[str, Any], value: Value) -> Any:
    if isinstance(body, dict):
        return {name: _filled(each, refs, value) for name, each in body.items()}
    if isinstance(body, list):
        return [_filled(each, refs, value) for each in body]
    if not isinstance(body, str):
        return body
    if found := REFERENCE.fullmatch(body):
        return value(found[1], found[2]) if found[1] in refs else body
    literal = LITERAL.fullmatch(body)
    return literal[1] if literal and literal[2] in refs else body


def _named(part: SubRequest) -> Iterator[str]:
    """The names in what looks like a reference."""
    texts = [*part.path.partition("?")[0].split("/"), *_texts(part.body)]
    return (found[1] for text in texts if (found := REFERENCE.fullmatch(text)))


def _texts(body: Any) -> Iterator[str]:
    if isinstance(body, str):
        yield body
    elif isinstance(body, dict | list):
        for each in body.values() if isinstance(body, dict) else body:
            yield from _texts(each)


def _refused(part: SubRequest, message: str) -> Invalid:
    return Invalid({f"requests.{part.index}": [message]})
