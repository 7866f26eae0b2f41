"""Sort keys, chosen fields and expanded relations, read from a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from app.engine.declare.record import Record
from app.engine.declare.relations import Relation
from app.engine.read.condition_parser import ConditionParser
from app.engine.read.encoding import computed_fields, shown_fields
from app.engine.read.query import Expansion, Selection, SortKey
from app.engine.read.query_context import QueryContext, allowed, invalid, sortable
from app.foundation.errors import Failure, InvalidExpand, InvalidFields, InvalidPagination, InvalidSort

MAX_EXPANDED = 100
MAX_NAMES = 500


def sort_keys(
    conditions: ConditionParser, model: type[Record], names: Sequence[str], location: str, hops: int = 0
) -> tuple[SortKey, ...]:
    """Read the keys of a sort, ``-amount``, ``company.name`` or ``createdAt:month``; raises InvalidSort."""
    context = conditions.context
    if len(names) > context.settings.max_sort_keys:
        raise invalid(location, f"Holds more than {context.settings.max_sort_keys} keys.", InvalidSort)
    keys = [_sort_key(conditions, model, name, location, hops) for name in names]
    if len({(*key.path, key.field.attribute, key.span) for key in keys}) < len(keys):
        raise invalid(location, "Names a field twice.", InvalidSort)
    return tuple(keys)


def _sort_key(conditions: ConditionParser, model: type[Record], name: str, location: str, hops: int) -> SortKey:
    context = conditions.context
    *steps, last = name.removeprefix("-").split(".")
    last, colon, unit = last.partition(":")
    path, model = context.path(model, steps, location, InvalidSort, hops)
    known = context.fields(model).get(last)
    if known is None or not sortable(known):
        names = [each.name for each in context.fields(model).values() if sortable(each)]
        problem = f"Unknown field {last}." if known is None else f"{last} cannot be sorted by."
        raise invalid(location, f"{problem} {allowed(names)}", InvalidSort)
    span = (conditions.unit(known, unit, location, InvalidSort).value, conditions.zone) if colon else None
    return SortKey(path, known, name.startswith("-"), span)


@dataclass
class SelectionBuilder:
    """A selection in the making: what is chosen of records of ``model``."""

    model: type[Record]
    names: set[str] | None = None
    inner: dict[str, SelectionBuilder] = field(default_factory=dict)
    relation: Relation | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def selection(self) -> Selection:
        names = None if self.names is None else frozenset(self.names)
        inner = [(each.relation, each) for each in self.inner.values() if each.relation is not None]
        expansions = [Expansion(relation, each.selection(), **each.options) for relation, each in inner]
        return Selection(names, tuple(expansions))

    @property
    def many(self) -> bool:
        return self.relation is not None and self.relation.many


class SelectionParser:
    """Reads what an answer is to hold of the records of ``model``."""

    def __init__(
        self, context: QueryContext, model: type[Record], conditions: ConditionParser, *, listed: bool = True
    ) -> None:
        self.context, self.conditions, self.listed = context, conditions, listed
        self.root = SelectionBuilder(model)
        self.count = 0

    def expand(self, given: Any, location: str) -> None:
        """Read names such as ``contact.company``, or an object of relations with their options; raises InvalidExpand
        and what the options raise."""
        self._expand(self.root, given, location, 1)

    def _expand(self, at: SelectionBuilder, given: Any, location: str, hops: int) -> None:
        if isinstance(given, list):
            for path in strings(given, location, InvalidExpand):
                inner = at
                for further, step in enumerate(path.split("."), hops):
                    inner = inner.inner.get(step) or self._add(inner, step, further, location)
            return
        if not isinstance(given, dict):
            raise invalid(location, "Must be a list of relations, or an object of them.", InvalidExpand)
        for name, options in given.items():
            here = f"{location}.{name}"
            inner = self._add(at, name, hops, here)
            known = ("fields", "expand", *(("where", "sort", "take") if inner.many else ()))
            if not isinstance(options, dict):
                raise invalid(here, "Must be a JSON object.", InvalidExpand)
            for option in options:
                if option not in known:
                    raise invalid(f"{here}.{option}", f"Unknown option. {allowed(known)}", InvalidExpand)
            self._read_options(inner, options, here, hops)
            if "expand" in options:
                self._expand(inner, options["expand"], f"{here}.expand", hops + 1)
            if "fields" in options:
                self._choose(inner, strings(options["fields"], f"{here}.fields", InvalidFields), f"{here}.fields")

    def _read_options(self, inner: SelectionBuilder, options: dict[str, Any], location: str, hops: int) -> None:
        read = inner.options
        if "where" in options:
            read["where"] = self.conditions.where(inner.model, options["where"], f"{location}.where", hops=hops)
        if "sort" in options:
            keys = strings(options["sort"], f"{location}.sort", InvalidSort)
            read["sort"] = sort_keys(self.conditions, inner.model, keys, f"{location}.sort", hops)
        if "take" in options:
            take = options["take"]
            if isinstance(take, bool) or not isinstance(take, int) or not 1 <= take <= MAX_EXPANDED:
                message = f"Must be one whole number from 1 to {MAX_EXPANDED}."
                raise invalid(f"{location}.take", message, InvalidPagination)
            read["take"] = take

    def _add(self, at: SelectionBuilder, name: str, hops: int, location: str) -> SelectionBuilder:
        relation = self.context.relation(at.model, name, expanded=True)
        if relation is None:
            problem = f"Unknown relation {name or 'without a name'}. {allowed(self.context.relations(at.model))}"
            raise invalid(location, problem, InvalidExpand)
        if hops > self.context.settings.max_hops:
            raise invalid(location, f"Goes along more than {self.context.settings.max_hops} relations.", InvalidExpand)
        self.count += 1
        if self.count > self.context.settings.max_expansions:
            raise invalid(
                location, f"Expands more than {self.context.settings.max_expansions} relations.", InvalidExpand
            )
        at.inner[name] = SelectionBuilder(relation.target, relation=relation)
        return at.inner[name]

    def choose(self, names: Sequence[str], location: str) -> None:
        """Read the chosen fields, ``name`` and ``company.name``, after the expansions; raises InvalidFields."""
        self._choose(self.root, names, location)

    def _choose(self, at: SelectionBuilder, names: Sequence[str], location: str) -> None:
        at.names = at.names or {"id"}
        for name in names:
            *steps, last = name.split(".")
            chosen = at
            for step in steps:
                if step not in chosen.inner:
                    message = f"{name}: {step} is not expanded. {allowed(chosen.inner)}"
                    raise invalid(location, message, InvalidFields)
                chosen = chosen.inner[step]
            chosen.names = (chosen.names or {"id"}) | {self._name(chosen, last, location)}

    def _name(self, chosen: SelectionBuilder, name: str, location: str) -> str:
        listed = self.listed or chosen.relation is not None
        model, reader = chosen.model, self.context.principal.reader
        shown = (*shown_fields(model, reader, listed=listed), *computed_fields(model, reader, listed=listed))
        names = [each.name for each in shown]
        if name not in names:
            raise invalid(location, f"Unknown field {name}. {allowed(names)}", InvalidFields)
        return name

    def selection(self, take: int, location: str = "expand") -> Selection:
        """What was read, for ``take`` records; raises InvalidExpand where that is too much for one answer."""
        selection, most = self.root.selection(), self.context.settings.max_records
        records = take * selection.records
        if selection.expansions and records > most:
            message = f"Could hold {records} records: ask for fewer, at most {most} in one answer."
            raise invalid(location, message, InvalidExpand)
        return selection


def strings(given: Any, location: str, failure: type[Failure]) -> list[str]:
    """A list of strings in a body; raises ``failure``."""
    if not isinstance(given, list) or not given or not all(isinstance(each, str) for each in given):
        raise invalid(location, "Must be a list of strings that is not empty.", failure)
    if len(given) > MAX_NAMES:
        raise invalid(location, f"Holds more than {MAX_NAMES} names.", failure)
    return given
