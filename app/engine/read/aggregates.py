"""Sums over a list: rows grouped by fields, and measures of each group, in one statement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

import psycopg

from app.engine.declare.collation import sorted_as
from app.engine.declare.kinds import Number
from app.engine.declare.principal import Principal
from app.engine.declare.record import Field, Record
from app.engine.declare.relations import Relation
from app.engine.read import pages
from app.engine.read.concurrency import query_slot
from app.engine.read.conditions import Source
from app.engine.read.query import MATCH_ALL, CacheKey, Junction, Query
from app.engine.read.spans import UTC_ZONE, Interval, truncated
from app.engine.read.statements import Statement, autocommit_connection, statement_cache
from app.foundation.clock import wire
from app.foundation.errors import InvalidFields

DEFAULT_TAKE = 100
TOO_LARGE = "A sum is larger than a number can be"


class Function(StrEnum):
    """What is measured of a group."""

    COUNT = "count"
    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"
    COUNT_DISTINCT = "countDistinct"


@dataclass(frozen=True, slots=True)
class Group:
    """A field to group by, of the record or of the one that ``path`` leads to; moments by their ``unit``."""

    path: tuple[Relation, ...]
    field: Field
    unit: Interval | None = None

    @property
    def name(self) -> str:
        return ".".join([*(relation.name for relation in self.path), self.field.name])

    @property
    def key(self) -> CacheKey:
        return (self.name, self.unit)


@dataclass(frozen=True, slots=True)
class Measure:
    """A function of a field; ``count`` has none."""

    function: Function
    field: Field | None = None

    @property
    def name(self) -> str:
        return f"{self.function}.{self.field.name}" if self.field else str(self.function)


@dataclass(frozen=True, slots=True)
class AggregateQuery:
    """What is summed. ``sort`` names groups and measures, each with whether it descends."""

    where: Junction = MATCH_ALL
    search: str = ""
    groups: tuple[Group, ...] = ()
    measures: tuple[Measure, ...] = (Measure(Function.COUNT),)
    sort: tuple[tuple[str, bool], ...] = ()
    zone: str = UTC_ZONE
    take: int = DEFAULT_TAKE

    @property
    def key(self) -> CacheKey:
        groups, measures = [each.key for each in self.groups], [each.name for each in self.measures]
        return (self.where.key, bool(self.search), tuple(groups), tuple(measures), self.sort)


def aggregates(model: type[Record], principal: Principal, query: AggregateQuery) -> tuple[list[dict[str, Any]], bool]:
    """The groups of the rows that the caller's list has and that match, and whether there are more of them.

    Raises QueryTimeout, and InvalidFields for sums beyond the range of numbers.
    """
    statement = statement_cache.get(
        (model, principal.reader, "sums", query.key), lambda: _compiled(model, principal, query)
    )
    binds = pages.bound_values(query.where, query.search) | principal.binds
    binds |= {"zone": query.zone, "take": query.take + 1}
    with query_slot(principal), autocommit_connection("queries") as connection:
        try:
            rows = statement.rows_in_time(connection, binds)
        except psycopg.errors.InvalidParameterValue as error:
            raise InvalidFields(f"The database knows no time zone {query.zone}") from error
        except psycopg.DataError as error:  # such as of durations
            raise InvalidFields(TOO_LARGE) from error
    return [_answered(query, row) for row in rows[: query.take]], len(rows) > query.take


def _compiled(model: type[Record], principal: Principal, query: AggregateQuery) -> Statement:
    source = Source(model, principal.reader)
    where = pages.conditions(source, Query(where=query.where, search=query.search))
    groups = [_grouped(source, group) for group in query.groups]
    columns = {f"g{index}": value for index, value in enumerate(groups)}
    columns |= {f"m{index}": _measured(source, each) for index, each in enumerate(query.measures)}
    chosen = ", ".join(f"{value} AS {name}" for name, value in columns.items())
    rows = f"SELECT {chosen} FROM {' '.join([source.table, *source.joins])} WHERE {' AND '.join(where)}"
    grouped = f" GROUP BY {', '.join(f'g{index}' for index in range(len(groups)))}" if groups else ""
    order = f" ORDER BY {', '.join(_order(query))}" if groups else ""
    sql = f"SELECT * FROM ({rows}{grouped}) AS sums{order} LIMIT %(take)s::bigint"
    return Statement(sql, source.fixed)


def _grouped(source: Source, group: Group) -> str:
    model, alias = source.join(group.path)
    value = source.value(model, group.field, alias)
    if group.unit is None:
        return group.field.spec.kind.grouped(value)
    return truncated(group.field, value, group.unit, "%(zone)s")


def _measured(source: Source, measure: Measure) -> str:
    if measure.field is None:
        return "count(*)"
    value, kind = source.value(source.model, measure.field, source.alias), measure.field.spec.kind
    match measure.function:
        case Function.COUNT_DISTINCT:
            return f"count(DISTINCT {value})"
        case Function.SUM | Function.AVG:
            # Floats are added as numeric, which is exact and has no end; their text is the shortest decimal of each.
            is_float = isinstance(kind, Number)
            return f"{measure.function}({f'({value})::text::numeric' if is_float else kind.measured(value)})"
        case function:
            return f"{function}({kind.measured(value)})"


def _order(query: AggregateQuery) -> list[str]:
    """The order that was asked for, and then that of the groups."""
    names = {group.name: f"g{index}" for index, group in enumerate(query.groups)}
    names |= {measure.name: f"m{index}" for index, measure in enumerate(query.measures)}
    texts = {f"g{index}" for index, group in enumerate(query.groups) if group.field.spec.kind.is_text}
    asked = dict(query.sort)
    wanted = [*asked.items(), *((group.name, False) for group in query.groups if group.name not in asked)]
    return [
        f"{each} {'DESC' if descending else 'ASC'} NULLS LAST"
        for name, descending in wanted
        for each in sorted_as(names[name], is_text=names[name] in texts)
    ]


def _answered(query: AggregateQuery, row: tuple[Any, ...]) -> dict[str, Any]:
    zone = ZoneInfo(query.zone)
    groups = {group.name: _in_zone(row[index], zone) for index, group in enumerate(query.groups)}
    answered: dict[str, Any] = {"group": groups}
    for index, measure in enumerate(query.measures, len(groups)):
        value = row[index]
        if measure.field is None:
            answered[str(measure.function)] = value
        else:
            value = value if measure.field.spec.kind.is_exact else _plain(value)
            answered.setdefault(str(measure.function), {})[measure.field.name] = value
    return answered


def _in_zone(value: Any, zone: ZoneInfo) -> Any:
    """A moment with the offset that ``zone`` has then, in UTC where that is no whole minute (RFC 3339)."""
    if not isinstance(value, datetime):
        return value
    local = value.astimezone(zone)
    offset = local.utcoffset() or timedelta()
    return wire(value) if not offset or offset % timedelta(minutes=1) else local.isoformat(timespec="milliseconds")


def _plain(value: Any) -> Any:
    """A measure as JSON has it."""
    if not isinstance(value, Decimal):
        return value
    if value == value.to_integral_value() and abs(value) < 2**63:
        return int(value)
    number = float(value)
    if not math.isfinite(number):
        raise InvalidFields(TOO_LARGE)
    return number
