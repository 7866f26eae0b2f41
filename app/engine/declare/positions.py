"""Positions: the order that people give to the records of a list, where one is moved by writing it alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, NamedTuple
from uuid import UUID

from sqlalchemy import types
from sqlalchemy.types import TypeEngine

from app.engine.declare.fields import Numbered
from app.engine.declare.kind import EQUALITY, ORDER, Kind, Operator
from app.foundation.identifiers import uuid_of

FORM = re.compile(r"-?[0-9]{1,18}([.][0-9]{1,120})?", re.ASCII)
PLACE = re.compile(r"first|last|(?:before|after):([0-9A-Fa-f-]{36})", re.ASCII)


class Placement(NamedTuple):
    """Where a record is to stand: first, last, or before or after another one."""

    where: str
    neighbor: UUID | None = None


@dataclass(frozen=True)
class Placed(Numbered):
    """A default behind all others of the list."""

    def __str__(self) -> str:
        return "$last"


@dataclass(frozen=True)
class Position(Kind):
    """Where a record stands among those that are alike in ``per``: a number that only says what comes first."""

    per: str = ""
    name: ClassVar[str] = "position"
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY + ORDER
    sql_type: ClassVar[str] = "numeric"
    is_exact: ClassVar[bool] = True

    def column_type(self) -> TypeEngine[Any]:
        return types.Numeric()

    def parse(self, text: str) -> Decimal | None:
        return Decimal(text) if FORM.fullmatch(text) else None

    def load(self, value: Any) -> Any:
        placed = PLACE.fullmatch(value) if isinstance(value, str) else None
        neighbor = uuid_of(placed[1]) if placed is not None and placed[1] else None
        if placed is None or (placed[1] and neighbor is None):
            return super().load(value)
        return Placement(value.partition(":")[0], neighbor)

    def expected(self) -> str:
        return "Is none of first, last, before:{id} and after:{id}, and no position that was read."

    def example(self) -> Any:
        return "1"

    def as_member(self, column: str) -> str:
        return f"{column}::text"
