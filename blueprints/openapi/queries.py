"""What can be asked of a list, in the OpenAPI document: parameters and schemas, shared by kind of field."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.engine.declare import relations
from app.engine.declare.kind import LISTS, Kind, Operator
from app.engine.declare.kinds import Enum
from app.engine.declare.record import Field, Record
from app.engine.declare.shapes import Shaped
from app.engine.read import query_context, spans
from app.engine.read.aggregates import Function
from app.engine.read.condition_parser import ME
from app.engine.read.query import RankBy
from app.engine.read.query_context import readable
from app.engine.transfer.exporting import ExportFormat
from app.runtime.turns import yield_if_overdue
from blueprints.openapi.grants import grant
from blueprints.openapi.log import LOG_PARAMETERS
from blueprints.openapi.sums import OBJECT, SUM_QUERY, SUMS, of_spans
from blueprints.openapi.vocabulary import schema_reference
from schemas.query.queries import MAX_SKIP

MAX_TAKE = 1000
MEANINGS = {
    Operator.NE: "is another, or empty",
    Operator.GT: "is above this",
    Operator.GTE: "is at least this",
    Operator.LT: "is below this",
    Operator.LTE: "is at most this",
    Operator.IN: "is one of these, comma-separated",
    Operator.NIN: "is none of these, comma-separated, or empty",
    Operator.CONTAINS: "contains this, case aside",
    Operator.STARTS_WITH: "starts with this, case aside",
    Operator.ENDS_WITH: "ends with this, case aside",
    Operator.IS_NULL: "is empty, or with false is not",
    Operator.HAS: "holds this",
    Operator.HAS_ANY: "holds one of these, comma-separated",
    Operator.HAS_ALL: "holds all of these, comma-separated",
    Operator.IS: "is whoever asks",
    Operator.WITHIN: "lies in this network",
    Operator.NEAR: "is near this: latitude, longitude and kilometers, comma-separated",
}
# Those that one kind alone has.
OWN = frozenset({Operator.WITHIN, Operator.NEAR})
# What operators take whatever the field holds.
FIXED = {Operator.IS_NULL: {"type": "boolean"}, Operator.IS: {"type": "string", "enum": [ME]}}
SHARED: dict[str, dict[str, Any]] = {
    "where": {
        "description": "Conditions as JSON, as in the body of QUERY; joined by AND with the others. Spans of time are "
        'asked for as `{"createdAt": {"by": "month", "eq": "2026-11"}}` or `createdAt:month=2026-11`.',
    },
    "search": {"description": "Only records with every one of these words, by prefix, accents and case aside."},
    "searchMode": {
        "description": "Ranks at most 200 records by the search, each with its `score`: no cursor, count nor `sort`.",
        "schema": {"type": "string", "enum": list(RankBy)},
    },
    "sort": {
        "description": "Fields to sort by, comma-separated, descending with a minus; empty values come last. Dates and "
        "timestamps are sorted by spans as `createdAt:month`.",
    },
    "fields": {
        "description": "Only these fields, comma-separated, and `id`; `company.name` is one of an expanded record. "
        "Others are left out, whatever the schema of the answer requires.",
    },
    "expand": {"description": "Relations to answer beside their reference, such as `company,contact.company`."},
    **LOG_PARAMETERS,
    "cursor": {"description": "Empty for the first page of a walk; then what `meta.next` said."},
    "count": {
        "description": "How matching records are counted. The default is exact, and with a cursor none.",
        "schema": {"type": "string", "enum": ["exact", "bounded", "none"]},
    },
    "group": {"description": "Fields to group by, comma-separated; timestamps as `createdAt:month`."},
    "timeZone": {"description": "The time zone in which days begin, such as Europe/Berlin; UTC where none is named."},
    "countGroups": {"description": "Count the records of each group.", "name": "count", "allowEmptyValue": True},
    **{
        f"{each}Fields": {"description": f"Fields to take the {each} of, comma-separated.", "name": str(each)}
        for each in Function
        if each is not Function.COUNT
    },
    "as": {
        "description": "What the export is written as.",
        "schema": {"type": "string", "enum": list(ExportFormat), "default": str(ExportFormat.CSV)},
    },
    "csvSafe": {
        "description": "Whether what a spreadsheet would run as a formula gets an apostrophe in front; for CSV.",
        "schema": {"type": "boolean", "default": True},
    },
    "exportedFields": {"name": "fields", "description": "Only these fields, comma-separated."},
}  # fmt: skip
LIST_PARAMETERS = ("where", "search", "sort", "fields", "expand", "cursor", "count", "versions", "timeZone")
AGGREGATE_PARAMETERS = (
    "where", "search", "group", "countGroups", *(f"{each}Fields" for each in Function if each != "count"), "sort",
    "timeZone",
)  # fmt: skip
EXPORT_PARAMETERS = ("as", "csvSafe", "where", "search", "sort", "exportedFields", "timeZone")

# The component of ``amount[eq]``, beside that of ``amount``, which asks the same.
BRACKETED = "eq.bracketed"

EXPANSION = {
    "type": "object",
    "description": "What is wanted of related records; conditions, order and window are for relations to many.",
    "properties": {
        "fields": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "expand": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Expansion"}},
        "where": OBJECT,
        "sort": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "take": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
    },
    "additionalProperties": False,
}


def condition_parameters(model: type[Record]) -> list[Any]:
    """The parameters for every operator of every field of ``model``: by name those that models share."""
    found: list[Any] = []
    for field in filterable(model):
        for operator in operators(field):
            if operator is Operator.EQ and _differs_by_model(field):
                found += [equality(field, field.name), equality(field, f"{field.name}[eq]")]
            elif operator is Operator.EQ:
                found += [_name(field, operator), _name(field, BRACKETED)]
            else:
                found.append(_name(field, operator))
    return found


def _differs_by_model(field: Field) -> bool:
    """Whether fields of this name take other values in other models."""
    return isinstance(field.spec.kind, Enum)


def equality(field: Field, name: str) -> dict[str, Any]:
    """The parameter called ``name`` for the value of ``field``."""
    text = f"Only records with this {name.removesuffix('[eq]')}."
    return parameter(name, description=text, schema=field.spec.kind.text_schema())


def operators(field: Field) -> list[Operator]:
    """The operators of ``field`` that say anything: whether it is empty is no question where it cannot be."""
    return [each for each in field.spec.kind.operators if each is not Operator.IS_NULL or field.nullable]


def filterable(model: type[Record]) -> list[Field]:
    """The fields of ``model`` that some caller may filter by."""
    return [each for each in readable(model, True).values() if query_context.filterable(each)]


def components(models: list[type[Record]]) -> dict[str, dict[str, Any]]:
    """The parameters and schemas that the operations of ``models`` refer to."""
    parameters = {name: parameter(name, **options) for name, options in SHARED.items()}
    schemas: dict[str, Any] = {"Expansion": EXPANSION, "SumQuery": SUM_QUERY, "Sums": SUMS, "Grant": grant(models)}
    for model in models:
        yield_if_overdue()
        for field in readable(model, True).values():
            schemas |= _parts_of(field.spec.kind)
        for field in filterable(model):
            schemas[_condition_name(field.spec.kind)] = _condition(field.spec.kind)
            for operator in operators(field):
                parameters[_name(field, operator)] = _operator_parameter(field, operator)
            parameters[_name(field, BRACKETED)] = equality(field, f"{field.name}[eq]")
        schemas[f"{model.__name__}Where"] = _where(model)
        schemas[f"{model.__name__}Many"] = _many(model)
        schemas[f"{model.__name__}Query"] = _query(model)
    return {"parameters": parameters, "schemas": schemas}


def parameter(called: str, /, **options: Any) -> dict[str, Any]:
    return {"name": called, "in": "query", "schema": {"type": "string"}, **options}


def _name(field: Field, operator: str) -> str:
    return f"{_condition_name(field.spec.kind).removesuffix('Condition')}.{field.name}.{operator}"


def _operator_parameter(field: Field, operator: Operator) -> dict[str, Any]:
    if operator is Operator.EQ:
        return equality(field, field.name)
    schema = FIXED.get(operator) or ({"type": "string"} if operator in LISTS else _value(field.spec.kind.text_schema()))
    text = f"{field.name} {MEANINGS[operator]}."
    return parameter(f"{field.name}[{operator}]", description=text, schema=schema)


def _condition_name(kind: Kind) -> str:
    """``StringCondition``: kinds that take the same operators and values share one."""
    if isinstance(kind, Shaped):
        return "MembersCondition"
    schema = kind.json_schema()
    name = schema.get("format", schema["type"]).replace("-", " ").title().replace(" ", "")
    if Operator.IS in kind.operators:
        name = "User"
    elif Operator.HAS in kind.operators:
        name = "Array"
    elif schema["type"] == "string" and "format" not in schema and Operator.CONTAINS not in kind.operators:
        name = "Choice"
    return f"{name}Condition"


def _value(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of one value, alike for kinds that differ in their bounds alone."""
    if schema["type"] == "object":
        return schema_reference(str(schema["format"]).title())
    return {name: value for name, value in schema.items() if name in ("type", "format")}


def described_value(kind: Kind, *, nullable: bool) -> dict[str, Any]:
    """The schema of a value of ``kind`` in a record: one with parts is a component, which clients have a type of."""
    schema = kind.json_schema()
    if schema["type"] == "object":
        return _or_null(_value(schema)) if nullable else _value(schema)
    return _or_null(schema) if nullable else schema


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]}


def _parts_of(kind: Kind) -> dict[str, dict[str, Any]]:
    """The components of values with parts, and of what operators compare them with."""
    schemas = [kind.json_schema(), *(kind.operand_schema(each) for each in kind.operators if each in OWN)]
    found = {str(each["format"]).title(): each for each in schemas if each["type"] == "object"}
    return {name: {key: part for key, part in each.items() if key != "format"} for name, each in found.items()}


def _condition(kind: Kind) -> dict[str, Any]:
    if isinstance(kind, Shaped):
        is_null = {"isNull": FIXED[Operator.IS_NULL]}
        return {"anyOf": [{"type": "null"}, {"type": "object", "properties": is_null, "additionalProperties": True}]}
    value = _value(kind.json_schema())
    nullable = _or_null(value)
    operators: dict[str, Any] = {}
    for operator in kind.operators:
        if operator in OWN:
            operators[operator] = _value(kind.operand_schema(operator))
            continue
        takes = nullable if operator in (Operator.EQ, Operator.NE, Operator.IN, Operator.NIN) else value
        if operator in LISTS:
            takes = {"type": "array", "items": takes, "minItems": 1}
        operators[operator] = FIXED.get(operator, takes)
    compared = {"type": "object", "properties": operators, "additionalProperties": False, "minProperties": 1}
    units = spans.units_of(kind)
    return {"anyOf": [nullable, compared, *([of_spans(units)] if units else [])]}


def _where(model: type[Record]) -> dict[str, Any]:
    own = schema_reference(f"{model.__name__}Where")
    several = {"type": "array", "items": own, "minItems": 1}
    properties: dict[str, Any] = {"and": several, "or": several, "not": own}
    properties |= {each.name: schema_reference(_condition_name(each.spec.kind)) for each in filterable(model)}
    for name, relation in relations.of(model).items():
        properties[name] = schema_reference(f"{relation.target.__name__}{'Many' if relation.many else 'Where'}")
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _many(model: type[Record]) -> dict[str, Any]:
    own = schema_reference(f"{model.__name__}Where")
    quantified = {"some": own, "none": own, "every": own}
    return {"type": "object", "properties": quantified, "additionalProperties": False, "minProperties": 1}


def _query(model: type[Record]) -> dict[str, Any]:
    sortable = [name for name, each in readable(model, True).items() if query_context.sortable(each)]
    found = relations.of(model)
    strings = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    properties: dict[str, Any] = {
        "where": schema_reference(f"{model.__name__}Where"),
        "search": {"type": "string"},
        "sort": strings,
        "fields": strings,
        "expand": {"anyOf": [strings, _expansions(found)]},
        "take": {"type": "integer", "minimum": 1, "maximum": MAX_TAKE, "default": 20},
        "skip": {"type": "integer", "minimum": 0, "maximum": MAX_SKIP, "default": 0},
        "count": {"type": "string", "enum": ["exact", "bounded", "none"]},
        "cursor": {"type": "string"},
        "versions": {"type": "boolean"},
        "timeZone": {"type": "string"},
    }
    properties |= {"searchMode": {"type": "string", "enum": list(RankBy)}} if model.semantic else {}
    searchable = [model.fields()[name].name for name in model.searchable]
    return {
        "type": "object", "properties": properties, "additionalProperties": False,
        "x-sortable": sortable,
        **({"x-searchable": searchable} if searchable else {}),
        "x-relations": {
            name: {"model": each.target.__name__, "many": each.many, "reference": each.reference.name}
            for name, each in found.items()
        },
    }  # fmt: skip


def _expansions(found: Iterable[str]) -> dict[str, Any]:
    """One property for each relation: of a map, some generators make code that does not compile."""
    named = {name: schema_reference("Expansion") for name in found}
    return {"type": "object", "properties": named, "additionalProperties": False}
