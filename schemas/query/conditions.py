"""Conditions read from a request: the short form of query parameters, and ``where`` in JSON, into one tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.engine.declare.kind import LISTS, TEXT, Operator
from app.engine.declare.record import Field, Record
from app.engine.declare.relations import Relation
from app.engine.read.query import Comparison, Condition, Junction, Negation, Quantifier, Related
from schemas.query.context import QueryContext, allowed, filterable, invalid

MAX_LENGTH = 512
SHORT = re.compile(r"([^\[\]]+)\[([A-Za-z]+)\]")
COMMA = re.compile(r"((?:[^\\,]|\\.|\\$)*)(?:,|$)", re.DOTALL)
ESCAPED = re.compile(r"\\([\\,])")
OPERATORS = {each.value: each for each in Operator}
BOOLEANS = {"true": True, "false": False}
NOT_BOOLEAN = "Must be true or false."
QUANTIFIERS = {"some": Quantifier.SOME, "none": Quantifier.NONE, "every": Quantifier.EVERY}
# Reads a value for a field and an operator, at its location.
Read = Callable[[Field, Operator, Any, str], Any]


@dataclass
class Conditions:
    """Reads the conditions of one query; raises InvalidFilter at the location that breaks a rule."""

    context: QueryContext
    count: int = 0
    objects: int = 0

    def where(self, model: type[Record], given: Any, location: str, depth: int = 0, hops: int = 0) -> Junction:
        """The tree of ``given``, an object of the full form."""
        if not isinstance(given, dict):
            raise invalid(location, "Must be a JSON object.")
        self.objects += 1
        if self.objects > (most := 2 * self.context.settings.max_conditions):
            raise invalid(location, f"Is one object more than the {most} of a query.")
        if depth > self.context.settings.max_query_depth:
            raise invalid(location, f"Nests deeper than {self.context.settings.max_query_depth} levels.")
        parts = [
            part for name, value in given.items() for part in self._member(model, name, value, location, depth, hops)
        ]
        return Junction(tuple(parts))

    def _member(
        self, model: type[Record], name: str, value: Any, location: str, depth: int, hops: int
    ) -> Iterator[Condition]:
        here = f"{location}.{name}"
        if name in ("and", "or"):
            if not isinstance(value, list) or not value:
                raise invalid(here, "Must be a list of conditions that is not empty.")
            parts = [self.where(model, each, f"{here}[{n}]", depth + 1, hops) for n, each in enumerate(value)]
            yield Junction(tuple(parts), any=name == "or")
        elif name == "not":
            yield Negation(self.where(model, value, here, depth + 1, hops))
        elif relation := self.context.relation(model, name):
            yield from self._related(relation, value, here, depth + 1, hops + 1)
        else:
            known = self.field(model, name, here)
            compared = value if isinstance(value, dict) else {"eq": value}
            if not compared:
                raise invalid(here, allowed(known.spec.kind.operators))
            for operator, operand in compared.items():
                at = here if compared is not value else f"{here}.{operator}"
                yield self.compared(known, self.operator(known, operator, at), operand, at, self._of_json)

    def _related(self, relation: Relation, value: Any, location: str, depth: int, hops: int) -> Iterator[Related]:
        self.check_hops(hops, location)
        if not relation.many:
            self._count(location)
            yield Related(relation, Quantifier.ONE, self.where(relation.target, value, location, depth, hops))
            return
        if not isinstance(value, dict) or not value or not value.keys() <= QUANTIFIERS.keys():
            raise invalid(location, f"Leads to many records. {allowed(QUANTIFIERS)}")
        for name, inner in value.items():
            self._count(f"{location}.{name}")
            tree = self.where(relation.target, inner, f"{location}.{name}", depth, hops)
            yield Related(relation, QUANTIFIERS[name], tree)

    def _count(self, location: str) -> None:
        self.count += 1
        if self.count > self.context.settings.max_conditions:
            raise invalid(
                location, f"Is one condition more than the {self.context.settings.max_conditions} of a query."
            )

    def check_hops(self, hops: int, location: str) -> None:
        if hops > self.context.settings.max_hops:
            raise invalid(location, f"Goes along more than {self.context.settings.max_hops} relations.")

    def field(self, model: type[Record], name: str, location: str) -> Field:
        """The field called ``name``, by which the caller may filter."""
        known = self.context.fields(model).get(name)
        if known is None or not filterable(known):
            names = [each.name for each in self.context.fields(model).values() if filterable(each)]
            problem = "Unknown field or relation." if known is None else "Cannot be filtered by."
            raise invalid(location, f"{problem} {allowed([*names, *self.context.relations(model)])}")
        return known

    def operator(self, known: Field, name: str, location: str) -> Operator:
        operator = OPERATORS.get(name)
        if operator is None or operator not in known.spec.kind.operators:
            raise invalid(location, f"Unknown operator. {allowed(known.spec.kind.operators)}")
        return operator

    def compared(self, known: Field, operator: Operator, given: Any, location: str, read: Read) -> Comparison:
        """The comparison of ``known`` with ``given``, whose values ``read`` reads."""
        self._count(location)
        if operator is Operator.IS_NULL:
            if not isinstance(given, bool):
                raise invalid(location, NOT_BOOLEAN)
            return Comparison(known, operator, given)
        if given is None and operator in (Operator.EQ, Operator.NE):
            return Comparison(known, Operator.IS_NULL, operator is Operator.EQ)
        if operator not in LISTS:
            return Comparison(known, operator, read(known, operator, given, location))
        if not isinstance(given, list) or not given:
            raise invalid(location, "Must be a list of values that is not empty.")
        if len(given) > self.context.max_values:
            raise invalid(location, f"Holds more than {self.context.max_values} values.")
        nulls = operator in (Operator.IN, Operator.NIN) and None in given
        at = [f"{location}[{number}]" if read is not text_value else location for number in range(len(given))]
        values = [
            read(known, operator, each, where)
            for each, where in zip(given, at, strict=True)
            if not (nulls and each is None)
        ]
        return Comparison(known, operator, values, nulls)

    def _of_json(self, known: Field, operator: Operator, given: Any, location: str) -> Any:
        if isinstance(given, str) and len(given) > MAX_LENGTH:
            raise invalid(location, f"Longer than {MAX_LENGTH} characters.")
        is_text = operator in TEXT and isinstance(given, str)
        value = given if is_text else None if operator in TEXT else known.spec.kind.parse_json(given)
        if value is None:
            raise invalid(location, known.spec.kind.expected())
        return value


def text_value(known: Field, operator: Operator, given: str, location: str) -> Any:
    """The value that the text ``given`` stands for; raises InvalidFilter."""
    if len(given) > MAX_LENGTH:
        raise invalid(location, f"Longer than {MAX_LENGTH} characters.")
    value = given if operator in TEXT else known.spec.kind.parse(given)
    if value is None or "\x00" in given:
        raise invalid(location, known.spec.kind.expected())
    return value


@dataclass
class Branch:
    """Conditions of the short form that start with the same relations, which speak of the same row."""

    parts: list[Condition] = field(default_factory=list)
    inner: dict[Relation, Branch] = field(default_factory=dict)

    def tree(self) -> Junction:
        related = [
            Related(relation, Quantifier.SOME if relation.many else Quantifier.ONE, branch.tree())
            for relation, branch in self.inner.items()
        ]
        return Junction((*self.parts, *related))


class FilterParameterParser:
    """Reads query parameters such as ``amount[gte]=5`` and ``company.industry=shipping``."""

    def __init__(self, model: type[Record], conditions: Conditions) -> None:
        self.model, self.conditions = model, conditions
        self.root = Branch()
        self.is_plain = True

    def add(self, name: str, values: Sequence[str]) -> None:
        """Read one parameter; raises InvalidFilter."""
        if len(values) > 1:
            raise invalid(name, "Given more than once.")
        matched = SHORT.fullmatch(name)
        path, operator = (matched[1], matched[2]) if matched else (name, "eq")
        if matched is None and "." not in name:
            self.root.parts.append(self._equality(name, values[0]))
            return
        self.is_plain = False
        *steps, last = path.split(".")
        model, branch = self.model, self.root
        for hops, step in enumerate(steps, 1):
            self.conditions.check_hops(hops, name)
            relation = self.conditions.context.relation(model, step)
            if relation is None:
                raise invalid(name, f"Unknown relation {step}. {allowed(self.conditions.context.relations(model))}")
            branch = branch.inner.setdefault(relation, Branch())
            model = relation.target
        known = self.conditions.field(model, last, name)
        chosen = self.conditions.operator(known, operator, name)
        branch.parts.append(self.conditions.compared(known, chosen, _given(chosen, values[0], name), name, text_value))

    def _equality(self, name: str, value: str) -> Comparison:
        known = self.conditions.context.fields(self.model).get(name)
        if known is None:
            raise invalid(name, "Unknown query parameter.")
        if not filterable(known):
            raise invalid(name, "Cannot be filtered by.")
        self.conditions.count += 1
        wanted = known.spec.kind.parse(value)
        if wanted is None or "\x00" in value:
            raise invalid(name, known.spec.kind.expected())
        return Comparison(known, Operator.EQ, wanted)


def _given(operator: Operator, text: str, location: str) -> Any:
    if operator is Operator.IS_NULL:
        if text not in BOOLEANS:
            raise invalid(location, NOT_BOOLEAN)
        return BOOLEANS[text]
    return split(text) if operator in LISTS else text


def split(text: str) -> list[str]:
    """The values between commas; one within a value stands behind a backslash."""
    values, at = [], 0
    while at <= len(text):
        found = COMMA.match(text, at)
        if found is None:
            break
        values.append(ESCAPED.sub(r"\1", found[1]))
        at = found.end() if found.end() > found.end(1) else len(text) + 1
    return values
