"""The kinds of fields whose values have parts: JSON and vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import orjson
from pgvector.sqlalchemy import VECTOR
from sqlalchemy import ColumnElement, cast, types
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

from app.engine.declare.kind import Kind, non_empty

DEFAULT_MAX_BYTES = 65536


@dataclass(frozen=True)
class Json(Kind):
    """A JSON value; ``shape`` is object or array, ``max_bytes`` bounds its compact encoding."""

    shape: str = ""
    max_bytes: int = 0
    name: ClassVar[str] = "json"

    def column_type(self) -> TypeEngine[Any]:
        return JSONB(none_as_null=True)

    @property
    def constraints(self) -> dict[str, Any]:
        return non_empty({"shape": self.shape, "maxBytes": self.max_bytes})

    def example(self) -> Any:
        return [] if self.shape == "array" else {}

    def same(self, first: Any, second: Any) -> bool:
        """Inside JSON, 1, 1.0 and true are three values."""
        return orjson.dumps(first, option=orjson.OPT_SORT_KEYS) == orjson.dumps(second, option=orjson.OPT_SORT_KEYS)


@dataclass(frozen=True)
class Embedded(Json):
    """A JSON value that the server makes of other rows."""


@dataclass(frozen=True)
class Grants(Json):
    """A list of grants: what narrows a credential."""

    shape: str = "array"
    max_bytes: int = 65_536

    def example(self) -> Any:
        return [{"models": ["crm/company"], "operations": ["list", "read"], "fields": ["name"]}]


@dataclass(frozen=True)
class Vector(Kind):
    """As many numbers as the index has dimensions, in the range of four-byte floats."""

    name: ClassVar[str] = "vector"

    def column_type(self) -> TypeEngine[Any]:
        return VECTOR()

    def example(self) -> Any:
        return [0.1, 0.2, 0.3]

    def selected(self, column: ColumnElement[Any]) -> ColumnElement[Any]:
        # The driver knows no vectors; their text form happens to be a JSON array.
        return cast(cast(column, types.Text), JSONB)
