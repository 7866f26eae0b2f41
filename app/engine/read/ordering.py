"""Sort keys as SQL: the order of a list, and which rows come after a given one in it.

NULLs come last in both directions, and the id decides ties, in the direction of the last key. Where a column
that may be NULL leads the order, the rows with a value and those without are two scans of one index, one after the
other: no single scan has them in this order in both directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.engine.declare.collation import sorted_as
from app.engine.declare.record import Record
from app.engine.read.conditions import Source
from app.engine.read.query import SortKey
from app.engine.read.spans import Interval, truncated


@dataclass(frozen=True)
class SortTerm:
    """One key of an order: the SQL of its value, and how it sorts."""

    value: str
    descending: bool
    nullable: bool
    is_text: bool
    sql_type: str
    # A column of the rows themselves, which an index may have.
    is_column: bool = True

    def columns(self, value: str) -> list[str]:
        return sorted_as(value, is_text=self.is_text)

    def order(self, value: str) -> str:
        direction = (" DESC" if self.descending else "") + (" NULLS LAST" if self.nullable and self.descending else "")
        return ", ".join(f"{each}{direction}" for each in self.columns(value))


Order = tuple[SortTerm, ...]


def newest_first(model: type[Record]) -> tuple[SortKey, ...]:
    """The order of every list that asks for none."""
    return (SortKey((), model.fields()["created_at"], descending=True),)


def has_id(keys: Sequence[SortKey]) -> bool:
    """Whether a sort has the id already, which decides ties."""
    return any(key.field.attribute == "id" and not key.path for key in keys)


def sort_terms(source: Source, keys: Sequence[SortKey]) -> Order:
    """The order by ``keys`` and then by the id."""
    found = [_sort_term(source, key) for key in keys]
    if not has_id(keys):
        found.append(SortTerm(f"{source.alias}.id", keys[-1].descending, False, False, "uuid"))
    return tuple(found)


def _sort_term(source: Source, key: SortKey) -> SortTerm:
    model, alias = source.join(key.path)
    kind = key.field.spec.kind
    value, sql_type = kind.sorted(source.value(model, key.field, alias)), kind.sort_type or kind.sql_type
    is_column = key.field.column is not None and not key.path and not source.shows(model, key.field, alias)
    if key.span is not None:
        unit, zone = key.span
        value, is_column = truncated(key.field, value, Interval(unit), f"'{zone}'"), False
    nullable = key.field.nullable or not is_column
    return SortTerm(value, key.descending, nullable, kind.is_text, sql_type, is_column)


def order_by(order: Order, values: Sequence[str]) -> str:
    """The ORDER BY of ``values``, those of each key."""
    return ", ".join(key.order(value) for key, value in zip(order, values, strict=True))


@dataclass(frozen=True)
class Scan:
    """A part of the rows that is in order by itself: those that meet ``conditions``."""

    conditions: tuple[str, ...]
    order: Order


def scans(order: Order, nulls: Sequence[bool] | None, *, not_null: bool) -> list[Scan]:
    """The scans whose rows, one after the other, are in ``order``; ``not_null`` says that by the conditions no row
    has NULL in its first key. ``nulls`` tells which values of a cursor are NULL, bound as ``c0``, ``c1`` and so on;
    each scan then begins after the row of the cursor."""
    lead = replace(order[0], nullable=order[0].nullable and not not_null)
    order = (lead, *order[1:])
    names = [f"%(c{index})s::{key.sql_type}" for index, key in enumerate(order)]
    if not (lead.nullable and lead.is_column):
        return [Scan((_after(order, names, nulls),) if nulls else (), order)]
    # Where the key is NULL it still leads the order, so that the scan walks the index that has it.
    walked = (replace(lead, nullable=False), *order[1:])
    with_value, without = f"{lead.value} IS NOT NULL", f"{lead.value} IS NULL"
    if nulls is None:
        return [Scan((with_value,), walked), Scan((without,), walked)]
    if nulls[0]:
        return [Scan((without, _after(order[1:], names[1:], nulls[1:])), walked)]
    return [Scan((with_value, _after(walked, names, nulls)), walked), Scan((without,), walked)]


def _after(order: Order, names: Sequence[str], nulls: Sequence[bool]) -> str:
    """The rows after the one with the values called ``names``."""
    if len({key.descending for key in order}) == 1 and not any(key.nullable for key in order):
        operator = "<" if order[0].descending else ">"
        left = [each for key in order for each in key.columns(key.value)]
        right = [each for key, name in zip(order, names, strict=True) for each in key.columns(name)]
        return f"(({', '.join(left)}) {operator} ({', '.join(right)}))"
    alternatives: list[str] = []
    ties: list[str] = []
    for key, name, is_null in zip(order, names, nulls, strict=True):
        after_value = _after_value(key, name, is_null)
        if after_value:
            alternatives.append(" AND ".join([*ties, after_value]))
        ties.append(f"{key.value} IS NULL" if is_null else f"{key.value} = {name}")
    found = f"({' OR '.join(f'({each})' for each in alternatives)})"
    lead = order[0]
    if lead.nullable:
        return found
    # So that an index on the leading key begins where the page does.
    bound = f"({', '.join(lead.columns(lead.value))}) {'<=' if lead.descending else '>='}"
    return f"({bound} ({', '.join(lead.columns(names[0]))}) AND {found})"


def _after_value(key: SortTerm, name: str, is_null: bool) -> str:
    if is_null:
        return ""
    left, right = ", ".join(key.columns(key.value)), ", ".join(key.columns(name))
    after_value = f"({left}) {'<' if key.descending else '>'} ({right})"
    return f"({after_value} OR {key.value} IS NULL)" if key.nullable else after_value
