"""The vocabulary of columns: what a field holds and what callers may do with it, declared in one line each.

Every builder takes flags (what callers may do with the field) and keywords (the bounds of its kind) and returns a
mapped column whose ``info["spec"]`` the engine reads. A field that is neither nullable nor has a default is required.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, types
from sqlalchemy.orm import MappedColumn, mapped_column

from app.engine.declare import kinds, shapes, structures
from app.engine.declare.kind import Kind, Reference
from app.foundation.clock import now

if TYPE_CHECKING:
    from app.engine.declare.scope import Scope


class Display(StrEnum):
    """How people read a value, where its kind does not say: amounts of money are in hundredths of their currency,
    ``MICROS`` in millionths of it, files in base64. ``UNITS`` says which names say it."""

    MONEY = "money"
    MICROS = "micros"
    PERCENT = "percent"
    BYTES = "bytes"
    MILLISECONDS = "milliseconds"
    FILE = "file"


MONEY, PERCENT, BYTES, FILE = Display.MONEY, Display.PERCENT, Display.BYTES, Display.FILE
UNITS = {
    "_ms": Display.MILLISECONDS,
    "_micros": Display.MICROS,
    "_bytes": BYTES,
    "_percent": PERCENT,
    "_percentage": PERCENT,
}
# Of amounts whose record names no currency.
CURRENCY = "USD"


class FieldFlag(StrEnum):
    """What callers may do with a field. Without flags it is set on create and update and always returned."""

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
    CALLED = "called"


READ_ONLY, WRITE_ONLY = FieldFlag.READ_ONLY, FieldFlag.WRITE_ONLY
IMMUTABLE, HIDDEN = FieldFlag.IMMUTABLE, FieldFlag.HIDDEN
FILTERABLE, SORTABLE, UNLISTED = FieldFlag.FILTERABLE, FieldFlag.SORTABLE, FieldFlag.UNLISTED
ADMIN_READS, SCOPE_READS, ADMIN_WRITES = FieldFlag.ADMIN_READS, FieldFlag.SCOPE_READS, FieldFlag.ADMIN_WRITES
RETURNED_ONCE, ENCRYPTED, DIGEST = FieldFlag.RETURNED_ONCE, FieldFlag.ENCRYPTED, FieldFlag.DIGEST
CALLED = FieldFlag.CALLED  # an address that the service asks by itself
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
class FromNow:
    """A default so many days or hours after the time of the write."""

    delay: timedelta

    def __str__(self) -> str:
        days, hours = self.delay.days, self.delay.seconds // 3600
        return f"$now+P{days}D" if days else f"$now+PT{hours}H"


@dataclass(frozen=True)
class Factory:
    """A default that is made when it is asked for."""

    make: Callable[[], Any]


@dataclass(frozen=True)
class Numbered:
    """A default that counts: the next number of the rows that are alike in ``per``, without gaps, as it is drawn in the
    transaction of the write, whose others wait for it."""

    per: str = ""

    def __str__(self) -> str:
        return "$number"


@dataclass(frozen=True)
class SlugOf:
    """A default made of the text in ``attribute``, for addresses: ``an-old-boat``, and where that is taken
    ``an-old-boat-1f3a9c``."""

    attribute: str

    def __str__(self) -> str:
        return "$slug"


# Defaults that the database is asked for, once all else is known.
ASKED_FOR = (Numbered, SlugOf)

NO_DEFAULT = object()


@dataclass(frozen=True)
class FieldSpec:
    """What a field holds and how it travels: kind, flags, default; ``note`` is the text for API users, ``display``
    what the studio shows its values as. Only whoever sees the row by ``read`` sees the field, and only whoever may
    write it by ``write`` sets the field."""

    kind: Kind
    flags: frozenset[FieldFlag] = frozenset()
    default: Any = NO_DEFAULT
    note: str = ""
    display: Display | None = None
    read: Scope | None = None
    write: Scope | None = None

    @property
    def access(self) -> str:
        return next((flag.value for flag in ACCESS if flag in self.flags), "normal")

    @property
    def writable(self) -> bool:
        """Whether callers may set it on create."""
        return not self.flags & {READ_ONLY, HIDDEN}

    @property
    def readable(self) -> bool:
        return not self.flags & {WRITE_ONLY, HIDDEN}

    @property
    def has_default(self) -> bool:
        return self.default is not NO_DEFAULT


def column(
    kind: Kind, *flags: FieldFlag, default: Any = NO_DEFAULT, note: str = "", display: Display | None = None,
    read: Scope | None = None, write: Scope | None = None, **rest: Any,
) -> MappedColumn[Any]:  # fmt: skip
    """A column of ``kind``, for kinds of one's own; ``rest`` goes to SQLAlchemy."""
    spec = FieldSpec(kind, frozenset(flags), default, note, display, read, write)
    # What is stored encrypted is longer than what was sent.
    stored = types.Text() if ENCRYPTED in spec.flags else kind.column_type()
    filled = _stored_default(default)
    if filled is not None:
        rest["default"] = filled
    keys = (kind.key,) if isinstance(kind, Reference) else ()
    return mapped_column(stored, *keys, info={"spec": spec}, **rest)


def string(
    *flags: FieldFlag, max: int, min: int = 0, format: str = "", pattern: str = "", **rest: Any
) -> MappedColumn[Any]:
    """A string of at most ``max`` characters; ``format`` is email or url."""
    return column(kinds.String(max, min, format, pattern), *flags, **rest)


def long_text(*flags: FieldFlag, max: int = 0, min: int = 0, **rest: Any) -> MappedColumn[Any]:
    """A string of any length, or of at most ``max`` characters."""
    return column(kinds.LongText(max, min), *flags, **rest)


def integer(*flags: FieldFlag, min: int, max: int, **rest: Any) -> MappedColumn[Any]:
    """A whole number from ``min`` to ``max``, stored in 8 bytes when ``max`` needs them."""
    return column(kinds.Integer(min, max), *flags, **rest)


def number(*flags: FieldFlag, min: float | None = None, max: float | None = None, **rest: Any) -> MappedColumn[Any]:
    """A floating-point number of 8 bytes, within both bounds or none."""
    return column(kinds.Number(min, max), *flags, **rest)


def boolean(*flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """True or false."""
    return column(kinds.Boolean(), *flags, **rest)


def timestamp(*flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """A moment in UTC, kept to the millisecond."""
    return column(kinds.Timestamp(), *flags, **rest)


def json(*flags: FieldFlag, shape: str | Mapping[str, Any] = "", max_bytes: int = 0, **rest: Any) -> MappedColumn[Any]:
    """A JSON value; ``shape`` is object, array or a JSON Schema, ``max_bytes`` (65536 unless said) bounds its compact
    encoding."""
    kind = structures.Json(shape, max_bytes) if isinstance(shape, str) else shapes.shaped(shape, max_bytes)
    return column(kind, *flags, **rest)


def grants(*flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """A list of grants, or null for none."""
    return column(structures.Grants(), *flags, **rest)


def strings(
    *flags: FieldFlag, items: Collection[str] = (), max_items: int = 0, item_max: int = 0, min_items: int = 0,
    **rest: Any,
) -> MappedColumn[Any]:  # fmt: skip
    """A list of strings, either from ``items`` or free within ``item_max`` characters."""
    return column(kinds.Strings(items, max_items, item_max, min_items), *flags, **rest)


def vector(*flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """As many numbers as the index has dimensions, in the range of four-byte floats."""
    return column(structures.Vector(), *flags, **rest)


def enum(*values: str, flags: tuple[FieldFlag, ...] = (), **rest: Any) -> MappedColumn[Any]:
    """One of ``values``, guarded by a check constraint."""
    return column(kinds.Enum(values), *flags, **rest)


def open_enum(names: Collection[str], *flags: FieldFlag, **rest: Any) -> MappedColumn[Any]:
    """One of ``names``, which plugins register."""
    return column(kinds.OpenEnum(names), *flags, **rest)


def reference(table: str, on_delete: str, *flags: FieldFlag, relation: str = "", **rest: Any) -> MappedColumn[Any]:
    """The id of a row of ``table``. ``on_delete`` is cascade, set null or restrict (checked at once, deferrable).
    ``relation`` names the row, where that is not called like the field without ``Id``."""
    return column(Reference(table, on_delete, relation), *flags, **rest)


def _stored_default(default: Any) -> Callable[[], Any] | None:
    """Translate what the database layer can fill in by itself; the caller's part is up to the engine."""
    if isinstance(default, FromNow):
        return lambda: now() + default.delay
    if default is NOW:
        return now
    if isinstance(default, Factory):
        return default.make
    if default is NO_DEFAULT or isinstance(default, Default | Numbered | SlugOf):
        return None
    return lambda: deepcopy(default)


@dataclass(frozen=True)
class Virtual:
    """A field on the wire without a column: ``expression`` makes its SQL from the model, or ``make`` its value of those
    of the attributes ``of``; where there is neither, it is never answered."""

    spec: FieldSpec
    required: bool = False
    expression: Callable[[Any], ColumnElement[Any]] | None = None
    make: Callable[..., Any] | None = None
    of: tuple[str, ...] = ()


def virtual(
    kind: Kind,
    *flags: FieldFlag,
    expression: Callable[[Any], Any] | None = None,
    note: str = "",
    required: bool = False,
    display: Display | None = None,
    read: Scope | None = None,
) -> Virtual:
    """Declare a field that is worked out when read, or accepted and not kept as such."""
    return Virtual(FieldSpec(kind, frozenset(flags), note=note, display=display, read=read), required, expression)
