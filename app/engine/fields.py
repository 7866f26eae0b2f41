"""The vocabulary of columns: SQL type and wire rules declared together, in one line each.

Every builder takes marks (what callers may do with the field) and keywords (its bounds) and returns a mapped
column whose ``info["wire"]`` the engine reads. A field that is neither nullable nor has a default is required.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any

from pgvector.sqlalchemy import VECTOR
from sqlalchemy import BigInteger, Boolean, ColumnElement, Double, ForeignKey, Integer, String, Text, Uuid
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TIMESTAMP
from sqlalchemy.orm import MappedColumn, mapped_column

from app.foundation.clock import now

INTEGER_MAX = 2147483647
SAFE_MAX = 9007199254740991


class Mark(StrEnum):
    """What callers may do with a field. Without marks it is set on create and update and always returned."""

    READ_ONLY = "readOnly"
    WRITE_ONLY = "writeOnly"
    IMMUTABLE = "immutable"
    HIDDEN = "hidden"
    FILTERABLE = "filterable"
    SORTABLE = "sortable"
    UNLISTED = "unlisted"
    ADMIN_READS = "readableBy admin"
    SCOPE_READS = "readableBy scope"
    ADMIN_WRITES = "writableBy admin"
    RETURNED_ONCE = "returnedOnce"
    ENCRYPTED = "encrypted"
    DIGEST = "digest"


READ_ONLY, WRITE_ONLY, IMMUTABLE, HIDDEN = Mark.READ_ONLY, Mark.WRITE_ONLY, Mark.IMMUTABLE, Mark.HIDDEN
FILTERABLE, SORTABLE, UNLISTED = Mark.FILTERABLE, Mark.SORTABLE, Mark.UNLISTED
ADMIN_READS, SCOPE_READS, ADMIN_WRITES = Mark.ADMIN_READS, Mark.SCOPE_READS, Mark.ADMIN_WRITES
RETURNED_ONCE, ENCRYPTED, DIGEST = Mark.RETURNED_ONCE, Mark.ENCRYPTED, Mark.DIGEST
ACCESS = (READ_ONLY, WRITE_ONLY, IMMUTABLE, HIDDEN)


class Default(StrEnum):
    """Defaults that are worked out at the moment of writing."""

    CALLER_USER = "$caller.userId"
    CALLER_ORGANIZATION = "$caller.organizationId"
    CALLER_BUCKET = "$caller.defaultBucketId"
    NOW = "$now"
    GENERATED = "$generated"
    DERIVED = "$derived"


CALLER_USER, CALLER_ORGANIZATION, CALLER_BUCKET = (
    Default.CALLER_USER,
    Default.CALLER_ORGANIZATION,
    Default.CALLER_BUCKET,
)
NOW, GENERATED, DERIVED = Default.NOW, Default.GENERATED, Default.DERIVED


@dataclass(frozen=True)
class After:
    """A default that many days or hours after the write."""

    delay: timedelta

    def __str__(self) -> str:
        days, hours = self.delay.days, self.delay.seconds // 3600
        return f"$now+P{days}D" if days else f"$now+PT{hours}H"


NO_DEFAULT = object()


@dataclass(frozen=True)
class Wire:
    """How a column travels: JSON type, marks, default and bounds; ``note`` is the text for API users."""

    type: str
    marks: frozenset[Mark] = frozenset()
    default: Any = NO_DEFAULT
    constraints: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    on_delete: str = ""

    @property
    def access(self) -> str:
        return next((mark.value for mark in ACCESS if mark in self.marks), "normal")

    @property
    def writable(self) -> bool:
        """Whether callers may set it on create."""
        return not self.marks & {READ_ONLY, HIDDEN}

    @property
    def readable(self) -> bool:
        return not self.marks & {WRITE_ONLY, HIDDEN}

    @property
    def has_default(self) -> bool:
        return self.default is not NO_DEFAULT


def string(*marks: Mark, max: int, min: int = 0, format: str = "", pattern: str = "", **rest: Any) -> MappedColumn[Any]:
    """A string of at most ``max`` characters; ``format`` is email or url."""
    bounds = {"minLength": min, "maxLength": max, "format": format, "pattern": pattern}
    return _column(String(max), "string", marks, bounds, rest)


def long_text(*marks: Mark, max: int = 0, min: int = 0, **rest: Any) -> MappedColumn[Any]:
    return _column(Text(), "text", marks, {"minLength": min, "maxLength": max}, rest)


def integer(*marks: Mark, min: int, max: int, **rest: Any) -> MappedColumn[Any]:
    """A whole number from ``min`` to ``max``, stored in 8 bytes when ``max`` needs them."""
    kind = BigInteger() if max > INTEGER_MAX else Integer()
    return _column(kind, "integer", marks, {"minimum": min, "maximum": max}, rest, zero_counts=True)


def number(*marks: Mark, min: float | None = None, max: float | None = None, **rest: Any) -> MappedColumn[Any]:
    bounds = {} if min is None else {"minimum": min, "maximum": max}
    return _column(Double(), "number", marks, bounds, rest, zero_counts=True)


def boolean(*marks: Mark, **rest: Any) -> MappedColumn[Any]:
    return _column(Boolean(), "boolean", marks, {}, rest)


def timestamp(*marks: Mark, **rest: Any) -> MappedColumn[Any]:
    """A moment in UTC, kept to the millisecond."""
    return _column(TIMESTAMP(timezone=True, precision=3), "timestamp", marks, {}, rest)


def json(*marks: Mark, shape: str = "", max_bytes: int = 0, **rest: Any) -> MappedColumn[Any]:
    """A JSON value; ``shape`` is object or array, ``max_bytes`` (65536 unless said) bounds its compact encoding."""
    return _column(JSONB(none_as_null=True), "json", marks, {"shape": shape, "maxBytes": max_bytes}, rest)


def strings(*marks: Mark, items: tuple[str, ...] = (), max_items: int = 0, **rest: Any) -> MappedColumn[Any]:
    """A list of strings, either from ``items`` or free within ``item_max`` characters."""
    bounds = {
        "items": list(items), "maxItems": max_items,
        "itemMaxLength": rest.pop("item_max", 0), "minItems": rest.pop("min_items", 0),
    }  # fmt: skip
    return _column(ARRAY(Text()), "array<string>", marks, bounds, rest)


def vector(*marks: Mark, **rest: Any) -> MappedColumn[Any]:
    """As many numbers as the index has dimensions, in the range of four-byte floats."""
    return _column(VECTOR(), "vector", marks, {}, rest)


def enum(*values: str, marks: tuple[Mark, ...] = (), **rest: Any) -> MappedColumn[Any]:
    """One of ``values``, guarded by a check constraint."""
    longest = max(len(value) for value in values)
    return _column(String(longest), f"enum[{','.join(values)}]", marks, {}, rest)


def reference(table: str, on_delete: str, *marks: Mark, **rest: Any) -> MappedColumn[Any]:
    """The id of a row of ``table``. ``on_delete`` is cascade, set null or restrict (checked at once, deferrable)."""
    if on_delete == "restrict":
        key = ForeignKey(f"{table}.id", deferrable=True, initially="IMMEDIATE")
    else:
        key = ForeignKey(f"{table}.id", ondelete=on_delete.upper())
    return _column(Uuid(), "string", marks, {}, rest, key, on_delete=on_delete)


def _column(
    kind: Any, type: str, marks: tuple[Mark, ...], bounds: dict[str, Any], rest: dict[str, Any],
    *keys: ForeignKey, zero_counts: bool = False, on_delete: str = "",
) -> MappedColumn[Any]:  # fmt: skip
    default = rest.pop("default", NO_DEFAULT)
    constraints = {name: bound for name, bound in bounds.items() if bound or (zero_counts and bound is not None)}
    wire = Wire(type, frozenset(marks), default, constraints, rest.pop("note", ""), on_delete)
    if ENCRYPTED in wire.marks:
        kind = Text()  # what is stored is longer than what was sent
    options = {**rest, "info": {"wire": wire}}
    filled = _stored_default(default)
    if filled is not None:
        options["default"] = filled
    return mapped_column(kind, *keys, **options)


def _stored_default(default: Any) -> Callable[[], Any] | None:
    """Translate what the database layer can fill in by itself; the caller's part is up to the engine."""
    if isinstance(default, After):
        return lambda: now() + default.delay
    if default is NOW:
        return now
    if default is NO_DEFAULT or isinstance(default, Default):
        return None
    return lambda: deepcopy(default)


@dataclass(frozen=True)
class Virtual:
    """A field on the wire without a column: ``expression`` makes its SQL from the model (None: never selected)."""

    wire: Wire
    required: bool = False
    expression: Callable[[Any], ColumnElement[Any]] | None = None


def virtual(
    type: str, *marks: Mark, expression: Callable[[Any], Any] | None = None,
    constraints: dict[str, Any] | None = None, note: str = "", required: bool = False,
) -> Virtual:  # fmt: skip
    """Declare a field that is worked out when read, or accepted and not kept as such."""
    return Virtual(Wire(type, frozenset(marks), constraints=constraints or {}, note=note), required, expression)
