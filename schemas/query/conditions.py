"""Conditions read from query parameters, such as ``amount[gte]=5`` and ``company.industry=shipping``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from app.engine.declare.kind import LISTS, Kind, Operator
from app.engine.declare.record import Record
from app.engine.declare.relations import Relation
from app.engine.declare.shapes import Shaped
from app.engine.read.condition_parser import NOT_BOOLEAN, ConditionParser, text_value
from app.engine.read.query import Comparison, Condition, Junction, Quantifier, Related
from app.engine.read.query_context import QueryContext, allowed, filterable, invalid

SHORT = re.compile(r"([^\[\]]+)\[([A-Za-z]+)\]")
COMMA = re.compile(r"((?:[^\\,]|\\.|\\$)*)(?:,|$)", re.DOTALL)
ESCAPED = re.compile(r"\\([\\,])")
BOOLEANS = {"true": True, "false": False}


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

    def __init__(self, model: type[Record], conditions: ConditionParser) -> None:
        self.model, self.conditions = model, conditions
        self.root = Branch()
        self.is_plain = True

    def add(self, name: str, values: Sequence[str]) -> None:
        """Read one parameter; raises InvalidFilter."""
        if len(values) > 1:
            raise invalid(name, "Given more than once.")
        matched = SHORT.fullmatch(name)
        path, operator = (matched[1], matched[2]) if matched else (name, "eq")
        if matched is None and "." not in name and ":" not in name:
            self.root.parts.append(self._equality(name, values[0]))
            return
        self.is_plain = False
        *steps, last = path.split(".")
        within: tuple[str, ...] = ()
        model, branch = self.model, self.root
        for hops, step in enumerate(steps, 1):
            relation = self.conditions.context.relation(model, step)
            if relation is None and isinstance(kind_of(self.conditions.context, model, step), Shaped):
                within, last = (*steps[hops:], last), step
                break
            self.conditions.check_hops(hops, name)
            if relation is None:
                raise invalid(name, f"Unknown relation {step}. {allowed(self.conditions.context.relations(model))}")
            branch = branch.inner.setdefault(relation, Branch())
            model = relation.target
        last, colon, unit = last.partition(":")
        known = self.conditions.field(model, last, name)
        if within:
            known = self.conditions.member(known, within, name)
        chosen = self.conditions.operator(known, operator, name)
        given = _given(chosen, values[0], name)
        if colon:
            by = self.conditions.unit(known, unit, name)
            branch.parts.append(self.conditions.compared_by(known, by, chosen, given, name))
        else:
            branch.parts.append(self.conditions.compared(known, chosen, given, name, text_value))

    def _equality(self, name: str, value: str) -> Comparison:
        known = self.conditions.context.fields(self.model).get(name)
        if known is None:
            raise invalid(name, "Unknown query parameter.")
        if not filterable(known):
            raise invalid(name, "Cannot be filtered by.")
        if Operator.EQ not in known.spec.kind.operators:
            raise invalid(name, f"Takes no value of its own. {allowed(known.spec.kind.operators)}")
        self.conditions.count += 1
        wanted = known.spec.kind.parse(value)
        if wanted is None or "\x00" in value:
            raise invalid(name, known.spec.kind.expected())
        return Comparison(known, Operator.EQ, wanted)


def kind_of(context: QueryContext, model: type[Record], name: str) -> Kind | None:
    """The kind of the field called ``name``, as far as the caller knows of it."""
    known = context.fields(model).get(name)
    return None if known is None else known.spec.kind


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
