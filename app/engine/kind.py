"""What a field holds: its SQL type, how text of a query becomes a value of it, its JSON schema, and an example."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, ForeignKey, Uuid
from sqlalchemy.types import TypeEngine

from app.foundation.identifiers import uuid_of

EXAMPLE_ID = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"


@dataclass(frozen=True)
class Kind(ABC):
    """What a field holds."""

    name: ClassVar[str]

    def __str__(self) -> str:
        """The type in the data dictionary."""
        return self.name

    @abstractmethod
    def column_type(self) -> TypeEngine[Any]: ...

    @property
    def constraints(self) -> dict[str, Any]:
        """The bounds, in the words of the data dictionary."""
        return {}

    def parse(self, text: str) -> Any:
        """The value that a filter asks for; None for text that is none."""
        return text

    def expected(self) -> str:
        """What would be right where ``parse`` gives None."""
        return f"Is not an {self.name}." if self.name[0] in "aeiou" else f"Is not a {self.name}."

    def json_schema(self) -> dict[str, Any]:
        """The schema of the value in a filter."""
        return {"type": "string"}

    @abstractmethod
    def example(self) -> Any:
        """A value that the field takes."""

    def same(self, first: Any, second: Any) -> bool:
        """Whether two values are the same on the wire."""
        return bool(first == second)

    def selected(self, column: ColumnElement[Any]) -> ColumnElement[Any]:
        """What is selected of the column so that the driver reads its value."""
        return column

    def bound(self, value: Any) -> Any:
        """The parameter that finds ``value`` in the column."""
        return value


@dataclass(frozen=True)
class Identifier(Kind):
    """The id of the record itself."""

    name: ClassVar[str] = "string"

    def column_type(self) -> TypeEngine[Any]:
        return Uuid()

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "uuid"}

    @property
    def constraints(self) -> dict[str, Any]:
        return {"format": "uuid"}

    def parse(self, text: str) -> Any:
        return uuid_of(text)

    def example(self) -> Any:
        return EXAMPLE_ID


@dataclass(frozen=True)
class Reference(Identifier):
    """The id of a row of ``table``. ``on_delete`` is cascade, set null or restrict (checked at once, deferrable)."""

    table: str
    on_delete: str

    @property
    def constraints(self) -> dict[str, Any]:
        return {}

    @property
    def key(self) -> ForeignKey:
        if self.on_delete == "restrict":
            return ForeignKey(f"{self.table}.id", deferrable=True, initially="IMMEDIATE")
        return ForeignKey(f"{self.table}.id", ondelete=self.on_delete.upper())
