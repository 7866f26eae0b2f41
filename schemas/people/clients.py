"""Connected clients, as lists show them and as they register."""

from __future__ import annotations

from marshmallow import EXCLUDE, fields, validate

from app.auth.clients.metadata_documents import MAX_NAME_LENGTH, MAX_REDIRECTS
from app.auth.models.clients import MAX_URI_LENGTH, SCOPES
from schemas.fields import Identifier, Moment, Strings, Text, WireSchema


class ConnectedClient(WireSchema):
    """A program of somebody else that acts for you; ``id`` is that of its key."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    client_id = fields.String(required=True, data_key="clientId")
    name = fields.String(required=True)
    scopes = fields.List(fields.String(validate=validate.OneOf(SCOPES)), required=True)
    organization = fields.String(required=True, allow_none=True)
    narrowed = fields.Boolean(required=True, metadata={"description": "Whether it has a part of your rights alone."})
    created_at = Moment(required=True, data_key="createdAt")
    last_used_at = Moment(required=True, allow_none=True, data_key="lastUsedAt")
    expires_at = Moment(required=True, data_key="expiresAt")


class ConnectedClients(WireSchema):
    """The clients that somebody has connected."""

    data = fields.List(fields.Nested(ConnectedClient), required=True)
    meta = fields.Dict(required=True)


class Registration(WireSchema):
    """What a client says of itself where it registers (RFC 7591); further members count for nothing."""

    class Meta(WireSchema.Meta):
        unknown = EXCLUDE

    client_name = Text(validate=validate.Length(1, MAX_NAME_LENGTH))
    redirect_uris = Strings(
        required=True, each=[validate.Length(1, MAX_URI_LENGTH)], validate=validate.Length(1, MAX_REDIRECTS)
    )
