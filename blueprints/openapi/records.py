"""The OpenAPI description of operations of records, derived from the declarations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.auth.credentials import nobody
from app.engine.changes.history import MAX_TAKE
from app.engine.declare.files import Image
from app.engine.declare.kind import EXAMPLE_ID
from app.engine.declare.record import Record
from app.engine.operations import verbs
from app.engine.operations.verbs import RecordOperation, Verb
from app.engine.write.plan import MAX_RECORDS
from app.engine.write.upserts import rules_of
from app.storage.record_files import file_fields
from blueprints.http.base import JSON
from blueprints.http.declarations import window_parameters
from blueprints.http.examples import QUERY_EXAMPLE, example, record_example
from blueprints.openapi import imports, many
from blueprints.openapi.queries import AGGREGATE_PARAMETERS, EXPORT_PARAMETERS, LIST_PARAMETERS, condition_parameters
from blueprints.openapi.relations import related_parameters
from blueprints.openapi.vocabulary import (
    access_text,
    error_reference,
    json_answer,
    json_body,
    schema_reference,
    summary,
    written_forms,
)
from blueprints.records.exports import CONTENT_TYPES
from blueprints.records.files import SIZE
from schemas.changes import DeletedRecords, History, Revert
from schemas.derive import create_schema, read_schema, update_schema
from schemas.envelopes import Deleted, guide_list_schema, list_schema

READ_STATUSES = (400, 401, 403, 429, 500, 503)
QUERY_STATUSES = (*READ_STATUSES, 413, 415)
CREATE_STATUSES = (400, 401, 403, 409, 413, 415, 422, 429, 500, 503)
# Whoever presents none is served as well.
WITHOUT_CREDENTIAL: list[dict[str, list[str]]] = [{}, {"bearer": []}, {"apiKey": []}]
WORDS_WITHOUT_CREDENTIAL = {
    True: " Without a credential it answers public records.",
    False: " Without a credential it takes one record, with `captcha` where the service asks for one, and answers "
    "`{id}` alone.",
}
SUMMARIES = {
    verbs.LIST: "List {plural}, newest first",
    verbs.CREATE: "Create {article} {noun}",
    verbs.READ: "Read {article} {noun}",
    verbs.UPDATE: "Change {article} {noun}",
    verbs.DELETE: "Delete {article} {noun}",
    verbs.FILE: "Read a file of {article} {noun}",
    verbs.HISTORY: "List the versions of {article} {noun}",
    verbs.REVERT: "Take {article} {noun} back to a version",
    verbs.DELETED: "List deleted {plural}",
    verbs.RESTORE: "Bring a deleted {noun} back",
    verbs.QUERY: "List {plural} by a query in the body",
    verbs.AGGREGATE: "Sum up {plural}",
    verbs.QUERY_AGGREGATE: "Sum up {plural} by a query in the body",
    verbs.EXPORT: "Export {plural}",
    verbs.UPDATE_MANY: "Change many {plural}",
    verbs.DELETE_MANY: "Delete many {plural}",
    verbs.UPDATE_MATCHING: "Change the {plural} that match",
    verbs.DELETE_MATCHING: "Delete the {plural} that match",
    verbs.IMPORT: "Import {plural}",
}
STATUSES = {
    **dict.fromkeys((verbs.LIST, verbs.AGGREGATE, verbs.EXPORT), READ_STATUSES),
    **dict.fromkeys((verbs.QUERY, verbs.QUERY_AGGREGATE), QUERY_STATUSES),
    **dict.fromkeys((verbs.CREATE, verbs.IMPORT), CREATE_STATUSES),
    **dict.fromkeys((verbs.READ, verbs.HISTORY), (*READ_STATUSES, 404)),
    verbs.FILE: (*READ_STATUSES, 404, 416),
    verbs.REVERT: (*CREATE_STATUSES, 404, 412, 428),
    verbs.DELETED: (*READ_STATUSES, 404),
    verbs.RESTORE: (*CREATE_STATUSES, 404),
    verbs.UPDATE: (*CREATE_STATUSES, 404, 412, 428),
    verbs.DELETE: (400, 401, 403, 404, 409, 412, 422, 428, 429, 500, 503),
    **dict.fromkeys(
        (verbs.UPDATE_MANY, verbs.DELETE_MANY, verbs.UPDATE_MATCHING, verbs.DELETE_MATCHING),
        (*CREATE_STATUSES, 404, 412),
    ),
}  # fmt: skip


def describe_operation(operation: RecordOperation, name: str) -> dict[str, Any]:
    """Return the description of an operation of records, which is called ``name``."""
    model, verb = operation.model, operation.verb
    document: dict[str, Any] = {
        "operationId": name,
        "summary": summary(model, SUMMARIES[verb]),
        "description": access_text(model, verb.rule),
        "x-access": operation.rule.value,
        "responses": {status: error_reference(model, status) for status in STATUSES[verb]},
    }
    DETAILS[verb](model, document)
    if not verb.private and nobody.may(model, *verb.granted_by):
        document["security"] = WITHOUT_CREDENTIAL
        document["description"] += WORDS_WITHOUT_CREDENTIAL[verb.reads]
    return document


def _list(model: type[Record], document: dict[str, Any]) -> None:
    document["parameters"] = [
        *window_parameters(),
        *LIST_PARAMETERS,
        *["searchMode"] * bool(model.semantic),
        *condition_parameters(model),
        *related_parameters(model),
    ]
    document["responses"][200] = json_answer((guide_list_schema if model.legacy_envelope else list_schema)(model))


def _read(model: type[Record], document: dict[str, Any]) -> None:
    document["parameters"] = ["fields", "expand", "ifNoneMatch", *["asOf"] * model.logged]
    document["responses"][200] = json_answer(read_schema(model), record_example(model))


def _file(model: type[Record], document: dict[str, Any]) -> None:
    kinds = {name: field.spec.kind for name, field in file_fields(model).items() if field.spec.readable}
    sizes = sorted({size for kind in kinds.values() if isinstance(kind, Image) for size in kind.sizes})
    document["description"] += " Whole or in part (`Range`), or a redirect to where it is for a minute."
    field = {"name": "field", "in": "path", "required": True, "schema": {"type": "string", "enum": list(kinds)}}
    size = {
        "name": SIZE, "in": "query", "schema": {"type": "integer", "enum": sizes},
        "description": "The longer side in pixels; until the picture is there in that, it is answered whole.",
    }  # fmt: skip
    document["parameters"] = [field, *[size] * bool(sizes)]
    document["responses"][200] = {"description": "OK"}  # there are types of content that generators do not know


def _history(model: type[Record], document: dict[str, Any]) -> None:
    document["description"] += " Shows versions that you could read, of a record that you can read; newest first."
    document["parameters"] = [window_parameters(MAX_TAKE)[0], "cursor"]
    document["responses"][200] = json_answer(History(), HISTORY_EXAMPLE)


def _revert(model: type[Record], document: dict[str, Any]) -> None:
    document["description"] += " Writes its values as a change like any other, of the fields that you may change."
    document["parameters"] = ["idempotencyKey", "ifMatch"]
    document["requestBody"] = json_body(Revert(), {"version": 1})
    document["responses"][200] = json_answer(read_schema(model), record_example(model))


def _deleted(model: type[Record], document: dict[str, Any]) -> None:
    document["description"] += " Shows records that you could have deleted, the latest first."
    document["parameters"] = [window_parameters(MAX_TAKE)[0], "cursor"]
    document["responses"][200] = json_answer(DeletedRecords())


def _restore(model: type[Record], document: dict[str, Any]) -> None:
    document["description"] += " It comes back with its id, and with what was deleted along with it."
    document["parameters"] = ["idempotencyKey"]
    document["responses"][200] = json_answer(read_schema(model), record_example(model))


def _create(model: type[Record], document: dict[str, Any]) -> None:
    document["parameters"] = ["idempotencyKey", "return"]
    document["requestBody"] = json_body(None, example(model, "create"))
    document["responses"][201] = json_answer(None, record_example(model), "Created")
    _describe_many(model, document)


def _update(model: type[Record], document: dict[str, Any]) -> None:
    document["parameters"] = ["idempotencyKey", "ifMatch"]
    document["requestBody"] = json_body(update_schema(model), example(model, "update"))
    document["responses"][200] = json_answer(read_schema(model), record_example(model))


def _delete(model: type[Record], document: dict[str, Any]) -> None:
    document["parameters"] = ["idempotencyKey", "ifMatch", *["purge"] * model.logged]
    document["responses"][200] = json_answer(read_schema(model) if model.legacy_envelope else Deleted)


def _describe_many(model: type[Record], document: dict[str, Any]) -> None:
    """Add to what is said of making a record that the body may be an array, and what is answered then; and by which
    unique rules records are merged, where the model has any that callers can name."""
    one, many = create_schema(model), written_forms(model)
    item = schema_reference(f"{model.__name__}CreateItem")
    several = {"type": "array", "items": item, "minItems": 1, "maxItems": MAX_RECORDS}
    document["description"] += " Takes an array of records as well, and answers `{data, meta}` then."
    document["requestBody"]["content"]["application/json"]["schema"] = {"oneOf": [one, several]}
    forms = [read_schema(model), many[0], schema_reference("WrittenVersion"), many[1]]
    document["responses"][201]["content"]["application/json"]["schema"] = {"oneOf": forms}
    if rules := rules_of(model):
        document["x-upsert"] = rules
        document["parameters"] += ["onConflict", "resolution"]
        # Generators that know one answer to an operation alone take that of the lowest status: all forms are in both.
        merged = {"application/json": {"schema": {"oneOf": forms}}}
        document["responses"][200] = {"description": "Merged: no record was new", "content": merged}


def _query(model: type[Record], document: dict[str, Any]) -> None:
    document["requestBody"] = json_body(schema_reference(f"{model.__name__}Query"), QUERY_EXAMPLE)
    family = "GuideList" if model.legacy_envelope else "List"
    document["responses"][200] = json_answer(schema_reference(f"{model.__name__}{family}"))


def _aggregate(model: type[Record], document: dict[str, Any]) -> None:
    document["parameters"] = list(AGGREGATE_PARAMETERS)
    document["description"] += " Takes the conditions of the list, operators included."
    document["responses"][200] = json_answer(schema_reference("Sums"))


def _query_aggregate(model: type[Record], document: dict[str, Any]) -> None:
    document["requestBody"] = json_body(schema_reference("SumQuery"), SUMS_ASKED)
    document["responses"][200] = json_answer(schema_reference("Sums"))


def _export(model: type[Record], document: dict[str, Any]) -> None:
    said = "All of the list as a file, with the fields of single records. Takes the conditions of the list."
    document["description"] += f" {said}"
    document["parameters"] = list(EXPORT_PARAMETERS)
    forms = [each.partition(";")[0] for each in CONTENT_TYPES.values()]
    found: dict[str, Any] = {each: {"schema": {"type": "string", "format": "binary"}} for each in forms}
    found[JSON]["schema"] = {"type": "array", "items": schema_reference(model.__name__)}
    name = {"description": "The name of the file.", "schema": {"type": "string"}}
    answered = {"description": "OK", "headers": {"Content-Disposition": name}, "content": found}
    document["responses"][200] = answered


DETAILS: dict[Verb, Callable[[type[Record], dict[str, Any]], None]] = {
    verbs.LIST: _list, verbs.READ: _read, verbs.CREATE: _create, verbs.UPDATE: _update, verbs.DELETE: _delete,
    verbs.FILE: _file, verbs.HISTORY: _history, verbs.REVERT: _revert, verbs.DELETED: _deleted, verbs.RESTORE: _restore,
    verbs.EXPORT: _export,
    verbs.QUERY: _query, verbs.AGGREGATE: _aggregate, verbs.QUERY_AGGREGATE: _query_aggregate,
    verbs.UPDATE_MANY: many.update_many, verbs.DELETE_MANY: many.delete_many,
    verbs.UPDATE_MATCHING: many.update_matching, verbs.DELETE_MATCHING: many.delete_matching,
    verbs.IMPORT: imports.import_records,
}  # fmt: skip
HISTORY_EXAMPLE = {
    "data": [{
        "version": 2, "operation": "update", "at": "2027-01-01T09:00:00.000Z",
        "actor": {"type": "user", "id": EXAMPLE_ID}, "requestId": "f3a9c1d2",
        "transaction": "0b0e3c52-6f0c-4c36-9d3c-0f5f6b9a8a10", "changed": ["name"],
        "before": {"name": "Harbour"}, "after": {"name": "Harbour Works"},
    }],
    "meta": {"next": None},
}  # fmt: skip
SUMS_ASKED = {"group": [{"field": "createdAt", "by": "month"}], "measures": {"count": True}}
