"""Bodies of the API-key routes: names, scopes, address lists and limits."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

from marshmallow import ValidationError, fields, validate

from app.auth.keys.api_keys import MAX_GRACE, SCOPES
from app.auth.models.keys import AuthApiKey
from schemas.derive import read_schema, update_schema
from schemas.fields import Email, Flag, Grants, Identifier, Json, Moment, Strings, Text, Whole, WireSchema

NAME = AuthApiKey.fields()["name"].spec.kind.constraints
RATE = AuthApiKey.fields()["rate_limit_max"].spec.kind.constraints
MAX_BLOCKS = AuthApiKey.fields()["ip_allow_list"].spec.kind.constraints["maxItems"]
# The derived schemas of the model, as classes to build upon.
ReadKey: Any = type(read_schema(AuthApiKey))
ChangedKey: Any = type(update_schema(AuthApiKey))

MAX_BLOCK_LENGTH = 43
ACCESS_DOC = {"description": "Grants that limit the key; null: no limit. To widen them needs recent authentication."}
METADATA_BYTES = AuthApiKey.fields()["metadata_"].spec.kind.constraints["maxBytes"]


def _block(text: str) -> None:
    """Refuse what is neither an address nor a CIDR block."""
    try:
        block = ip_network(text if len(text) <= MAX_BLOCK_LENGTH else "", strict=False)
    except ValueError:
        raise ValidationError("Not an address or a CIDR block.") from None
    if "%" in text or getattr(block.network_address, "ipv4_mapped", None):
        raise ValidationError("Must be plain IPv4 or IPv6, without a zone.")


def _name() -> Text:
    return Text(validate=validate.Length(1, NAME["maxLength"]), metadata={"description": "Made up when omitted."})


def _scopes() -> Strings:
    return Strings(each=[validate.OneOf(SCOPES, error="Must be one of: {choices}.")], validate=validate.Length(min=1))


def _blocks() -> Strings:
    text = "Addresses or CIDR blocks that the key may be used from; empty allows any."
    options = {"data_key": "ipAllowList", "metadata": {"description": text}}
    return Strings(each=[_block], validate=validate.Length(max=MAX_BLOCKS), **options)


class AuthApiKeyCreate(WireSchema):
    """A key of the signed-in user."""

    name = _name()
    scopes = _scopes()
    expires_at = Moment(data_key="expiresAt", metadata={"description": "In 90 days when omitted."})
    enabled = Flag()
    ip_allow_list = _blocks()
    metadata_ = Json(shape="object", max_bytes=METADATA_BYTES, data_key="metadata")
    access = Grants(allow_none=True, metadata=ACCESS_DOC)
    anonymous = Flag(validate=validate.Equal(False, error="Is for callers without a session."))


class AuthApiKeyCreateAnonymous(WireSchema):
    """A key of nobody, for reading public rows."""

    anonymous = Flag(required=True, validate=validate.Equal(True))
    name = _name()
    email = Email(validate=validate.Length(max=254), metadata={"description": "Identifies the maker; proves nothing."})
    expires_in_days = Whole(
        data_key="expiresInDays", validate=validate.Range(1, 365), metadata={"description": "30 when omitted."}
    )
    scopes = Strings(each=[validate.OneOf(["read"], error="An anonymous key reads.")], validate=validate.Length(min=1))
    access = Grants(allow_none=True, metadata=ACCESS_DOC)


class AuthApiKeyUpdate(ChangedKey):
    """What changes of a key. A key that was read may be sent back."""

    class Meta(WireSchema.Meta):
        exclude = ("user_id", "anonymous", "email")

    scopes = _scopes()
    ip_allow_list = _blocks()


class AuthApiKeyRotate(WireSchema):
    """How a key is replaced."""

    grace_seconds = Whole(
        data_key="graceSeconds",
        validate=validate.Range(0, MAX_GRACE),
        metadata={"description": "How long the old key still works; 0 when omitted."},
    )


class AuthApiKeyLimit(WireSchema):
    """How many requests of a key are answered in a window of time."""

    requests = Whole(
        required=True,
        allow_none=True,
        validate=validate.Range(1, RATE["maximum"]),
        metadata={"description": "null for a key without a limit of its own."},
    )
    seconds = Whole(load_default=60, validate=validate.Range(1, 86_400))


class AuthApiKeyMade(WireSchema):
    """A new key of a user; ``key`` is its secret, shown this once."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    name = fields.String(required=True)
    key = fields.String(required=True)
    expires_at = Moment(required=True, data_key="expiresAt")
    scopes = fields.List(fields.String(), required=True)
    created_at = Moment(required=True, data_key="createdAt")


class AuthApiKeyMadeAnonymous(WireSchema):
    """A new anonymous key; ``apiKey`` is its secret, shown this once."""

    api_key = fields.String(required=True, data_key="apiKey")
    id = Identifier(required=True, metadata={"format": "uuid"})
    name = fields.String(required=True)
    expires_at = Moment(required=True, data_key="expiresAt")


class AuthApiKeySelf(ReadKey):
    """What a key learns of itself: its record, whose it is and which scopes it has now."""

    anonymous = fields.Boolean(required=True)
    user_id = Identifier(required=True, allow_none=True, data_key="userId")
    organization_id = Identifier(required=True, allow_none=True, data_key="organizationId")
    effective_scopes = fields.List(fields.String(), required=True, data_key="effectiveScopes")


class AuthApiKeyLatency(WireSchema):
    """Latencies in milliseconds; percentiles are upper bounds of classes, null where nothing was asked."""

    average = fields.Float(required=True, allow_none=True)
    p50 = fields.Integer(required=True, allow_none=True)
    p95 = fields.Integer(required=True, allow_none=True)
    max = fields.Integer(required=True, allow_none=True)


class AuthApiKeyUsagePoint(WireSchema):
    """The use of a key in one hour or day."""

    time = Moment(required=True)
    requests = fields.Integer(required=True)
    outcomes = fields.Dict(required=True, metadata={"description": "Number of checks by outcome."})
    latency_ms = fields.Nested(AuthApiKeyLatency, required=True, data_key="latencyMs")


class AuthApiKeyUsageMeta(WireSchema):
    """The range of a series, and all its requests."""

    since = Moment(required=True, data_key="from")
    until = Moment(required=True, data_key="to")
    interval = fields.String(required=True, validate=validate.OneOf(["hour", "day"]))
    requests = fields.Integer(required=True)


class AuthApiKeyUsage(WireSchema):
    """The use of a key over time."""

    data = fields.List(fields.Nested(AuthApiKeyUsagePoint), required=True)
    meta = fields.Nested(AuthApiKeyUsageMeta, required=True)
