"""The OpenAPI description of imports."""

from __future__ import annotations

from typing import Any

from app.engine.declare.record import Record
from app.engine.transfer.tabular import FORMATS

TEXT = """Creates records from a file, sent as the body or in the field `file` of a form; all or none, unless `partial`.
Up to 10,000 rows are written in the request itself; larger files become a job, and are answered with 202."""
FLAG = {"type": "boolean", "default": False}
SHARED: dict[str, dict[str, Any]] = {
    "as": {"description": "The format of the file; without it, its Content-Type says.",
           "schema": {"type": "string", "enum": list(FORMATS)}},
    "map": {"description": "Other names of columns: `Mail:email,Tel:phone`; `Mail:` leaves one out."},
    "dryRun": {"description": "Writes nothing, and says what would come of it.", "schema": FLAG},
    "partial": {"description": "Writes the lines that can be written.", "schema": FLAG},
}  # fmt: skip
COUNTS = {name: {"type": "integer"} for name in ("rows", "created", "updated", "ignored", "failed")}
FAULT = {
    "type": "object",
    "properties": {
        "line": {"type": "integer"}, "code": {"type": "string"}, "error": {"type": "string"},
        "fields": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
    },
    "required": ["line", "code", "error", "fields"],
}  # fmt: skip
REPORT = {
    "type": "object",
    "description": "What an import came to, and what is wrong with the first 1000 lines that were refused.",
    "properties": {
        "meta": {"type": "object", "properties": COUNTS, "required": list(COUNTS)},
        "data": {"type": "array", "items": FAULT},
    },
    "required": ["meta", "data"],
}
FILE = {"type": "string", "format": "binary"}
FORM = {"type": "object", "properties": {"file": FILE}, "required": ["file"]}
EXAMPLE = {"meta": {"rows": 2, "created": 2, "updated": 0, "ignored": 0, "failed": 0}, "data": []}


def import_records(model: type[Record], document: dict[str, Any]) -> None:
    """Describe the import of ``model``."""
    bodies = {each: {"schema": {"type": "string"}} for each in ("text/csv", "application/x-ndjson")}
    done = {"schema": {"$ref": "#/components/schemas/ImportReport"}, "example": EXAMPLE}
    begun = {"schema": {"$ref": "#/components/schemas/ImportState"}}
    document["description"] = f"{TEXT} {document['description']}".strip()
    document["parameters"] = ["as", "map", "dryRun", "partial", "onConflict", "resolution", "idempotencyKey"]
    document["requestBody"] = {"required": True, "content": {**bodies, "multipart/form-data": {"schema": FORM}}}
    document["responses"] |= {
        200: {"description": "Done", "content": {"application/json": done}},
        202: {"description": "A job does it", "content": {"application/json": begun}},
    }


def components() -> dict[str, dict[str, Any]]:
    """The parameters and schemas that these operations refer to."""
    parameters = {
        name: {"name": name, "in": "query", "schema": {"type": "string"}, **each} for name, each in SHARED.items()
    }
    return {"parameters": parameters, "schemas": {"ImportReport": REPORT}}
