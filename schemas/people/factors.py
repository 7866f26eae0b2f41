"""Bodies of the routes of second factors and passkeys."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, validate

from app.auth.accounts.proofs import MAX_SECRET_LENGTH
from app.auth.models.identity import AuthPasskey, AuthTrustedDevice
from app.auth.sign_in.two_factor.codes import MAX_CODE_LENGTH
from schemas.fields import Flag, Identifier, Moment, Text, WireSchema
from schemas.people.sign_in import readable

# What an authenticator answers has a few kilobytes, of few parts.
MAX_PARTS = 20
A_CHALLENGE: dict[str, Any] = {
    "validate": validate.Length(1, MAX_SECRET_LENGTH),
    "metadata": {"description": "From the sign-in."},
}
A_CODE: dict[str, Any] = {"validate": validate.Length(1, MAX_CODE_LENGTH)}


def _small(response: dict[str, Any]) -> None:
    if len(response) > MAX_PARTS:
        raise ValidationError("Has too many parts.")


class AnswerChallenge(WireSchema):
    """The challenge of a sign-in, and either a code of the authenticator or a recovery code."""

    challenge = Text(required=True, **A_CHALLENGE)
    code = Text(**A_CODE)
    recovery_code = Text(data_key="recoveryCode", **A_CODE)
    trust_device = Flag(data_key="trustDevice", metadata={"description": "True: no code on this device for 30 days."})
    remember_me = Flag(data_key="rememberMe", metadata={"description": "False: the cookie ends with the browser."})


class Code(WireSchema):
    """A code of the authenticator."""

    code = Text(required=True, **A_CODE)


class Disable(WireSchema):
    """A code of either kind, and the password where the account has one."""

    code = Text(required=True, **A_CODE)
    password = Text()


class Enrolled(WireSchema):
    """A second factor that waits for its first code; shown this once."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    secret = fields.String(required=True)
    uri = fields.String(required=True)
    qr_svg = fields.String(required=True, data_key="qrSvg")


class NewRecoveryCodes(WireSchema):
    """Ten codes that each work once; shown this once."""

    recovery_codes = fields.List(fields.String(), required=True, data_key="recoveryCodes")


class Device(WireSchema):
    """A device on which no second factor is asked for."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    ip_address = fields.String(required=True, allow_none=True, data_key="ipAddress")
    user_agent = fields.String(required=True, allow_none=True, data_key="userAgent")
    last_used_at = Moment(required=True, data_key="lastUsedAt")
    expires_at = Moment(required=True, data_key="expiresAt")
    created_at = Moment(required=True, data_key="createdAt")


class Devices(WireSchema):
    """The trusted devices of the caller."""

    data = fields.List(fields.Nested(Device), required=True)


class PasskeyOptions(WireSchema):
    """What navigator.credentials takes as ``publicKey``, as JSON (WebAuthn level 3, section 5.1)."""

    class Meta(WireSchema.Meta):
        unknown = "include"

    challenge = fields.String(required=True)


class AskPasskey(WireSchema):
    """The challenge of a sign-in whose second factor the passkey is to be."""

    challenge = Text(**A_CHALLENGE)


class RegisterPasskey(WireSchema):
    """What navigator.credentials.create answered, as JSON, and what the passkey is called."""

    response = fields.Dict(required=True, validate=_small)
    name = Text(validate=[validate.Length(1, 100), readable])


class AssertPasskey(WireSchema):
    """What navigator.credentials.get answered, as JSON."""

    response = fields.Dict(required=True, validate=_small)
    challenge = Text(**A_CHALLENGE)
    remember_me = Flag(data_key="rememberMe", metadata={"description": "False: the cookie ends with the browser."})


class RenamePasskey(WireSchema):
    """What a passkey is called."""

    name = Text(required=True, validate=[validate.Length(1, 100), readable])


class Passkey(WireSchema):
    """A passkey of the caller."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    name = fields.String(required=True)
    device_type = fields.String(required=True, data_key="deviceType")
    backed_up = fields.Boolean(required=True, data_key="backedUp")
    transports = fields.List(fields.String(), required=True)
    aaguid = fields.String(required=True, allow_none=True)
    last_used_at = Moment(required=True, allow_none=True, data_key="lastUsedAt")
    created_at = Moment(required=True, data_key="createdAt")


class Passkeys(WireSchema):
    """The passkeys of the caller."""

    data = fields.List(fields.Nested(Passkey), required=True)


def device_body(device: AuthTrustedDevice) -> dict[str, Any]:
    """A trusted device as its owner sees it."""
    return {
        "id": device.id,
        "ipAddress": device.ip_address,
        "userAgent": device.user_agent,
        "lastUsedAt": device.last_used_at,
        "expiresAt": device.expires_at,
        "createdAt": device.created_at,
    }


def passkey_body(passkey: AuthPasskey) -> dict[str, Any]:
    """A passkey as its owner sees it."""
    return {
        "id": passkey.id,
        "name": passkey.name,
        "deviceType": passkey.device_type,
        "backedUp": passkey.backed_up,
        "transports": passkey.transports,
        "aaguid": passkey.aaguid,
        "lastUsedAt": passkey.last_used_at,
        "createdAt": passkey.created_at,
    }
