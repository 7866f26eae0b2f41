"""Conditions read from JSON, the ``where`` of queries and grants, into one tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.engine.declare.kind import LISTS, Operator
from app.engine.declare.record import Field, Record
from app.engine.declare.relations import Relation
from app.engine.declare.shapes import Shaped, members_at
from app.engine.read import spans
from app.engine.read.members import Member, member_of
from app.engine.read.query import Comparison, Condition, Junction, Negation, Quantifier, Related
from app.engine.read.query_context import QueryContext, allowed, filterable, invalid
from app.engine.read.spans import UTC_ZONE, Interval
from app.foundation.errors import Failure, InvalidFilter

MAX_LENGTH = 512
# The member that names the span by which a date or a moment is compared.
BY = "by"
OPERATORS = {each.value: each for each in Operator}
# Whom ``is`` names.
ME = "me"
NOT_BOOLEAN = "Must be true or false."
QUANTIFIERS = {"some": Quantifier.SOME, "none": Quantifier.NONE, "every": Quantifier.EVERY}
# Reads a value for a field and an operator, at its location.
ValueReader = Callable[[Field, Operator, Any, str], Any]


@dataclass
class ConditionParser:
    """Reads the conditions of one query; raises InvalidFilter at the location that breaks a rule."""

    context: QueryContext
    zone: str = UTC_ZONE
    count: int = 0
    objects: int = 0

    def where(self, model: type[Record], given: Any, location: str, depth: int = 0, hops: int = 0) -> Junction:
        """The tree of ``given``, a JSON object in the form of ``where``."""
        if not isinstance(given, dict):
            raise invalid(location, "Must be a JSON object.")
        self.objects += 1
        if self.objects > (most := 2 * self.context.settings.max_conditions):
            raise invalid(location, f"More than {most} objects in one query.")
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
            yield from self._of_field(known, value, here)

    def _of_field(self, known: Field, value: Any, here: str) -> Iterator[Condition]:
        compared = value if isinstance(value, dict) else {"eq": value}
        if BY in compared and not isinstance(known.spec.kind, Shaped):
            yield from self._by(known, compared, here)
            return
        if not compared:
            raise invalid(here, allowed(known.spec.kind.operators))
        if isinstance(known.spec.kind, Shaped) and not compared.keys() <= OPERATORS.keys():
            yield from self._of_members(known, (), compared, here)
            return
        for operator, operand in compared.items():
            at = here if compared is not value else f"{here}.{operator}"
            yield self.compared(known, self.operator(known, operator, at), operand, at, self._of_json)

    def _of_members(self, known: Field, path: tuple[str, ...], given: Any, here: str) -> Iterator[Condition]:
        """Conditions on what lies within a field of JSON, as nested as that is."""
        if not isinstance(given, dict) or not given:
            raise invalid(here, f"Holds members. {allowed(members_at(known.spec.kind, path))}")
        for name, value in given.items():
            inner, at = (*path, name), f"{here}.{name}"
            if isinstance(members_at(known.spec.kind, path).get(name), Mapping):
                yield from self._of_members(known, inner, value, at)
            else:
                yield from self._of_field(self.member(known, inner, at), value, at)

    def member(self, known: Field, path: tuple[str, ...], location: str) -> Member:
        """What lies at ``path`` within ``known``; raises InvalidFilter."""
        found = member_of(known, path)
        if found is None:
            raise invalid(location, f"Cannot be filtered by. {allowed(members_at(known.spec.kind, path[:-1]))}")
        return found

    def _by(self, known: Field, given: dict[str, Any], here: str) -> Iterator[Condition]:
        unit = self.unit(known, given[BY], f"{here}.{BY}")
        if len(given) == 1:
            raise invalid(here, allowed(spans.OPERATORS))
        for name, operand in given.items():
            if name != BY:
                at = f"{here}.{name}"
                yield self.compared_by(known, unit, self.operator(known, name, at), operand, at)

    def unit(self, known: Field, given: Any, location: str, failure: type[Failure] = InvalidFilter) -> Interval:
        """The span that ``known`` is compared or sorted by; raises ``failure``."""
        units = spans.units_of(known.spec.kind)
        if given not in units:
            said = allowed(units) if units else f"{known.name} is neither a date nor a timestamp."
            raise invalid(location, said, failure)
        return Interval(given)

    def compared_by(self, known: Field, unit: Interval, operator: Operator, given: Any, location: str) -> Condition:
        """The condition that ``known`` lies in spans, or beside them, which ``given`` names."""
        if operator is Operator.IS_NULL or (given is None and operator in (Operator.EQ, Operator.NE)):
            return self.compared(known, operator, given, location, self._of_json)
        is_list = operator in LISTS
        if is_list and (not isinstance(given, list) or not given or len(given) > self.context.max_values):
            raise invalid(location, f"Must be a list of 1 to {self.context.max_values} values.")
        found = []
        for each in given if is_list else [given]:
            if each is None and is_list:
                continue
            self._count(location)
            named = spans.span(known, unit, each, self.zone) if isinstance(each, str) and len(each) < 64 else None
            if named is None:
                raise invalid(location, spans.EXPECTED)
            found.append(named)
        if not found:
            return Comparison(known, Operator.IS_NULL, operator is Operator.IN)
        return spans.compared(known, operator, found, with_null=is_list and None in given)

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

    def compared(self, known: Field, operator: Operator, given: Any, location: str, read: ValueReader) -> Comparison:
        """The comparison of ``known`` with ``given``, whose values ``read`` reads."""
        self._count(location)
        if operator is Operator.IS_NULL:
            if not isinstance(given, bool):
                raise invalid(location, NOT_BOOLEAN)
            return Comparison(known, operator, given)
        if operator is Operator.IS:
            if given != ME:
                raise invalid(location, f"Must be {ME}, which is whoever asks.")
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
        value = known.spec.kind.operand(operator, given, is_text=False)
        if value is None:
            raise invalid(location, known.spec.kind.expected())
        return value


def text_value(known: Field, operator: Operator, given: str, location: str) -> Any:
    """The value that the text ``given`` stands for; raises InvalidFilter."""
    if len(given) > MAX_LENGTH:
        raise invalid(location, f"Longer than {MAX_LENGTH} characters.")
    value = known.spec.kind.operand(operator, given, is_text=True)
    if value is None or "\x00" in given:
        raise invalid(location, known.spec.kind.expected())
    return value
