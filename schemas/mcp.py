"""Messages of the Model Context Protocol, as the description of the API has them."""

from __future__ import annotations

from marshmallow import fields, validate

from schemas.fields import WireSchema


class McpMessage(WireSchema):
    """A request of JSON-RPC 2.0, or without an id a notification."""

    jsonrpc = fields.String(required=True, validate=validate.Equal("2.0"))
    id = fields.Raw(metadata={"type": ["string", "integer"]})
    method = fields.String(required=True, metadata={"example": "tools/call"})
    params = fields.Dict()


class McpAnswer(WireSchema):
    """The answer to a request: its result, or an error."""

    jsonrpc = fields.String(required=True)
    id = fields.Raw(metadata={"type": ["string", "integer"]})
    result = fields.Dict()
    error = fields.Dict()
