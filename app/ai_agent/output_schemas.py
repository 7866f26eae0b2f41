"""The JSON Schemas that agents may declare for their output, and the check of data against one.

A schema comes from a tenant and is worked with by a worker that serves all of them. It refers to nothing outside
itself, and holds no regular expressions, whose matching may take for ever.
"""

from __future__ import annotations

import json
from tempfile import TemporaryFile
from typing import Any

from app.runtime import sandbox
from app.runtime.sandboxed import Refusal

FIT_SECONDS, FIT_MEMORY = 10, 512
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
# What holds schemas under names of their own, and what holds no schema at all.
NAMED = ("properties", "$defs", "definitions", "dependentSchemas")
DATA = ("const", "enum", "default", "examples")
EXPRESSIONS = ("pattern", "patternProperties")
# The check of unique items compares each with each.
MAX_ITEMS, MAX_PARTS = 500, 5000


class SchemaMismatch(Refusal):
    """Data that does not fit, or a schema that is not taken."""


def check(schema: dict[str, Any]) -> None:
    """Check a schema that is about to be stored; raises SchemaMismatch."""
    from jsonschema import exceptions  # for the few agents that declare one, not at every start
    from jsonschema.validators import validator_for

    _check_size(schema)
    _check_part(schema)
    try:
        validator_for(schema).check_schema(schema)
    except exceptions.SchemaError as error:
        raise SchemaMismatch(f"Is no JSON Schema: {error.message[:200]}") from None


def fit(data: Any, schema: dict[str, Any]) -> None:
    """Check ``data`` against a schema, in a child process: a schema whose parts refer to each other may take for ever.
    Raises SchemaMismatch."""
    with TemporaryFile() as source:
        source.write(json.dumps([data, schema]).encode())
        source.seek(0)
        try:
            sandbox.run("app.ai_agent.output_schemas:fit_in_child", source, seconds=FIT_SECONDS, memory=FIT_MEMORY)
        except Refusal as refusal:
            raise SchemaMismatch(str(refusal)) from None


def fit_in_child(content: bytes) -> None:
    """Check the data in ``content``, a JSON array of data and schema; raises SchemaMismatch."""
    from jsonschema import exceptions
    from jsonschema.validators import validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    data, schema = json.loads(content)
    check(schema)
    try:
        validator_for(schema)(schema, registry=Registry()).validate(data)
    except exceptions.ValidationError as error:
        raise SchemaMismatch(f"The answer does not fit the schema: {error.message[:200]}") from None
    except (Unresolvable, RecursionError):
        raise SchemaMismatch("The schema refers to what is not there, or to itself without end") from None


def _check_size(schema: Any) -> None:
    """Refuse a schema of too many parts, whatever they mean."""
    level, parts = [schema], 0
    while level:
        parts += len(level)
        inside = [each for each in level if isinstance(each, dict | list)]
        if parts > MAX_PARTS or any(len(each) > MAX_ITEMS for each in inside):
            raise SchemaMismatch(f"May hold {MAX_PARTS} parts, and {MAX_ITEMS} in one place.")
        level = [part for each in inside for part in (each.values() if isinstance(each, dict) else each)]


def _check_part(part: Any) -> None:
    if isinstance(part, list):
        for each in part:
            _check_part(each)
    if not isinstance(part, dict):
        return
    for name, value in part.items():
        if name in DATA:
            continue
        if name in NAMED and isinstance(value, dict):
            for each in value.values():
                _check_part(each)
            continue
        if name in REFERENCES and not (isinstance(value, str) and value.startswith("#")):
            raise SchemaMismatch("May refer only to parts of itself.")
        if name in EXPRESSIONS:
            raise SchemaMismatch("May hold no regular expressions.")
        _check_part(value)
