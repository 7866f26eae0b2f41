"""Fields that take exactly their JSON type: no "3" for 3, no 1 for true, no local time for a moment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import UUID

import orjson
from marshmallow import ValidationError, fields, validate

from app.foundation.addresses import normalized

DATE_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
)
UUID_FORM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
UNSAFE = re.compile(r"[\s\\<>\"{}|^`]")
UNRESERVED = "!#$%&'()*+,/:;=?@[]~"
DEFAULT_MAX_BYTES = 65536
MAX_ITEMS = MOST_DIMENSIONS = 2000
LARGEST_FLOAT = 3.4e38
NOT_A_MOMENT = "Not a date and time with a zone, such as 2026-12-24T09:00:00Z."


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


def uuid_of(text: str) -> UUID | None:
    """Read a UUID in its canonical form of 36 characters, or None."""
    return UUID(text) if UUID_FORM.fullmatch(text) else None


class Whole(fields.Integer):
    """A JSON integer; 5.0 is one, "5" and true are not."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
            raise self.make_error("invalid")
        return int(value)


class Number(fields.Float):
    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid")
        return float(value)


class Flag(fields.Boolean):
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


def moment_of(text: str) -> datetime | None:
    """Read an RFC 3339 timestamp with a zone, or None."""
    found = DATE_TIME.fullmatch(text)
    if found is None:
        return None
    fraction = (found[7] or "")[:3].ljust(3, "0")
    zone = "+00:00" if found[8] is None else f"{found[8]}{found[9]}:{found[10]}"
    try:
        moment = datetime.fromisoformat(f"{text[:10]}T{text[11:19]}.{fraction}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if moment.year >= 1 else None


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
        each = Number(validate=validate.Range(-LARGEST_FLOAT, LARGEST_FLOAT))
        super().__init__(each, **kwargs | {"validate": validate.Length(1, MOST_DIMENSIONS)})


class Strings(Items):
    """An array of strings; NUL characters have been refused with the body."""

    def __init__(self, *, each: list[Any], **kwargs: Any) -> None:
        super().__init__(Text(validate=each), **kwargs)


class Nested(fields.Raw):
    """A value made by the server, compared on update with what it was."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        return value
