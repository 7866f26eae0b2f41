"""The two ceremonies of WebAuthn over the library that knows its formats. Each challenge is for one ceremony, of one
account where that is known, once, for five minutes."""

from __future__ import annotations

import base64
import binascii
import secrets
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import orjson
from sqlalchemy import select

from app.auth.accounts import proofs
from app.auth.credentials import cookies
from app.auth.errors import InvalidCode, InvalidToken
from app.auth.models.identity import AuthPasskey, AuthUser
from app.engine.write.unit_of_work import Unit
from app.foundation.settings import settings

REGISTER, SIGN_IN = "register", "sign-in"
CHALLENGE_BYTES = 32
MAX_CREDENTIALS = 50
# WebAuthn, section 4: credential ids have at most so many bytes. Keys of RSA with 8192 bits have a good kilobyte.
MAX_ID_BYTES, MAX_KEY_BYTES = 1023, 2048


def registration_options(unit: Unit, user: AuthUser) -> dict[str, Any]:
    """What ``navigator.credentials.create`` takes, to register a further passkey of a user."""
    import webauthn
    from webauthn.helpers import structs

    options = webauthn.generate_registration_options(
        rp_id=relying_party(), rp_name=settings.product_name, user_id=user.id.bytes, user_name=user.email,
        user_display_name=user.name, challenge=_challenge(unit, REGISTER, user.id),
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.REQUIRED,
            user_verification=structs.UserVerificationRequirement.PREFERRED,
        ),
        exclude_credentials=_descriptors(unit, user.id),
    )  # fmt: skip
    return _json(options)


def sign_in_options(unit: Unit, user_id: UUID | None) -> dict[str, Any]:
    """What ``navigator.credentials.get`` takes: with the passkeys of a user whose second factor is wanted, or with no
    list for whoever it is."""
    import webauthn
    from webauthn.helpers import structs

    options = webauthn.generate_authentication_options(
        rp_id=relying_party(), challenge=_challenge(unit, SIGN_IN, user_id),
        allow_credentials=_descriptors(unit, user_id) if user_id else None,
        user_verification=structs.UserVerificationRequirement.PREFERRED,
    )  # fmt: skip
    return _json(options)


def verify_registration(unit: Unit, user_id: UUID, response: dict[str, Any]) -> Any | None:
    """What the answer to a registration proves, None where it proves nothing; its challenge is used up either way.
    Raises InvalidToken for a challenge that is unknown or over."""
    import webauthn
    from webauthn.helpers import decode_credential_public_key, decoded_public_key_to_cryptography

    challenge = _redeem(unit, REGISTER, response, user_id)
    try:
        proved = webauthn.verify_registration_response(
            credential=response, expected_challenge=challenge, expected_rp_id=relying_party(),
            expected_origin=origins(),
        )  # fmt: skip
        # Refuse a public key by which nothing could be verified later.
        decoded_public_key_to_cryptography(decode_credential_public_key(proved.credential_public_key))
    except Exception:  # whatever the parsers of its formats raise
        return None
    lengths = (len(proved.credential_id), len(proved.credential_public_key))
    return proved if lengths[0] <= MAX_ID_BYTES and lengths[1] <= MAX_KEY_BYTES else None


def verify_assertion(unit: Unit, passkey: AuthPasskey, response: dict[str, Any], user_id: UUID | None) -> Any | None:
    """What the answer of a passkey proves, None where it proves nothing; its challenge is used up either way.
    ``user_id`` is whom the challenge was made for. The sign count is not checked: compare it with the
    stored one. Raises InvalidCode for a challenge that is unknown or over."""
    import webauthn

    try:
        challenge = _redeem(unit, SIGN_IN, response, user_id)
    except InvalidToken:
        raise InvalidCode() from None
    try:
        proved = webauthn.verify_authentication_response(
            credential=response, expected_challenge=challenge, expected_rp_id=relying_party(),
            expected_origin=origins(), credential_public_key=base64url_decode(passkey.public_key),
            credential_current_sign_count=0,
        )  # fmt: skip
        handle = response["response"].get("userHandle")
        return proved if handle is None or base64url_decode(handle) == passkey.user_id.bytes else None
    except Exception:  # whatever the parsers of its formats raise
        return None


def relying_party() -> str:
    """The host that passkeys are for."""
    return urlsplit(settings.public_url).hostname or "localhost"


def origins() -> list[str]:
    """The origins whose pages may use them."""
    named = [each.strip() for each in settings.passkey_origins.split(",") if each.strip()]
    return [cookies.origin_of(settings.public_url), *named]


def base64url_encode(content: bytes) -> str:
    """Base64url without padding, as WebAuthn has it."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def base64url_decode(text: str) -> bytes:
    """The bytes of base64url without padding; raises ValueError."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _challenge(unit: Unit, ceremony: str, user_id: UUID | None) -> bytes:
    content = secrets.token_bytes(CHALLENGE_BYTES)
    proofs.issue(unit, proofs.PASSKEY, user_id, secret=_secret(ceremony, content, user_id))
    return content


def _redeem(unit: Unit, ceremony: str, response: dict[str, Any], user_id: UUID | None) -> bytes:
    """The challenge that an answer was made for, used up; raises InvalidToken."""
    try:
        client_data = orjson.loads(base64url_decode(response["response"]["clientDataJSON"]))
        content = base64url_decode(client_data["challenge"])
    except (KeyError, TypeError, ValueError, binascii.Error):
        raise InvalidToken() from None
    proofs.redeem(unit, _secret(ceremony, content, user_id), proofs.PASSKEY)
    return content


def _secret(ceremony: str, content: bytes, user_id: UUID | None) -> str:
    return f"{ceremony}:{user_id}:{base64url_encode(content)}"


def _descriptors(unit: Unit, user_id: UUID) -> list[Any]:
    from webauthn.helpers.structs import PublicKeyCredentialDescriptor

    own = select(AuthPasskey.credential_id).where(AuthPasskey.user_id == user_id).limit(MAX_CREDENTIALS)
    return [PublicKeyCredentialDescriptor(id=base64url_decode(each)) for each in unit.session.scalars(own)]


def _json(options: Any) -> dict[str, Any]:
    from webauthn import options_to_json

    return orjson.loads(options_to_json(options))
