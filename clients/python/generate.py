"""Writes ``rowgate_client/models.py``, the types of what can be asked and written of each model, ``keyed.py``, and
``openapi.json``, which openapi-python-client makes the rest from."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from description import Model, Schema, Schemas, generable, keyed_paths, name_of, read_models, snake, types_of
from texts import (
    HEAD,
    LISTS,
    RANKED,
    RECORDS,
    WRITES,
    alias,
    called,
    descending,
    holder,
    keyed_module,
    literal,
    pascal,
    typed_dict,
    value,
)

HERE = Path(__file__).parent
DESCRIPTION = Path(os.environ.get("DESCRIPTION") or HERE.parent.parent / "docs" / "openapi.json")
PACKAGE = HERE / "rowgate_client"
# What is asked and answered about access beside records.
ASKED_OF_ACCESS = ("AuthApiKeyCreate", "AuthApiKeyUpdate", "AccessQuestion")
ANSWERED_OF_ACCESS = (
    "AuthApiKeyMade", "AccessList", "MemberAccess", "AccessToModel", "AccessOverview", "AccessExplanation",
)  # fmt: skip
# The components that are values of fields.
PARTS = ("Money", "Point", "Circle")
UNITS = ("hour", "day", "week", "month", "quarter", "year")


class Writing:
    """The text of the module."""

    def __init__(self, models: Mapping[str, Model], schemas: Schemas) -> None:
        self.models = models
        self.schemas = schemas
        self.written: dict[str, str] = {}
        # The conditions of each model, with their types.
        self.conditions: dict[str, dict[str, str]] = {}

    def add(self, name: str, text: str) -> str:
        if self.written.setdefault(name, text) != text:
            raise SystemExit(f"rowgate: two types of the Python client are called {name}")
        return name

    def text(self) -> str:
        self._parts()
        for model in self.models.values():
            self._records(model)
            self._conditions(model)
            self._selections(model)
            self._sums(model)
            self._written(model)
        self._access()
        return "\n\n".join([HEAD, *self.written.values(), "", self._domains()])

    def _target(self, relation: Schema) -> Model:
        return self.models[relation["model"]]

    def _along_one(self, model: Model, names: str) -> list[str]:
        """The ``names`` of the models that relations to one lead to, behind the relation."""
        to_one = [(name, self._target(to)) for name, to in model.relations.items() if not to["many"]]
        return [f"{name}.{each}" for name, target in to_one for each in getattr(target, names)]

    def _parts(self) -> None:
        """The values that have parts."""
        for name in PARTS:
            if name in self.schemas:
                members = {each: value(schema) for each, schema in self.schemas[name]["properties"].items()}
                self.add(name, typed_dict(name, members))

    def _records(self, model: Model) -> None:
        """The record as it is, and with its relations along one and two hops. Type checkers print the whole of a type,
        and one that leads on for ever takes them as long."""
        required = model.schemas[model.name].get("required", [])
        whole = {name: value(each) for name, each in model.fields.items()}
        part = {name: kind if name == "id" else f"NotRequired[{kind}]" for name, kind in whole.items()}
        whole = {name: kind if name in required else f"NotRequired[{kind}]" for name, kind in whole.items()}
        name = model.name
        self.add(f"{name}Fields", typed_dict(f"{name}Fields", whole))
        self.add(f"{name}PartFields", typed_dict(f"{name}PartFields", part))
        if "history" in model.writes:
            values = {each: value(schema) for each, schema in model.fields.items()}
            self.add(f"{name}Values", typed_dict(f"{name}Values", values, total=False))
        for suffix, base, related in (
            ("Related", "Fields", "Fields"), ("Record", "Fields", "Related"), ("Part", "PartFields", "Related"),
        ):  # fmt: skip
            kinds = {each: (f"{to['model']}{related}", to["many"]) for each, to in model.relations.items()}
            lines = [f"    {each}: {f'list[{k}]' if many else f'{k} | None'}" for each, (k, many) in kinds.items()]
            head = f"class {name}{suffix}({name}{base}, total=False):"
            self.add(f"{name}{suffix}", "\n".join([head, *(lines or ["    pass"])]))
        if model.is_ranked:
            for whole_name, suffix in (("Record", "Ranked"), ("Part", "RankedPart")):
                self.add(f"{name}{suffix}", f"class {name}{suffix}({name}{whole_name}):\n    score: float")

    def _conditions(self, model: Model) -> None:
        own, members = f"{model.name}Where", {}
        for name, schema in model.where.items():
            if name in ("and", "or"):
                members[name] = f"Sequence[{own}]"
            elif name == "not":
                members[name] = own
            elif name in model.relations:
                to = model.relations[name]
                members[name] = f"{to['model']}{'Many' if to['many'] else 'Where'}"
            else:
                members[name] = self._condition(model, name, name_of(schema))
        self.conditions[model.name] = members
        self.add(own, typed_dict(own, members, total=False))
        many = f"{model.name}Many"
        self.add(many, typed_dict(many, dict.fromkeys(("some", "none", "every"), own), total=False))

    def _condition(self, model: Model, field: str, called: str) -> str:
        """The type of a condition on ``field``: a value, or operators with values; one for all fields that take any."""
        plain, compared, *spans = model.schemas[called]["anyOf"]
        if compared.get("additionalProperties"):  # by the names of the members of JSON
            return "Mapping[str, Any] | None"
        schema = model.fields[field]
        schema = schema["items"] if "array" in types_of(schema) else schema
        only = None
        if "enum" in schema:
            choice = f"{model.name}{pascal(field)}"
            called = f"{choice}Condition"
            only = self.add(choice, alias(choice, value({**schema, "type": []})))
        members = {name: self._operand(each, only) for name, each in compared["properties"].items()}
        self.add(called, typed_dict(called, members, total=False))
        named = f"{self._operand(plain, only)} | {called}"
        for schema in spans:
            span = called.replace("Condition", "SpanCondition")
            kinds = {name: self._operand(each, None) for name, each in schema["properties"].items()}
            required = schema["required"]
            self.add(span, typed_dict(span, {n: k if n in required else f"NotRequired[{k}]" for n, k in kinds.items()}))
            named += f" | {span}"
        return named

    @classmethod
    def _operand(cls, schema: Schema, only: str | None) -> str:
        if schema.get("type") == "array":
            return f"Sequence[{cls._operand(schema['items'], only)}]"
        return value(schema).replace("str", only) if only else value(schema)

    def _selections(self, model: Model) -> None:
        name, related = model.name, model.relations
        paths = [*related, *(f"{each}.{inner}" for each, to in related.items() for inner in self._target(to).relations)]
        self.add(f"{name}Field", alias(f"{name}Field", literal(model.fields)))
        sorts = descending([*model.sortable, *self._spans(model), *self._along_one(model, "sortable")])
        self.add(f"{name}Sort", alias(f"{name}Sort", literal(sorts)))
        self.add(f"{name}Path", alias(f"{name}Path", literal(paths)))
        one = {"fields": f"Sequence[{name}Field]", "expand": f"{name}Expand"}
        many = {**one, "where": f"{name}Where", "sort": f"Sequence[{name}Sort]", "take": "int"}
        self.add(f"{name}Expansion", typed_dict(f"{name}Expansion", one, total=False))
        self.add(f"{name}Window", typed_dict(f"{name}Window", many, total=False))
        members = {each: f"{to['model']}{'Window' if to['many'] else 'Expansion'}" for each, to in related.items()}
        self.add(f"{name}Expand", typed_dict(f"{name}Expand", members, total=False))

    def _sums(self, model: Model) -> None:
        if model.way == "Lists":
            return
        name, moments = model.name, self._moments(model)
        plain = [each for each in self._groups(model) if each not in moments]
        self.add(f"{name}Group", alias(f"{name}Group", literal(plain)))
        span = {"field": literal([*moments, *model.days]), "by": literal(UNITS)}
        self.add(f"{name}Span", typed_dict(f"{name}Span", span))
        extremes = [*model.numbers, *model.extremes]
        measured = {
            "sum": model.numbers, "avg": model.numbers, "min": extremes, "max": extremes, "countDistinct": model.fields,
        }  # fmt: skip
        asked = {each: f"Sequence[{literal(fields)}]" for each, fields in measured.items()}
        self.add(f"{name}Measures", typed_dict(f"{name}Measures", {"count": "bool", **asked}, total=False))
        names = [*self._groups(model), "count", *(f"{each}.{field}" for each, own in measured.items() for field in own)]
        self.add(f"{name}SumSort", alias(f"{name}SumSort", literal(descending(names))))
        numbers = dict.fromkeys(model.numbers, "float | None") | dict.fromkeys(model.exact, "str | None")
        found = {
            "Groups": {each: self._group(model, each) for each in self._groups(model)},
            "Numbers": numbers,
            "Extremes": numbers | dict.fromkeys(model.extremes, "str | None"),
            "Counts": dict.fromkeys(model.fields, "int"),
        }
        for suffix, members in found.items():
            self.add(f"{name}{suffix}", typed_dict(f"{name}{suffix}", members, total=False))
        answered = {"sum": "Numbers", "avg": "Numbers", "min": "Extremes", "max": "Extremes", "countDistinct": "Counts"}
        sums = {each: f"NotRequired[{name}{suffix}]" for each, suffix in answered.items()}
        members = {"group": f"{name}Groups", "count": "NotRequired[int]", **sums}
        self.add(f"{name}Sum", typed_dict(f"{name}Sum", members))

    def _written(self, model: Model) -> None:
        """What makes a record, and what changes one."""
        for way, suffix, verb in (("create", "Draft", "Create"), ("update", "Changes", "Update")):
            if way not in model.writes:
                continue
            schema = model.schemas[f"{model.name}{verb}"]
            kinds = {name: value(each).replace("list[", "Sequence[") for name, each in schema["properties"].items()}
            required = schema.get("required", ())
            members = {name: kind if name in required else f"NotRequired[{kind}]" for name, kind in kinds.items()}
            self.add(f"{model.name}{suffix}", typed_dict(f"{model.name}{suffix}", members))

    def _access(self) -> None:
        """Grants, by the models that they name, and the bodies that hold them. A grant of one model has its fields and
        conditions; one of several models of a domain, those that all of the domain have; one with a star, any."""
        members = self.schemas["Grant"]["properties"]
        self.add("GrantOperation", alias("GrantOperation", value(members["operations"]["items"])))
        named = {model.granted: model for model in self.models.values()}
        names = members["models"]["items"]["enum"]
        self.add("GrantedModel", alias("GrantedModel", literal(name for name in names if name in named)))
        kinds = [self._grant(model.name, [name], [model]) for name, model in named.items()]
        for domain in dict.fromkeys(name.partition("/")[0] for name in named):
            own = {name: model for name, model in named.items() if name.startswith(f"{domain}/")}
            kinds += [self._grant(f"{called(snake(domain))}All", [*own], [*own.values()])] if len(own) > 1 else []
        kinds.append(self._grant("Several", [*named], [*named.values()]))
        kinds.append(self._grant("Wide", [name for name in names if name.endswith("*")], []))
        self.add("Grant", alias("Grant", " | ".join(kinds)))
        for name in ASKED_OF_ACCESS:
            self._body(name, "Sequence[")
        for name in ANSWERED_OF_ACCESS:
            self._body(name, "list[")

    def _grant(self, name: str, names: Sequence[str], models: Sequence[Model]) -> str:
        """The type of a grant of ``names``, with what all of ``models`` have."""
        fields, where = "str", "Mapping[str, Any]"
        if len(models) == 1:
            known = [*models[0].fields, *(each for each in self._taken(models[0]) if each not in models[0].fields)]
            fields, where = literal(known), f"{name}Where"
        elif models:
            shared = [*models[0].fields]
            fields = literal(each for each in shared if all(each in model.fields for model in models))
            where = self._shared(f"{name}Where", models)
        return self.add(f"{name}Grant", typed_dict(f"{name}Grant", {
            "models": f"Sequence[{literal(names)}]", "operations": "NotRequired[Sequence[GrantOperation]]",
            "fields": f"NotRequired[Sequence[{fields}]]", "where": f"NotRequired[{where}]",
        }))  # fmt: skip

    @classmethod
    def _taken(cls, model: Model) -> Schema:
        found: Schema = model.schemas[f"{model.name}Create"]["properties"] if "create" in model.writes else {}
        return found

    def _shared(self, name: str, models: Sequence[Model]) -> str:
        """The type of the conditions that all of ``models`` know in the same words."""
        each = [self.conditions[model.name] for model in models]
        found = {key: kind for key, kind in each[0].items() if all(other.get(key) == kind for other in each)}
        several = f"Sequence[{name}]"
        return self.add(name, typed_dict(name, {**found, "and": several, "or": several, "not": name}, total=False))

    def _body(self, name: str, several: str) -> None:
        schema = self.schemas[name]
        kinds = {each: value(of).replace("list[", several) for each, of in schema["properties"].items()}
        for each in filter(lambda of: "$ref" in of, schema["properties"].values()):
            self._body(name_of(each), several)
        if name == "AccessQuestion":
            kinds["model"] = "GrantedModel"
        # Whoever has no credential makes another kind of key.
        kinds.pop("anonymous", None)
        required = schema.get("required", ())
        members = {each: kind if each in required else f"NotRequired[{kind}]" for each, kind in kinds.items()}
        self.add(name, typed_dict(name, members))

    def _groups(self, model: Model) -> list[str]:
        return [*model.groupable, *self._along_one(model, "groupable")]

    def _spans(self, model: Model) -> list[str]:
        """What dates and moments are sorted by."""
        formats = {each: self._field(model, each).get("format") for each in model.sortable}
        return [
            f"{each}:{unit}"
            for each, format in formats.items() if format in ("date-time", "date")
            for unit in UNITS if format == "date-time" or unit != "hour"
        ]  # fmt: skip

    def _moments(self, model: Model) -> list[str]:
        return [each for each in self._groups(model) if self._field(model, each).get("format") == "date-time"]

    def _field(self, model: Model, name: str) -> Schema:
        relation, _, last = name.rpartition(".")
        return (self._target(model.relations[relation]) if relation else model).fields[last]

    def _group(self, model: Model, name: str) -> str:
        # Amounts are grouped by their currency.
        kind = value(self._field(model, name)).replace("Money", "str")
        return kind if kind.endswith("None") else f"{kind} | None"

    def _domains(self) -> str:
        """The class of each model and of each domain, and the one that holds them."""
        domains: dict[str, list[Model]] = {}
        for model in self.models.values():
            domains.setdefault(model.domain, []).append(model)
        classes = []
        for model in self.models.values():
            lists = LISTS + RANKED * model.is_ranked
            classes.append(lists.format(name=model.name, page=model.page))
            classes += [self._records_class(model)] if model.way == "Records" else []
        for domain, models in domains.items():
            lines = [f'self.{each.attribute} = {each.name}{each.way}(client, "{each.path}")' for each in models]
            classes.append(holder(called(domain), f"The lists of the domain {domain}.", lines))
        lines = [f"self.{domain} = {called(domain)}(client)" for domain in domains]
        lines.append("self.access = Access(client)")
        return "\n\n".join(
            [*classes, holder("Rowgate", "The records of a service, typed by model.", lines, "Batching, Log")]
        )

    @classmethod
    def _records_class(cls, model: Model) -> str:
        ways = [*model.writes, *(["upsert"] if model.unique else [])]
        texts = [RECORDS, *(text for way, text in WRITES.items() if way in ways)]
        return "".join(texts).format(name=model.name, unique=literal(model.unique))


def main() -> None:
    description = json.loads(DESCRIPTION.read_text())
    (PACKAGE / "models.py").write_text(Writing(read_models(description), description["components"]["schemas"]).text())
    (HERE / "openapi.json").write_text(json.dumps(generable(description)))
    (PACKAGE / "keyed.py").write_text(keyed_module(keyed_paths(description["paths"])))


if __name__ == "__main__":
    main()
