"""The models that can be queried, as the description of the API has them."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

QUERY = "/_query"
JSON_BODY, FORM = "application/json", "multipart/form-data"
# The query parameter by which an operation says that it takes an idempotency key.
KEY = "#/components/parameters/idempotencyKey"

Schema = Mapping[str, Any]
Schemas = Mapping[str, Schema]


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").lower()


def types_of(schema: Schema) -> list[str]:
    given = schema.get("type", [])
    return [given] if isinstance(given, str) else list(given)


def is_exact(schema: Schema) -> bool:
    referred = [each.get("$ref", "") for each in (schema, *schema.get("anyOf", ()))]
    return schema.get("format") in ("decimal", "duration") or "#/components/schemas/Money" in referred


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
    # What can be written, and by which unique rules records are merged.
    writes: frozenset[str] = frozenset()
    unique: tuple[str, ...] = ()

    @property
    def domain(self) -> str:
        return snake(self.path.split("/")[3])

    @property
    def attribute(self) -> str:
        return snake(self.name[len(self.domain.replace("_", "")) :])

    @property
    def granted(self) -> str:
        """What grants call it."""
        domain, *rest = self.path.removeprefix("/api/v1/").split("/")
        return "/".join([domain, *(rest or [self.attribute.replace("_", "-")])])

    @cached_property
    def fields(self) -> Schemas:
        """The fields of a record, without the relations that may stand beside them."""
        related = self.schemas[f"{self.name}Query"].get("x-relations", {})
        properties = self.schemas[self.name]["properties"].items()
        return {name: each for name, each in properties if name not in related and "x-ranked" not in each}

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
    def is_ranked(self) -> bool:
        """Whether a search ranks its lists."""
        return "searchMode" in self.schemas[f"{self.name}Query"]["properties"]

    @property
    def moments(self) -> list[str]:
        return [name for name, schema in self.fields.items() if schema.get("format") == "date-time"]

    @property
    def days(self) -> list[str]:
        return [name for name, schema in self.fields.items() if schema.get("format") == "date"]

    @property
    def extremes(self) -> list[str]:
        """The fields that have a least and a greatest value and are no numbers."""
        found = {"date-time", "date", "time-local"}
        return [name for name, schema in self.fields.items() if schema.get("format") in found]

    @property
    def exact(self) -> list[str]:
        """The numbers that are texts, as floats would not be exact."""
        return [name for name, schema in self.fields.items() if is_exact(schema)]

    @property
    def numbers(self) -> list[str]:
        numbers = {"integer", "number"}
        return [name for name, schema in self.fields.items() if numbers & {*types_of(schema)} or is_exact(schema)]

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
        kind = "Page" if "meta" in page else "GuidePage"
        models[name] = Model(name, collection, way, kind, schemas)
        if way == "Records":
            unique = tuple(paths[collection].get("post", {}).get("x-upsert", ()))
            models[name] = Model(name, collection, way, kind, schemas, writes_of(paths, collection), unique)
    return models


def writes_of(paths: Schemas, collection: str) -> frozenset[str]:
    """What can be written of the records at ``collection``."""
    many, one = paths[collection], paths.get(f"{collection}/{{id}}", {})
    taken = {
        "create": "post" in many,
        "update": "put" in one and "put" in many and f"{collection}/_matching/_update" in paths,
        "delete": "delete" in one and "delete" in many and f"{collection}/_matching/_delete" in paths,
        "history": f"{collection}/{{id}}/_history" in paths,
        "deleted": f"{collection}/_deleted" in paths,
        "revert": f"{collection}/{{id}}/_revert" in paths,
        "restore": f"{collection}/_deleted/{{id}}/_restore" in paths,
    }
    return frozenset(name for name, is_taken in taken.items() if is_taken)


def keyed_paths(paths: Schemas) -> dict[str, list[str]]:
    """The paths whose operations take an idempotency key, by method."""
    found: dict[str, list[str]] = {}
    for path, operations in paths.items():
        for method, operation in operations.items():
            if method != "parameters" and {"$ref": KEY} in operation.get("parameters", ()):
                found.setdefault(method.upper(), []).append(path)
    return found


def generable(description: Schema) -> Schema:
    """The description without bodies of plain text where the same can be sent as a form: openapi-python-client has no
    notion of text. Writes are those of whole records, one where there might be many: the typed layer has the others."""
    found: Schema = copy.deepcopy(description)
    for path, operations in found["paths"].items():
        if path + QUERY in found["paths"]:
            narrow(operations)
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {}) if method != "parameters" else {}
            if FORM in content:
                operation["requestBody"]["content"] = {FORM: content[FORM]}
    return found


def narrow(operations: Schema) -> None:
    """Leave of what a write of records takes and answers the first form alone."""
    for method in ("post", "put", "patch"):
        operation = operations.get(method, {})
        answers = operation.get("responses", {})
        if "201" in answers:
            answers.pop("200", None)
        for place in (operation.get("requestBody", {}), *answers.values()):
            for content in place.get("content", {}).values():
                content["schema"] = content["schema"].get("oneOf", [content["schema"]])[0]
