"""Bodies of the upload routes."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from schemas.fields import Identifier, Moment, WireSchema

SHOWN = ("id", "filename", "contentType", "size", "sha256", "url", "userId", "createdAt", "updatedAt")


class Uploaded(WireSchema):
    """Where the bytes of a stored file are."""

    url = fields.String(required=True)


class UploadMetadata(WireSchema):
    """What is known of a stored file."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    filename = fields.String(required=True)
    content_type = fields.String(required=True, data_key="contentType")
    size = fields.Integer(required=True)
    sha256 = fields.String(required=True)
    url = fields.String(required=True)
    user_id = Identifier(required=True, data_key="userId", metadata={"format": "uuid"})
    created_at = Moment(required=True, data_key="createdAt")
    updated_at = Moment(required=True, data_key="updatedAt")


def upload_body(record: dict[str, Any], public_url: str) -> dict[str, Any]:
    """The record of an upload as the upload routes show it, with the whole address of its bytes."""
    return {name: record[name] for name in SHOWN} | {"url": public_url + record["url"]}
