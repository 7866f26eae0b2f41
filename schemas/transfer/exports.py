"""Bodies of the routes of exports."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from app.storage.models import StorageExport
from schemas.fields import Identifier, Moment, WireSchema


class Export(WireSchema):
    """An archive of what belongs to the caller."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    status = fields.String(required=True, metadata={"enum": ["pending", "ready", "failed"]})
    size = fields.Integer(required=True, allow_none=True, metadata={"description": "In bytes, once it is ready."})
    expires_at = Moment(required=True, data_key="expiresAt")
    created_at = Moment(required=True, data_key="createdAt")


class Exports(WireSchema):
    """The archives of the caller."""

    data = fields.List(fields.Nested(Export), required=True)


def export_body(export: StorageExport) -> dict[str, Any]:
    """An archive as its owner sees it."""
    return {
        "id": export.id,
        "status": export.status,
        "size": export.size,
        "expiresAt": export.expires_at,
        "createdAt": export.created_at,
    }
