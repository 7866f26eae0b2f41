"""The models that can be queried, as the description of the API has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

QUERY = "/_query"
JSON_BODY = "application/json"

Schema = Mapping[str, Any]
Schemas = Mapping[str, Schema]


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").lower()


def types_of(schema: Schema) -> list[str]:
    given = schema.get("type", [])
    return [given] if isinstance(given, str) else list(given)


def name_of(schema: Schema) -> str:
    """The name of the component that ``schema`` refers to."""
    reference: str = schema.get("$ref") or schema["oneOf"][0]["$ref"]
    return reference.rpartition("/")[2]


@dataclass(frozen=True)
class Model:
    """A model that can be queried."""

    name: str
    path: str
    way: str
    page: str
    schemas: Schemas

    @property
    def domain(self) -> str:
        return snake(self.path.split("/")[3])

    @property
    def attribute(self) -> str:
        return snake(self.name[len(self.domain.replace("_", "")) :])

    @cached_property
    def fields(self) -> Schemas:
        found: Schemas = self.schemas[self.name]["properties"]
        return found

    @cached_property
    def where(self) -> Schemas:
        found: Schemas = self.schemas[f"{self.name}Where"]["properties"]
        return found

    @cached_property
    def relations(self) -> Schemas:
        """The relations by name: whether each leads to many, and to which model."""
        found = self.schemas[f"{self.name}Query"].get("x-relations", {})
        return {name: to for name, to in found.items() if f"{to['model']}Query" in self.schemas}

    @property
    def sortable(self) -> list[str]:
        return list(self.schemas[f"{self.name}Query"].get("x-sortable", []))

    @property
    def moments(self) -> list[str]:
        return [name for name, schema in self.fields.items() if schema.get("format") == "date-time"]

    @property
    def numbers(self) -> list[str]:
        return [name for name, schema in self.fields.items() if {"integer", "number"} & {*types_of(schema)}]

    @property
    def groupable(self) -> list[str]:
        return [name for name in self.where if name in self.fields and name not in self.relations]


def read_models(description: Schema) -> dict[str, Model]:
    """The models of the description, by name."""
    paths, schemas = description["paths"], description["components"]["schemas"]
    models = {}
    for path, operations in paths.items():
        if not path.endswith(QUERY):
            continue
        operation, collection = operations["post"], path.removesuffix(QUERY)
        name = name_of(operation["requestBody"]["content"][JSON_BODY]["schema"]).removesuffix("Query")
        page = schemas[name_of(operation["responses"]["200"]["content"][JSON_BODY]["schema"])]["properties"]
        # What has no sums takes no choice of fields for one record either.
        way = "Records" if f"{collection}/_aggregate" in paths else "Lists"
        models[name] = Model(name, collection, way, "Page" if "meta" in page else "GuidePage", schemas)
    return models
