"""The query of sums, read strictly from query parameters or from a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from werkzeug.datastructures import MultiDict

from app.engine.declare.fields import ENCRYPTED
from app.engine.declare.principal import Principal
from app.engine.declare.record import Field, Record
from app.engine.declare.structures import Json, Vector
from app.engine.read.aggregates import (
    DEFAULT_TAKE,
    AggregateQuery,
    Function,
    Group,
    Measure,
)
from app.engine.read.condition_parser import ConditionParser
from app.engine.read.query import Junction
from app.engine.read.query_context import QueryContext, allowed, filterable, invalid
from app.engine.read.spans import Interval, has_days, is_moment
from app.foundation.errors import InvalidFields, InvalidSort
from config import Settings
from schemas.query import queries
from schemas.query.conditions import FilterParameterParser
from schemas.query.queries import (
    CREDENTIAL,
    MAX_VALUES_IN_BODY,
    MAX_VALUES_IN_URL,
    TIME_ZONE,
    names,
    time_zone,
    whole,
)
from schemas.query.selections import strings

MAX_GROUPS, MAX_MEASURES, MAX_TAKE = 3, 8, 1000
UNITS = {each.value: each for each in Interval}
OF_FIELDS = {each.value: each for each in Function if each is not Function.COUNT}
PARAMETERS = ("where", "search", "group", *(each.value for each in Function), "sort", "take", TIME_ZONE)
MEMBERS = ("where", "search", "group", "measures", "sort", "take", TIME_ZONE)
FAILURES = {"group": InvalidFields, "sort": InvalidSort, **dict.fromkeys(OF_FIELDS, InvalidFields)}
LISTED = tuple(FAILURES)


def aggregate_query(
    model: type[Record], principal: Principal, args: MultiDict[str, str], settings: Settings
) -> AggregateQuery:
    """Read the query parameters of sums; raises InvalidFilter, InvalidFields, InvalidSort, InvalidSearch and
    InvalidPagination."""
    conditions = ConditionParser(QueryContext(principal, settings, MAX_VALUES_IN_URL), time_zone(args.get(TIME_ZONE)))
    short = FilterParameterParser(model, conditions)
    asked: dict[str, str] = {}
    for name, values in args.lists():
        if name in PARAMETERS:
            if len(values) > 1:
                raise invalid(name, "Given more than once.")
            asked[name] = values[0]
        elif name != CREDENTIAL:
            short.add(name, values)
    where = short.root.tree()
    if "where" in asked:
        where = Junction((*where.parts, *conditions.where(model, queries.json_of(asked["where"]), "where").parts))
    if asked.get("count"):
        raise invalid("count", "Takes no value here.", InvalidFields)
    named = {name: names(name, text, FAILURES[name]) for name, text in asked.items() if name in LISTED}
    measures: dict[str, Any] = {name: named[name] for name in OF_FIELDS if name in named}
    if "count" in asked:
        measures["count"] = True
    reader = AggregateParser(model, conditions, where, in_url=True)
    groups: list[Any] = [_short_group(each) for each in named.get("group", [])]
    take = queries.bounded(args, "take", 1, MAX_TAKE, DEFAULT_TAKE)
    return reader.query(asked, groups, measures, named.get("sort", []), take)


def body_aggregate_query(
    model: type[Record], principal: Principal, given: Mapping[str, Any], settings: Settings
) -> AggregateQuery:
    """Read the full form, the body of QUERY; raises as ``aggregate_query`` does."""
    for name in given:
        if name not in MEMBERS:
            raise invalid(name, f"Unknown member. {allowed(MEMBERS)}")
    conditions = ConditionParser(QueryContext(principal, settings, MAX_VALUES_IN_BODY), time_zone(given.get(TIME_ZONE)))
    where = conditions.where(model, given.get("where", {}), "where")
    groups, measures, sort = given.get("group", []), given.get("measures", {}), given.get("sort", [])
    if not isinstance(groups, list):
        raise invalid("group", "Must be a list of groups.", InvalidFields)
    if not isinstance(measures, dict):
        raise invalid("measures", "Must be a JSON object.", InvalidFields)
    if "search" in given and not isinstance(given["search"], str):
        raise invalid("search", "Must be a string.")
    sort = strings(sort, "sort", InvalidSort) if sort != [] else []
    take = whole(given.get("take", DEFAULT_TAKE), "take", 1, MAX_TAKE)
    return AggregateParser(model, conditions, where).query(given, groups, measures, sort, take)


def _short_group(text: str) -> Any:
    name, colon, unit = text.partition(":")
    return {"field": name, "by": unit} if colon else name


class AggregateParser:
    """Reads groups and measures of ``model``."""

    def __init__(
        self, model: type[Record], conditions: ConditionParser, where: Junction, *, in_url: bool = False
    ) -> None:
        self.model, self.conditions, self.where, self.in_url = model, conditions, where, in_url
        self.context = conditions.context

    def query(
        self, asked: Mapping[str, Any], groups: Sequence[Any], measures: Mapping[str, Any], sort: Sequence[str],
        take: int,
    ) -> AggregateQuery:  # fmt: skip
        if len(groups) > MAX_GROUPS:
            raise invalid("group", f"Holds more than {MAX_GROUPS} groups.", InvalidFields)
        locations = ["group" if self.in_url else f"group[{number}]" for number in range(len(groups))]
        read = tuple(self._group(each, location) for each, location in zip(groups, locations, strict=True))
        if len({group.name for group in read}) < len(read):
            raise invalid("group", "Names a field twice.", InvalidFields)
        measured = tuple(self._measures(measures)) or (Measure(Function.COUNT),)
        self._check_own_groups(read, measured)
        if len(measured) > MAX_MEASURES:
            raise invalid("measures", f"More than {MAX_MEASURES} measures.", InvalidFields)
        return AggregateQuery(
            where=self.where,
            search=queries.searched(self.context, self.model, asked["search"]) if "search" in asked else "",
            groups=read, measures=measured, sort=self._sort(sort, read, measured),
            zone=self.conditions.zone, take=take,
        )  # fmt: skip

    def _group(self, given: Any, location: str) -> Group:
        if isinstance(given, str):
            given = {"field": given}
        if (
            not isinstance(given, dict)
            or not given.keys() <= {"field", "by"}
            or not isinstance(given.get("field"), str)
        ):
            raise invalid(location, 'Must be a field, or {"field": …, "by": …}.', InvalidFields)
        *steps, last = given["field"].split(".")
        path, model = self.context.path(self.model, steps, location, InvalidFields)
        known = self.context.fields(model).get(last)
        if known is None or not filterable(known):
            names = [each.name for each in self.context.fields(model).values() if filterable(each)]
            raise invalid(location, f"{last} cannot be grouped by. {allowed(names)}", InvalidFields)
        return Group(path, known, self._unit(known, given.get("by"), location))

    def _unit(self, known: Field, given: Any, location: str) -> Interval | None:
        if has_days(known) and given is None:
            return None
        if has_days(known) and given == Interval.HOUR:
            raise invalid(location, "A date has no hours.", InvalidFields)
        if not is_moment(known) and not has_days(known):
            if given is not None:
                raise invalid(location, f"{known.name} is no timestamp, and has no units.", InvalidFields)
            return None
        if not isinstance(given, str) or given not in UNITS:
            raise invalid(location, f"A timestamp is grouped by a unit. {allowed(UNITS)}", InvalidFields)
        return UNITS[given]

    def _measures(self, given: Mapping[str, Any]) -> list[Measure]:
        found = []
        for name, fields in given.items():
            location = name if self.in_url else f"measures.{name}"
            if name == Function.COUNT:
                if not isinstance(fields, bool):
                    raise invalid(location, "Must be true or false.", InvalidFields)
                found += [Measure(Function.COUNT)] if fields else []
            elif name in OF_FIELDS:
                if not isinstance(fields, list) or not all(isinstance(each, str) for each in fields):
                    raise invalid(location, "Must be a list of fields.", InvalidFields)
                if len(set(fields)) < len(fields):
                    raise invalid(location, "Names a field twice.", InvalidFields)
                found += [Measure(OF_FIELDS[name], self._measured(OF_FIELDS[name], each, location)) for each in fields]
            else:
                raise invalid(location, f"Unknown measure. {allowed(each.value for each in Function)}", InvalidFields)
        return found

    def _measured(self, function: Function, name: str, location: str) -> Field:
        fields = {each.name: each for each in self.context.fields(self.model).values() if _fits(function, each)}
        if name not in fields:
            raise invalid(location, f"{name} cannot be measured so. {allowed(fields)}", InvalidFields)
        return fields[name]

    def _check_own_groups(self, groups: Sequence[Group], measures: Sequence[Measure]) -> None:
        named = {group.field.name for group in groups if not group.path}
        for field in (each.field for each in measures if each.field and each.function is not Function.COUNT_DISTINCT):
            if field.spec.kind.is_measured_in_own_groups and field.name not in named:
                text = f"{field.name} is measured by currency: group by it as well."
                raise invalid("group", text, InvalidFields)

    def _sort(
        self, given: Sequence[str], groups: Sequence[Group], measures: Sequence[Measure]
    ) -> tuple[tuple[str, bool], ...]:
        known = [*(group.name for group in groups), *(measure.name for measure in measures)]
        read = [(each.removeprefix("-"), each.startswith("-")) for each in given]
        for name, _ in read:
            if name not in known:
                raise invalid("sort", f"{name} is neither a group nor a measure. {allowed(known)}", InvalidSort)
        if len(dict(read)) < len(read):
            raise invalid("sort", "Names a key twice.", InvalidSort)
        return tuple(read)


def _fits(function: Function, field: Field) -> bool:
    kind = field.spec.kind
    if field.column is None or ENCRYPTED in field.spec.flags:
        return False
    if function is Function.COUNT_DISTINCT:
        return not isinstance(kind, Json | Vector)
    return kind.is_number or (function in (Function.MIN, Function.MAX) and kind.has_extremes)
