"""The base of schemas, and fields that take exactly their JSON type: no "3" for 3, no 1 for true, no local moment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import UUID

import orjson
from marshmallow import RAISE, Schema, ValidationError, fields, missing, validate

from app.engine.declare import shapes
from app.engine.declare.kind import Kind
from app.engine.declare.structures import DEFAULT_MAX_BYTES
from app.engine.read.grant_parser import parse_grants
from app.foundation.addresses import normalized
from app.foundation.clock import NOT_A_MOMENT, moment_of
from app.foundation.identifiers import uuid_of

UNSAFE = re.compile(r"[\s\\<>\"{}|^`]")
UNRESERVED = "!#$%&'()*+,/:;=?@[]~"
MAX_ITEMS = MAX_DIMENSIONS = 2000
MAX_FLOAT = 3.4e38


def refuse_long(field: fields.Field[Any], value: str | list[Any]) -> None:
    """Refuse a string or an array over the length of ``field``; raises ValidationError."""
    for bound in field.validators:
        if isinstance(bound, validate.Length) and bound.max is not None and len(value) > bound.max:
            bound(value)


class Text(fields.String):
    """A string, kept as sent; a required string of blanks only is refused. A string over its length is refused before
    any other look at it, as patterns and normalization may take more than linear time."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise self.make_error("invalid")
        refuse_long(self, value)
        if self.metadata.get("blank") is False and value.strip() == "":
            raise ValidationError("Must not be blank.")
        return value


class Email(Text):
    """An address, NFC-normalized, then checked, then folded to lower case."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        return normalized(super()._deserialize(value, attr, data, **kwargs))


class Url(Text):
    """An absolute http or https address, kept percent-encoded so that it is plain ASCII."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        value = super()._deserialize(value, attr, data, **kwargs)
        try:
            parts = urlsplit(value)
            host, _ = parts.hostname or "", parts.port
            ascii_host = host.encode("idna").decode() if host else ""
        except ValueError:
            raise ValidationError("Not a valid URL.") from None
        if parts.scheme.lower() not in ("http", "https") or not ascii_host or UNSAFE.search(value):
            raise ValidationError("Not a valid URL.")
        if not host.isascii():
            at = value.lower().index(host)
            value = value[:at] + ascii_host + value[at + len(host) :]
        return quote(value, safe=UNRESERVED)


class Identifier(fields.Field[UUID]):
    """The id of a record; what is not a UUID can be the id of none."""

    default_error_messages = {"invalid": "Not a valid string."}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> UUID:
        if not isinstance(value, str):
            raise self.make_error("invalid")
        return uuid_of(value) or UUID(int=0)


class Whole(fields.Integer):
    """A JSON integer; 5.0 is one, "5" and true are not."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
            raise self.make_error("invalid")
        return int(value)


class Number(fields.Float):
    """A number, and no text that looks like one."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid")
        return float(value)


class Flag(fields.Boolean):
    """A JSON boolean; ``"true"`` and 1 are refused."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid")
        return value


class Moment(fields.DateTime):
    """An RFC 3339 timestamp with a zone, cut to the millisecond in UTC."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        moment = moment_of(value) if isinstance(value, str) else None
        if moment is None:
            raise ValidationError(NOT_A_MOMENT)
        return moment


class Json(fields.Raw):
    """A JSON value of a given shape, bounded by the size of its compact encoding."""

    def __init__(self, *, shape: str = "", max_bytes: int = DEFAULT_MAX_BYTES, **kwargs: Any) -> None:
        self.shape, self.max_bytes = shape, max_bytes
        super().__init__(**kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        expected = {"object": dict, "array": list}.get(self.shape)
        if expected is not None and not isinstance(value, expected):
            raise ValidationError(f"Not a valid {self.shape}.")
        if len(orjson.dumps(value)) > self.max_bytes:
            raise ValidationError(f"Must be at most {self.max_bytes} bytes.")
        return value


class Shaped(Json):
    """A JSON value that fits a declared JSON Schema; it is measured before that is asked."""

    def __init__(self, kind: shapes.Shaped, **options: Any) -> None:
        super().__init__(shape=kind.shape, max_bytes=kind.max_bytes or DEFAULT_MAX_BYTES, **options)
        self.kind = kind

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        given = super()._deserialize(value, attr, data, **kwargs)
        if fault := self.kind.fault(given):
            raise ValidationError(fault)
        return given


class Grants(Json):
    """A list of grants, refused at what breaks a rule."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "shape": "array"})

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        given = super()._deserialize(value, attr, data, **kwargs)
        parse_grants(given, str(attr))
        return given


class Items(fields.List[Any]):
    """An array, refused by its length before its items are looked at."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if isinstance(value, list):
            refuse_long(self, value)
            if len(value) > MAX_ITEMS:
                raise ValidationError(f"Longer than maximum length {MAX_ITEMS}.")
        return super()._deserialize(value, attr, data, **kwargs)


class Vector(Items):
    """An array of numbers, as many and as large as PostgreSQL keeps and indexes."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            Number(validate=validate.Range(-MAX_FLOAT, MAX_FLOAT)),
            **kwargs | {"validate": validate.Length(1, MAX_DIMENSIONS)},
        )


class Strings(Items):
    """An array of strings; NUL characters have been refused with the body."""

    def __init__(self, *, each: list[Any], **kwargs: Any) -> None:
        super().__init__(Text(validate=each), **kwargs)


class Embedded(fields.Raw):
    """A value made by the server, compared on update with what it was."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        return value


class Value(fields.Field[Any]):
    """A value that its kind reads."""

    def __init__(self, kind: Kind, **kwargs: Any) -> None:
        self.kind = kind
        super().__init__(**kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return self.kind.load(value)


class WireSchema(Schema):
    """Base of all schemas: unknown fields are refused by name. Instances are shared and never changed, so
    ``deepcopy`` returns the same one."""

    class Meta:
        unknown = RAISE
        ordered = True

    error_messages = {"unknown": "Unknown field.", "type": "Must be a JSON object."}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        members = [(each.data_key or name, each.attribute or name, each) for name, each in self.load_fields.items()]
        is_plain = not any(self._hooks.values()) and self.unknown == RAISE
        is_plain = is_plain and all(each.load_default is missing and "." not in name for _, name, each in members)
        self._members = members if is_plain else None
        self._required = {name for _, name, each in members if each.required}

    def __deepcopy__(self, memo: dict[int, Any]) -> WireSchema:
        return self

    def load(self, data: Any, **options: Any) -> Any:
        """Read a valid body the short way; marshmallow reads any other, and says what is wrong with it."""
        if self._members is not None and type(data) is dict and not options:
            with suppress(ValidationError):
                found = {
                    name: field.deserialize(data[key], key, data) for key, name, field in self._members if key in data
                }
                if len(found) == len(data) and self._required <= found.keys():
                    return found
        return super().load(data, **options)
