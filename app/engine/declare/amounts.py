"""Kinds of exact amounts: decimals, and money with its currency."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal as Exact
from decimal import localcontext
from typing import Any, ClassVar

import orjson
from marshmallow import ValidationError
from sqlalchemy import types
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

from app.engine.declare.kind import EQUALITY, ORDER, Kind, Operator
from app.engine.declare.locales import currencies, decimal_places

FORM = re.compile(r"-?(0|[1-9][0-9]{0,36})([.][0-9]{1,18})?", re.ASCII)
WORTH = re.compile(r"(\S+) ([A-Z]{3})", re.ASCII)
MONEY_DIGITS = 15


def exact(text: Any) -> Exact | None:
    """The decimal number that ``text`` says; None for what says none."""
    return Exact(text) if isinstance(text, str) and FORM.fullmatch(text) else None


def plain(value: Exact, scale: int) -> str:
    """A decimal number with so many digits behind its point."""
    with localcontext(prec=60):
        return f"{value.quantize(Exact(1).scaleb(-scale)) + 0:f}"  # which no zero below zero survives


@dataclass(frozen=True)
class Decimal(Kind):
    """An exact number of at most ``precision`` digits, ``scale`` of them behind the point, from ``min`` to ``max``. On
    the wire it is a string, ``"12.50"``, as numbers of JSON are read as floats."""

    precision: int
    scale: int
    min: str = ""
    max: str = ""
    name: ClassVar[str] = "decimal"
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY + ORDER
    sql_type: ClassVar[str] = "numeric"
    is_number: ClassVar[bool] = True
    is_exact: ClassVar[bool] = True

    def column_type(self) -> TypeEngine[Any]:
        return types.Numeric(self.precision, self.scale)

    @property
    def constraints(self) -> dict[str, Any]:
        bounds = {name: bound for name, bound in (("minimum", self.min), ("maximum", self.max)) if bound}
        return {"precision": self.precision, "scale": self.scale, **bounds}

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "decimal"}

    def parse(self, text: str) -> Exact | None:
        return exact(text)

    def load(self, value: Any) -> Exact:
        found: Exact = super().load(value)
        if _places(found) > self.scale:
            raise ValidationError(f"Has more than {self.scale} digits behind the point.")
        if abs(found) >= Exact(10) ** (self.precision - self.scale):
            raise ValidationError(f"Has more than {self.precision - self.scale} digits before the point.")
        if self.min and found < Exact(self.min):
            raise ValidationError(f"Must be greater than or equal to {self.min}.")
        if self.max and found > Exact(self.max):
            raise ValidationError(f"Must be less than or equal to {self.max}.")
        return Exact(plain(found, self.scale))

    def expected(self) -> str:
        return 'Is not a decimal number in a string, such as "12.50".'

    def example(self) -> Any:
        low, high = (Exact(bound or 1) for bound in (self.min, self.max))
        return plain(max(low, min(Exact(1), high)), self.scale)

    def as_member(self, column: str) -> str:
        return f"{column}::text"


@dataclass(frozen=True)
class Money(Kind):
    """An amount in a currency of ISO 4217, with as many digits behind the point as that has: ``{"amount": "12.50",
    "currency": "EUR"}``, in query parameters and cells ``12.50 EUR``. It compares with amounts of its own currency,
    sorts by the amount, and is summed in groups by currency."""

    min: str = ""
    name: ClassVar[str] = "money"
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY + ORDER
    sql_type: ClassVar[str] = "jsonb"
    sort_type: ClassVar[str] = "numeric"
    is_number: ClassVar[bool] = True
    is_exact: ClassVar[bool] = True
    is_measured_in_own_groups: ClassVar[bool] = True

    def column_type(self) -> TypeEngine[Any]:
        return JSONB(none_as_null=True)

    @property
    def constraints(self) -> dict[str, Any]:
        return {"minimum": self.min} if self.min else {}

    def json_schema(self) -> dict[str, Any]:
        text = {"type": "string"}
        members = {"amount": {**text, "format": "decimal"}, "currency": text}
        return {"type": "object", "format": "money", "properties": members, "required": [*members],
                "additionalProperties": False}  # fmt: skip

    def text_schema(self) -> dict[str, Any]:
        return {"type": "string"}

    def parse(self, text: str) -> dict[str, str] | None:
        found = WORTH.fullmatch(text)
        return None if found is None else self.parse_json({"amount": found[1], "currency": found[2]})

    def parse_json(self, value: Any) -> dict[str, str] | None:
        if not isinstance(value, dict) or value.keys() != {"amount", "currency"}:
            return None
        amount, currency = exact(value["amount"]), value["currency"]
        if amount is None or not isinstance(currency, str) or currency not in currencies():
            return None
        places = decimal_places(currency)
        if _places(amount) > places or abs(amount) >= Exact(10) ** MONEY_DIGITS:
            return None
        return {"amount": plain(amount, places), "currency": currency}

    def load(self, value: Any) -> dict[str, str]:
        found: dict[str, str] = super().load(value)
        if self.min and Exact(found["amount"]) < Exact(self.min):
            raise ValidationError(f"Must be greater than or equal to {self.min}.")
        return found

    def from_cell(self, text: str) -> Any:
        return self.parse(text) or text

    def expected(self) -> str:
        return 'Is not an amount with its currency, and the digits of that: {"amount": "12.50", "currency": "EUR"}.'

    def example(self) -> Any:
        return {"amount": plain(max(Exact(self.min or 0), Exact("12.5")), 2), "currency": "EUR"}

    def bound(self, value: Any) -> Any:
        return [self.bound(each) for each in value] if isinstance(value, list) else orjson.dumps(value).decode()

    def compared(self, operator: str, column: str, value: str) -> str:
        is_alike = f"{column} ->> 'currency' = {value} ->> 'currency'"
        return f"({is_alike} AND {self.sorted(column)} {operator} {self.sorted(value)})"

    def sorted(self, column: str) -> str:
        return f"({column} ->> 'amount')::numeric"

    def grouped(self, column: str) -> str:
        return f"{column} ->> 'currency'"

    def measured(self, column: str) -> str:
        return self.sorted(column)

    def as_cell(self, column: str) -> str:
        return f"({column} ->> 'amount') || ' ' || ({column} ->> 'currency')"

    def as_member(self, column: str) -> str:
        return column


def _places(value: Exact) -> int:
    """How many digits behind the point say anything."""
    exponent = value.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
