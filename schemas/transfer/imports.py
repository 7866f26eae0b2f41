"""What is asked of an import, and how far one is that a job does."""

from __future__ import annotations

from typing import Any

from marshmallow import fields
from werkzeug.datastructures import MultiDict

from app.engine.declare.record import Record, by_table
from app.engine.read.query_context import allowed, invalid
from app.engine.transfer.tabular import FORMATS
from app.storage.import_models import COUNTS, StorageImport
from app.storage.imports import ImportOptions
from schemas.bulk import ON_CONFLICT, RESOLUTION, upserting
from schemas.fields import Identifier, Moment, WireSchema
from schemas.transfer.importing import mapping_of

PARAMETERS = ("as", "map", "dryRun", "partial", ON_CONFLICT, RESOLUTION)
BOOLEANS = {"true": True, "false": False}


class ImportState(WireSchema):
    """An import that a job does, and how far it is."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    model = fields.String(required=True)
    status = fields.String(required=True, metadata={"enum": ["pending", "running", "completed", "cancelled", "failed"]})
    total = fields.Integer(required=True, allow_none=True, metadata={"description": "Rows of the file, once known."})
    rows = fields.Integer(required=True)
    created = fields.Integer(required=True)
    updated = fields.Integer(required=True)
    ignored = fields.Integer(required=True)
    failed = fields.Integer(required=True)
    data = fields.List(fields.Dict(), required=True, metadata={"description": "The first 1000 faults."})
    error = fields.String(required=True, allow_none=True)
    created_at = Moment(required=True, data_key="createdAt")
    url = fields.String()


class ImportList(WireSchema):
    """Imports of the caller, the newest first."""

    data = fields.List(fields.Nested(ImportState), required=True)


def import_options(model: type[Record], args: MultiDict[str, str], of_body: str) -> ImportOptions:
    """What the parameters of an import ask; the type of the body says the form where they do not. Raises
    InvalidFilter."""
    form = args.get("as", of_body)
    if form not in FORMATS:
        raise invalid("as", allowed(FORMATS))
    chosen = upserting(model, args)
    conflict = tuple(args[ON_CONFLICT].split(",")) if chosen else ()
    flags = {name: _flag(args, name) for name in ("partial", "dryRun")}
    asked = ImportOptions(
        form, mapping_of(args.get("map", "")), conflict, partial=flags["partial"], dry_run=flags["dryRun"]
    )
    return asked if chosen is None else ImportOptions(**{**vars(asked), "resolution": chosen[1]})


def state_of(found: StorageImport) -> dict[str, Any]:
    """An import as its owner sees it."""
    return {
        "id": found.id, "model": by_table(found.model).qualified_name(), "status": found.status, "total": found.total,
        **{name: getattr(found, name) for name in COUNTS}, "data": found.faults, "error": found.error_message,
        "createdAt": found.created_at,
    }  # fmt: skip


def _flag(args: MultiDict[str, str], name: str) -> bool:
    text = args.get(name, "false")
    if text not in BOOLEANS:
        raise invalid(name, allowed(BOOLEANS))
    return BOOLEANS[text]
