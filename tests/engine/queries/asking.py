"""Queries of every kind, made up by Hypothesis in the full form, and the ways to send them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck
from hypothesis import strategies as st

from app.auth.models.identity import AuthUser
from app.engine.declare import relations
from app.engine.declare.fields import FILTERABLE, SORTABLE
from app.engine.declare.kind import TEXT
from app.engine.declare.kinds import Enum, Timestamp
from app.engine.declare.record import Field, Record
from tests.engine.queries.world import MODELS, WORDS, World

Model = type[Record]
ASKED = tuple(model for model in MODELS)
# To LIKE these are patterns; to a caller they are characters.
MARKS = ("%", "_", "\\", "a%", "r_", "%s")
TEXTS = st.one_of(st.sampled_from(WORDS), st.sampled_from(MARKS), st.text("aàAß\u03a3\u03c3%_\\ .@kn", max_size=3))
# How Hypothesis asks a running service.
PATIENT = {"deadline": None, "suppress_health_check": list(HealthCheck)}
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu")


def fields(model: Model, flag: Any) -> list[Field]:
    return [each for each in model.fields().values() if flag in each.spec.flags and each.spec.readable]


def reachable(model: Model, *, many: bool) -> list[str]:
    """Relations whose target the world has."""
    return sorted(name for name, each in relations.of(model).items() if each.many is many and each.target in MODELS)


def value(draw: Any, world: World, model: Model, field: Field, operator: str) -> Any:
    if operator in ("contains", "startsWith", "endsWith"):
        return draw(TEXTS)
    kind = field.spec.kind
    if isinstance(kind, Enum):
        return draw(st.sampled_from(sorted(kind.values)))
    stored = [row[field.attribute] for row in world.rows[model] if row.get(field.attribute) is not None]
    choices = [st.sampled_from(sorted(set(stored)))] if stored else []
    if kind.name == "string" and not field.references and field.attribute != "id":
        choices.append(TEXTS)
    if kind.is_number:
        choices.append(st.integers(-1, 101))
    if not choices:
        choices = [st.just(plain(kind.example()))]
    return plain(draw(st.one_of(choices)))


def plain(found: Any) -> Any:
    if hasattr(found, "isoformat"):
        return found.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return found if isinstance(found, (bool, int, float, str)) else str(found)


@st.composite
def comparison(draw: Any, world: World, model: Model) -> dict[str, Any]:
    field = draw(st.sampled_from(fields(model, FILTERABLE)))
    operators = [each for each in field.spec.kind.operators for _ in range(3 if each in TEXT else 1)]
    operator = str(draw(st.sampled_from(operators)))
    if operator == "isNull":
        return {field.name: {operator: draw(st.booleans())}}
    if operator == "is":
        return {field.name: {operator: "me"}}
    if operator in ("in", "nin"):
        values = [value(draw, world, model, field, operator) for _ in range(draw(st.integers(1, 3)))]
        return {field.name: {operator: values + ([None] if draw(st.booleans()) else [])}}
    wanted = (
        None
        if operator in ("eq", "ne") and draw(st.integers(0, 5)) == 0
        else value(draw, world, model, field, operator)
    )
    return {field.name: wanted if operator == "eq" and draw(st.booleans()) else {operator: wanted}}


@st.composite
def where(draw: Any, world: World, model: Model, depth: int = 3) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(draw(st.integers(0 if depth == 3 else 1, 2))):
        shapes = ("field", "field", "and", "or", "not", "one", "many", "person")
        shape = draw(st.sampled_from(shapes)) if depth else "field"
        ones, manies = reachable(model, many=False), reachable(model, many=True)
        if shape in ("and", "or"):
            found[shape] = [draw(where(world, model, depth - 1)) for _ in range(draw(st.integers(1, 2)))]
        elif shape == "not":
            found["not"] = draw(where(world, model, depth - 1))
        elif shape == "one" and ones:
            name = draw(st.sampled_from(ones))
            found[name] = draw(where(world, relations.of(model)[name].target, depth - 1))
        elif shape == "person" and (people := [name for name in ones if relations.of(model)[name].target is AuthUser]):
            # Of people, colleagues see some fields and not others.
            found[draw(st.sampled_from(people))] = draw(comparison(world, AuthUser))
        elif shape == "many" and manies:
            name = draw(st.sampled_from(manies))
            inner = draw(where(world, relations.of(model)[name].target, depth - 1))
            found[name] = {draw(st.sampled_from(("some", "none", "every"))): inner}
        else:
            found |= draw(comparison(world, model))
    return found


@st.composite
def sort_keys(draw: Any, model: Model) -> list[str]:
    keys = []
    for _ in range(draw(st.integers(0, 3))):
        target, prefix = model, ""
        ones = reachable(model, many=False)
        if ones and draw(st.integers(0, 3)) == 0:
            name = draw(st.sampled_from(ones))
            target, prefix = relations.of(model)[name].target, f"{name}."
        keys.append(prefix + draw(st.sampled_from([each.name for each in fields(target, SORTABLE)])))
    return [f"{draw(st.sampled_from(('', '-')))}{key}" for key in dict.fromkeys(keys)]


@st.composite
def selection(draw: Any, world: World, model: Model, depth: int = 2) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if draw(st.booleans()):
        names = [each.name for each in fields(model, FILTERABLE)]
        found["fields"] = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    if depth and draw(st.integers(0, 2)) == 0:
        names = draw(st.lists(st.sampled_from(reachable(model, many=False) + reachable(model, many=True)), max_size=2,
                              unique=True))  # fmt: skip
        found["expand"] = {name: draw(expansion(world, model, name, depth)) for name in names}
    return found


@st.composite
def expansion(draw: Any, world: World, model: Model, name: str, depth: int) -> dict[str, Any]:
    relation = relations.of(model)[name]
    found = draw(selection(world, relation.target, depth - 1))
    if relation.many and draw(st.booleans()):
        found["where"] = draw(where(world, relation.target, 1))
        found["take"] = draw(st.integers(1, 4))
        if keys := draw(sort_keys(relation.target)):
            found["sort"] = keys
    return found


@st.composite
def query(draw: Any, world: World, model: Model) -> dict[str, Any]:
    asked: dict[str, Any] = {"where": draw(where(world, model)), **draw(selection(world, model))}
    if keys := draw(sort_keys(model)):
        asked["sort"] = keys
    if model.searchable and draw(st.integers(0, 3)) == 0:
        asked["search"] = draw(st.sampled_from(("har", "crane wor", "elan", "ZOE", "quay ada", "as", "x")))
    return asked


@st.composite
def sum_query(draw: Any, world: World, model: Model) -> dict[str, Any]:
    groups = []
    for _ in range(draw(st.integers(0, 2))):
        target, prefix = model, ""
        if (ones := reachable(model, many=False)) and draw(st.booleans()):
            name = draw(st.sampled_from(ones))
            target, prefix = relations.of(model)[name].target, f"{name}."
        field = draw(st.sampled_from(fields(target, FILTERABLE)))
        unit = draw(st.sampled_from(("hour", "day", "week", "month", "quarter", "year")))
        groups.append(
            {"field": prefix + field.name, "by": unit}
            if isinstance(field.spec.kind, Timestamp)
            else prefix + field.name
        )
    names = [each["field"] if isinstance(each, dict) else each for each in groups]
    numbers = [each.name for each in model.fields().values() if each.spec.kind.is_number and each.spec.readable]
    known = [name for name in numbers if name in {f.name for f in fields(model, SORTABLE)}]
    measures: dict[str, Any] = {"count": True} | ({"sum": known[:1]} if known else {})
    return {
        "where": draw(where(world, model)), "group": groups if len(set(names)) == len(names) else groups[:1],
        "measures": measures, "timeZone": draw(st.sampled_from(ZONES)), "take": 1000,
    }  # fmt: skip


def as_parameters(asked: dict[str, Any]) -> dict[str, Any]:
    """The same query as parameters of GET; None where these cannot say it."""
    sent: dict[str, Any] = {"where": json.dumps(asked["where"])}
    for name in ("search", "take", "skip", "cursor", "count"):
        if name in asked:
            sent[name] = asked[name]
    for name in ("sort", "fields"):
        if name in asked:
            sent[name] = ",".join(asked[name])
    return sent


def drawn(data, known, made):
    """Somebody of the world, a model, and what they ask of it, as ``made`` makes it up."""
    caller = known.callers[data.draw(st.sampled_from(sorted(known.callers)))]
    model = data.draw(st.sampled_from(ASKED))
    return caller, model, data.draw(made(known, model))
