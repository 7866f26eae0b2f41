"""Bodies of the document routes."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from schemas.envelopes import ListMeta
from schemas.fields import Identifier, Moment, Text, WireSchema

KINDS = ("text", "code", "image", "sheet")
SHOWN = ("id", "title", "content", "kind", "uploadId", "userId", "createdAt", "updatedAt")
LISTED = tuple(name for name in SHOWN if name != "content")


class DocumentUpdate(WireSchema):
    """What changes of a document."""

    title = Text(validate=validate.Length(1, 200))
    content = Text(validate=validate.Length(max=1_000_000))
    kind = Text(validate=validate.OneOf(KINDS, error="Must be one of: {choices}."))


class DocumentCreate(DocumentUpdate):
    """A document that is written, or one made of an upload, whose text a job fills in."""

    upload_id = Identifier(data_key="uploadId", metadata={"format": "uuid"})


class Document(WireSchema):
    """A text document of a user; lists leave ``content`` out."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    title = fields.String(required=True)
    content = fields.String()
    kind = fields.String(required=True, validate=validate.OneOf(KINDS))
    upload_id = Identifier(required=True, allow_none=True, data_key="uploadId", metadata={"format": "uuid"})
    user_id = Identifier(required=True, data_key="userId", metadata={"format": "uuid"})
    created_at = Moment(required=True, data_key="createdAt")
    updated_at = Moment(required=True, data_key="updatedAt")


class DocumentList(WireSchema):
    """A page of documents."""

    data = fields.List(fields.Nested(Document), required=True)
    meta = fields.Nested(ListMeta, required=True)


def document_body(record: dict[str, Any], shown: tuple[str, ...] = SHOWN) -> dict[str, Any]:
    """The record of a document as the document routes show it."""
    return {name: record[name] for name in shown}
