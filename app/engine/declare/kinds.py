"""The kinds of fields that the product has. The schema field of each is in ``schemas.kinds``."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

from marshmallow import ValidationError
from sqlalchemy import BigInteger, Double, types
from sqlalchemy.dialects.postgresql import ARRAY, TIMESTAMP
from sqlalchemy.types import TypeEngine

from app.engine.declare.kind import ARRAY as ARRAY_OPERATORS
from app.engine.declare.kind import EQUALITY, ORDER, TEXT, Kind, Operator, non_empty
from app.foundation.addresses import normalized
from app.foundation.clock import NOT_A_MOMENT, moment_of

INTEGER_MAX = 2147483647
SAFE_MAX = 9007199254740991
BIGINT_MAX = 2**63
INTEGER_TEXT = re.compile(r"-?(0|[1-9][0-9]{0,18})", re.ASCII)
DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)


@dataclass(frozen=True)
class String(Kind):
    """A string of at most ``max`` characters; ``format`` is email or url."""

    max: int = 0
    min: int = 0
    format: str = ""
    pattern: str = ""
    name: ClassVar[str] = "string"
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY + ORDER + TEXT
    is_text: ClassVar[bool] = True

    def column_type(self) -> TypeEngine[Any]:
        return types.String(self.max)

    @property
    def constraints(self) -> dict[str, Any]:
        bounds = {"minLength": self.min, "maxLength": self.max, "format": self.format, "pattern": self.pattern}
        return non_empty(bounds)

    def parse(self, text: str) -> Any:
        if self.format != "email":
            return text
        try:
            return normalized(text)
        except ValidationError:
            return text.lower()  # no address, so no row has it

    def example(self) -> Any:
        return "https://example.com/page" if self.format == "url" else "Example text"[: self.max or None]


@dataclass(frozen=True)
class LongText(Kind):
    """A string of any length, or of at most ``max`` characters."""

    max: int = 0
    min: int = 0
    name: ClassVar[str] = "text"
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY + ORDER + TEXT
    is_text: ClassVar[bool] = True

    def column_type(self) -> TypeEngine[Any]:
        return types.Text()

    @property
    def constraints(self) -> dict[str, Any]:
        return non_empty({"minLength": self.min, "maxLength": self.max})

    def example(self) -> Any:
        return "Example text"[: self.max or None]


@dataclass(frozen=True)
class Integer(Kind):
    """A whole number from ``min`` to ``max``, stored in 8 bytes when ``max`` needs them."""

    min: int
    max: int
    name: ClassVar[str] = "integer"
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY + ORDER
    sql_type: ClassVar[str] = "bigint"
    is_number: ClassVar[bool] = True

    def column_type(self) -> TypeEngine[Any]:
        return BigInteger() if self.max > INTEGER_MAX else types.Integer()

    def json_schema(self) -> dict[str, Any]:
        return {"type": "integer"}

    @property
    def constraints(self) -> dict[str, Any]:
        return {"minimum": self.min, "maximum": self.max}

    def parse(self, text: str) -> Any:
        value = int(text) if INTEGER_TEXT.fullmatch(text) else None
        return value if value is not None and -BIGINT_MAX <= value < BIGINT_MAX else None

    def parse_json(self, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
            return None
        return int(value) if -BIGINT_MAX <= value < BIGINT_MAX else None

    def example(self) -> Any:
        return max(self.min, min(1, self.max))


@dataclass(frozen=True)
class Number(Kind):
    """A floating-point number of 8 bytes."""

    min: float | None = None
    max: float | None = None
    name: ClassVar[str] = "number"
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY + ORDER
    sql_type: ClassVar[str] = "float8"
    is_number: ClassVar[bool] = True

    def column_type(self) -> TypeEngine[Any]:
        return Double()

    def json_schema(self) -> dict[str, Any]:
        return {"type": "number"}

    @property
    def constraints(self) -> dict[str, Any]:
        return {} if self.min is None else {"minimum": self.min, "maximum": self.max}

    def parse(self, text: str) -> Any:
        value = float(text) if DECIMAL.fullmatch(text) else None
        return value if value is not None and math.isfinite(value) else None

    def parse_json(self, value: Any) -> Any:
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    def example(self) -> Any:
        low, high = (1 if bound is None else bound for bound in (self.min, self.max))
        return max(low, min(1, high))


@dataclass(frozen=True)
class Boolean(Kind):
    """True or false."""

    name: ClassVar[str] = "boolean"
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY
    sql_type: ClassVar[str] = "boolean"

    def column_type(self) -> TypeEngine[Any]:
        return types.Boolean()

    def json_schema(self) -> dict[str, Any]:
        return {"type": "boolean"}

    def parse(self, text: str) -> Any:
        return {"true": True, "false": False}.get(text)

    def parse_json(self, value: Any) -> Any:
        return value if isinstance(value, bool) else None

    def example(self) -> Any:
        return True


@dataclass(frozen=True)
class Timestamp(Kind):
    """A moment in UTC, kept to the millisecond."""

    name: ClassVar[str] = "timestamp"
    has_extremes: ClassVar[bool] = True
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY + ORDER
    sql_type: ClassVar[str] = "timestamptz"

    def expected(self) -> str:
        return NOT_A_MOMENT

    def column_type(self) -> TypeEngine[Any]:
        return TIMESTAMP(timezone=True, precision=3)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}

    def parse(self, text: str) -> Any:
        return moment_of(text)

    def example(self) -> Any:
        return "2027-01-01T09:00:00.000Z"


@dataclass(frozen=True)
class Strings(Kind):
    """A list of strings, either from ``items`` or free within ``item_max`` characters; a filter asks for one of
    them."""

    items: Collection[str] = ()
    max_items: int = 0
    item_max: int = 0
    min_items: int = 0
    name: ClassVar[str] = "array<string>"
    operators: ClassVar[tuple[Operator, ...]] = ARRAY_OPERATORS

    def column_type(self) -> TypeEngine[Any]:
        return ARRAY(types.Text())

    @property
    def constraints(self) -> dict[str, Any]:
        bounds = {"items": list(self.items), "maxItems": self.max_items}
        return non_empty(bounds | {"itemMaxLength": self.item_max, "minItems": self.min_items})

    def parse(self, text: str) -> Any:
        return text if not self.items or text in self.items else None

    def expected(self) -> str:
        return f"Must be one of: {', '.join(self.items)}." if self.items else super().expected()

    def example(self) -> Any:
        return list(self.items or ["text"])[:1]

    def bound(self, value: Any) -> Any:
        return value if isinstance(value, list) else [value]


@dataclass(frozen=True)
class Enum(Kind):
    """One of ``values``, guarded by a check constraint."""

    values: Collection[str]

    name: ClassVar[str] = "enum"
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY
    is_text: ClassVar[bool] = True

    def __str__(self) -> str:
        return f"enum[{','.join(self.values)}]"

    def column_type(self) -> TypeEngine[Any]:
        return types.String(max(map(len, self.values)))

    def parse(self, text: str) -> Any:
        return text if text in self.values else None

    def expected(self) -> str:
        return f"Must be one of: {', '.join(self.values)}."

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.values)}

    def example(self) -> Any:
        return next(iter(self.values))


@dataclass(frozen=True)
class OpenEnum(Enum):
    """One of the names that plugins register, so that no check constraint can say which."""

    def column_type(self) -> TypeEngine[Any]:
        return types.String(64)
