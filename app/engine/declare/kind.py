"""What a field holds: its SQL type, how text of a query becomes a value of it, its JSON schema, and an example."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from marshmallow import ValidationError
from sqlalchemy import ColumnElement, ForeignKey, Uuid
from sqlalchemy.types import TypeEngine

from app.foundation.identifiers import uuid_of

EXAMPLE_ID = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"


# The table of those who can be callers.
USERS = "auth_user"


class Operator(StrEnum):
    """How a condition compares a field with a value."""

    EQ = "eq"
    NE = "ne"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    IN = "in"
    NIN = "nin"
    CONTAINS = "contains"
    STARTS_WITH = "startsWith"
    ENDS_WITH = "endsWith"
    IS_NULL = "isNull"
    HAS = "has"
    HAS_ANY = "hasAny"
    HAS_ALL = "hasAll"
    IS = "is"
    WITHIN = "within"
    NEAR = "near"


EQUALITY = (Operator.EQ, Operator.NE, Operator.IN, Operator.NIN, Operator.IS_NULL)
ORDER = (Operator.GT, Operator.GTE, Operator.LT, Operator.LTE)
TEXT = (Operator.CONTAINS, Operator.STARTS_WITH, Operator.ENDS_WITH)
ARRAY = (Operator.EQ, Operator.HAS, Operator.HAS_ANY, Operator.HAS_ALL, Operator.IS_NULL)
# Those that take several values.
LISTS = frozenset({Operator.IN, Operator.NIN, Operator.HAS_ANY, Operator.HAS_ALL})


# What is longer is no value of a kind that is written in a few characters.
SHORT = 512


@dataclass(frozen=True)
class Kind(ABC):
    """What a field holds. A kind of one's own says its ``name``, its column, an example, and how a value is read from
    text (``parse``) and from JSON (``parse_json``); all else has a default."""

    name: ClassVar[str]
    operators: ClassVar[tuple[Operator, ...]] = (Operator.IS_NULL,)
    # Text sorts and compares with case aside first.
    is_text: ClassVar[bool] = False
    # The type of one value as PostgreSQL casts it, and of what it sorts by.
    sql_type: ClassVar[str] = "text"
    sort_type: ClassVar[str] = ""
    # Whether sums and averages are made of it, or the least and the greatest only; and whether these are exact, so
    # that they are text on the wire as the values are.
    is_number: ClassVar[bool] = False
    has_extremes: ClassVar[bool] = False
    is_exact: ClassVar[bool] = False
    # Whether it is measured only within groups by itself, as amounts of several currencies have no sum.
    is_measured_in_own_groups: ClassVar[bool] = False
    # Whether what it names is judged where a record takes it, and not as rows are that may be seen.
    is_judged_apart: ClassVar[bool] = False

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

    def parse_json(self, value: Any) -> Any:
        """The value that a condition in JSON asks for; None for what is none."""
        return self.parse(value) if isinstance(value, str) else None

    def load(self, value: Any) -> Any:
        """The value that a body stands for, within the bounds of the field; raises ValidationError."""
        is_long = isinstance(value, str) and len(value) > SHORT
        found = None if is_long else self.parse_json(value)
        if found is None:
            raise ValidationError(self.expected())
        return found

    def operand(self, operator: Operator, given: Any, *, is_text: bool) -> Any:
        """What ``operator`` compares with: the text of a query parameter, or a value of JSON; None for what is none."""
        if operator in TEXT:
            return given if isinstance(given, str) else None
        return self.parse(given) if is_text else self.parse_json(given)

    def operand_schema(self, operator: Operator) -> dict[str, Any]:
        """The schema in JSON of what ``operator`` compares with."""
        return self.json_schema()

    def from_cell(self, text: str) -> Any:
        """The JSON value that a cell of CSV stands for."""
        return text

    def expected(self) -> str:
        """What would be right where ``parse`` gives None."""
        return f"Is not an {self.name}." if self.name[0] in "aeiou" else f"Is not a {self.name}."

    def json_schema(self) -> dict[str, Any]:
        """The schema of a value in JSON."""
        return {"type": "string"}

    def text_schema(self) -> dict[str, Any]:
        """The schema of a value in a query parameter."""
        return self.json_schema()

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
        """What the driver takes for ``value``, or for a list of values."""
        return value

    # The following make SQL text of that of the column, and of a parameter that ``sql_type`` is cast to.

    def condition(self, operator: Operator, column: str, value: str) -> str:
        """Whether ``column`` meets an operator of this kind alone; raises LookupError for any other."""
        raise LookupError(operator)

    def compared(self, operator: str, column: str, value: str) -> str:
        """Whether ``column`` is on one side of ``value``, by an operator of PostgreSQL."""
        return f"({column} {operator} {value})"

    def sorted(self, column: str) -> str:
        """What sorts."""
        return column

    def indexed(self, column: str) -> str:
        """What an index over the column has."""
        return column

    def grouped(self, column: str) -> str:
        """What is alike within a group."""
        return column

    def measured(self, column: str) -> str:
        """What sums are made of."""
        return column

    def as_cell(self, column: str) -> str | None:
        """The text of a cell of CSV; None where that is what PostgreSQL writes of the type."""
        return None

    def as_member(self, column: str) -> str | None:
        """What becomes a member of a JSON object; None likewise."""
        return None


@dataclass(frozen=True)
class Identifier(Kind):
    """The id of the record itself."""

    name: ClassVar[str] = "string"
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY + ORDER
    sql_type: ClassVar[str] = "uuid"

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
    """The id of a row of ``table``. ``on_delete`` is cascade, set null or restrict (checked at once, deferrable).
    ``relation`` names the row that it points to, where that is not called like the field without ``Id``."""

    table: str
    on_delete: str
    relation: str = ""

    def __post_init__(self) -> None:
        if self.table == USERS:
            object.__setattr__(self, "operators", (*self.operators, Operator.IS))

    @property
    def constraints(self) -> dict[str, Any]:
        return {}

    @property
    def key(self) -> ForeignKey:
        if self.on_delete == "restrict":
            return ForeignKey(f"{self.table}.id", deferrable=True, initially="IMMEDIATE")
        return ForeignKey(f"{self.table}.id", ondelete=self.on_delete.upper())


def non_empty(bounds: Mapping[str, Any]) -> dict[str, Any]:
    """The bounds that are set."""
    return {name: bound for name, bound in bounds.items() if bound}
