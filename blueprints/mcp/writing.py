"""The tools that write: one record, or several in a batch."""

from __future__ import annotations

from typing import Any

import orjson
from flask import Response

from app.engine.operations import verbs
from app.engine.read.encoding import dumps
from app.engine.write.idempotency import IdempotentRequest
from app.engine.write.preconditions import UNCONDITIONAL, Precondition
from app.runtime.change_context import written_transaction
from app.runtime.headers import TRANSACTION_ID
from blueprints.http.base import load, parse_id
from blueprints.http.replies import IDEMPOTENCY_KEY, ids_and_versions, request_of
from blueprints.mcp import catalogue, results
from blueprints.mcp.reading import ID, MODEL, NUMBER_IF_ANY, OBJECT, TEXT
from blueprints.mcp.tool import Arguments, Tool
from blueprints.records import batch
from blueprints.records.writes import create_one, delete_one, update_one
from schemas.batch import Batch
from schemas.derive import create_schema, update_schema

KEY = {
    **TEXT, "description": "Made up by you. With the same key, the same call is done once, however often it is sent.",
}  # fmt: skip
VERSION = {
    "type": "integer", "minimum": 1,
    "description": "The version that you read. The write is refused where somebody has changed the record since.",
}  # fmt: skip
VALUES = {**OBJECT, "description": "Values by field. describe_model tells which there are."}
WRITTEN = {
    "type": "object",
    "properties": {
        "record": OBJECT, "version": NUMBER_IF_ANY, "transaction": {"anyOf": [TEXT, {"type": "null"}]},
    },
    "required": ["record"],
}  # fmt: skip
UNDOING = "A person can take it back in the history of the studio, or by POST /api/v1/_undo with the transaction."


def create_record(arguments: Arguments) -> dict[str, Any]:
    """Make a record."""
    model = catalogue.find(arguments["model"])
    catalogue.require(model, verbs.CREATE)
    given = load(create_schema(model), arguments["values"])
    return _told(model, create_one(model, given, _keyed("create_record", arguments)))


def update_record(arguments: Arguments) -> dict[str, Any]:
    """Change a record."""
    model = catalogue.find(arguments["model"])
    catalogue.require(model, verbs.UPDATE)
    given = load(update_schema(model), arguments["values"])
    keyed = _keyed("update_record", arguments)
    return _told(model, update_one(model, parse_id(arguments["id"]), given, _condition(arguments), keyed))


def delete_record(arguments: Arguments) -> dict[str, Any]:
    """Delete a record."""
    model = catalogue.find(arguments["model"])
    catalogue.require(model, verbs.DELETE)
    keyed = _keyed("delete_record", arguments)
    return _told(model, delete_one(model, parse_id(arguments["id"]), _condition(arguments), keyed))


def run_batch(arguments: Arguments) -> dict[str, Any]:
    """Carry out several requests, all or none unless told otherwise."""
    asked = {name: arguments[name] for name in ("requests", "atomic") if name in arguments}
    response = batch.carry_out(load(Batch(), asked), _keyed("run_batch", arguments))
    told = {**orjson.loads(response.get_data()), "transaction": _transaction(response)}
    return results.of_data(told, UNDOING if told["transaction"] else "", ids_and_versions(told))


def _told(model: catalogue.Model, response: Response) -> dict[str, Any]:
    record = orjson.loads(response.get_data())
    tag = response.headers.get("ETag", "").strip('"').partition("-")[0]
    version = int(tag) if tag.isdigit() else None
    told = {"record": record, "version": version, "transaction": _transaction(response)}
    note = UNDOING if model.logged and model.undoable and not model.is_credential else ""
    return results.of_data(told, note, {**told, "record": ids_and_versions(record)})


def _transaction(response: Response) -> str | None:
    """What the log of changes has the write as; of an answer that was kept, that of the first time."""
    return response.headers.get(TRANSACTION_ID) or written_transaction()


def _condition(arguments: Arguments) -> Precondition:
    return Precondition(frozenset([arguments["version"]])) if "version" in arguments else UNCONDITIONAL


def _keyed(tool: str, arguments: Arguments) -> IdempotentRequest | None:
    """A call with its idempotency key, if it has one; the id of its message is never one. Raises Invalid."""
    key = arguments.get(IDEMPOTENCY_KEY)
    if key is None:
        return None
    rest = {name: value for name, value in sorted(arguments.items()) if name != IDEMPOTENCY_KEY}
    return request_of(key, "POST", f"/mcp/{tool}", dumps(rest))


TOOLS = (
    Tool(
        "create_record", "Create a record", "Makes a record.", create_record,
        {"model": MODEL, "values": VALUES, "idempotencyKey": KEY}, ("model", "values"), output=WRITTEN, writes=True,
        repeatable=False, models=lambda profile: catalogue.names(profile, "create"),
    ),
    Tool(
        "update_record", "Change a record", "Changes some fields of a record. Read it first, and send its version.",
        update_record, {"model": MODEL, "id": ID, "values": VALUES, "version": VERSION, "idempotencyKey": KEY},
        ("model", "id", "values"), output=WRITTEN, writes=True, destroys=True,
        models=lambda profile: catalogue.names(profile, "update"),
    ),
    Tool(
        "delete_record", "Delete a record", "Deletes a record. Read it first, and send its version.", delete_record,
        {"model": MODEL, "id": ID, "version": VERSION, "idempotencyKey": KEY}, ("model", "id"), output=WRITTEN,
        writes=True, destroys=True, models=lambda profile: catalogue.names(profile, "delete"),
    ),
    Tool(
        "run_batch", "Carry out several requests", "Creates, changes, deletes and reads in order, all or none: each "
        "request has method and path (/api/v1/crm/contact, with /{id} behind it), body, ifMatch and ref. "
        "{ref.id} in a later path or body is the id of an earlier answer.", run_batch,
        {
            "requests": {"type": "array", "items": OBJECT, "minItems": 1, "maxItems": 100},
            "atomic": {"type": "boolean"}, "idempotencyKey": KEY,
        }, ("requests",), output={"type": "object", "properties": {"data": {"type": "array"}}, "required": ["data"]},
        writes=True, destroys=True, repeatable=False,
    ),
)  # fmt: skip
