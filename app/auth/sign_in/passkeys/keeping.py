"""Keeping passkeys: registering, naming and removing them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import func, select

from app.auth.accounts import mails, users
from app.auth.credentials import sessions
from app.auth.credentials.reauthentication import require_recent_authentication
from app.auth.errors import InvalidToken
from app.auth.models.identity import AuthPasskey
from app.auth.sign_in.passkeys import ceremonies
from app.engine.declare.principal import Principal
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import Conflict, require_found

MAX_PASSKEYS = 50
TRANSPORTS = ("usb", "nfc", "ble", "internal", "hybrid", "smart-card")
NAME = "Passkey"


def options(principal: Principal) -> dict[str, Any]:
    """What the browser makes a passkey with; raises ReauthenticationRequired."""
    require_recent_authentication(principal)
    return run_unit(principal, lambda unit: ceremonies.registration_options(unit, sessions.own_user(unit)))


def register(principal: Principal, response: dict[str, Any], name: str | None) -> AuthPasskey:
    """Keep the passkey that the browser has made; raises ReauthenticationRequired, InvalidToken and Conflict."""
    require_recent_authentication(principal)
    passkey = run_unit(principal, _register, response, name or NAME)
    return require_found(passkey, InvalidToken("The passkey could not be registered"))


def _register(unit: Unit, response: dict[str, Any], name: str) -> AuthPasskey | None:
    user = sessions.own_user(unit)
    proved = ceremonies.verify_registration(unit, user.id, response)
    if proved is None:
        return None
    kept = select(func.count()).select_from(AuthPasskey).where(AuthPasskey.user_id == user.id)
    if (unit.session.scalar(kept) or 0) >= MAX_PASSKEYS:
        raise Conflict(f"An account has at most {MAX_PASSKEYS} passkeys")
    identifier = ceremonies.base64url_encode(proved.credential_id)
    if unit.session.scalar(select(AuthPasskey.id).where(AuthPasskey.credential_id == identifier)):
        return None
    sent = response.get("response", {}).get("transports")
    passkey = AuthPasskey(
        user_id=user.id, name=name, public_key=ceremonies.base64url_encode(proved.credential_public_key),
        credential_id=identifier, counter=proved.sign_count, device_type=proved.credential_device_type.value,
        backed_up=proved.credential_backed_up, aaguid=proved.aaguid,
        transports=[each for each in TRANSPORTS if isinstance(sent, list) and each in sent],
    )  # fmt: skip
    unit.store(passkey)
    audit.record_write(unit, "create", passkey)
    mails.send_account_mail(unit, user, "factors-changed", mails.SECURITY, change="passkey-added")
    return passkey


def own(unit: Unit) -> list[AuthPasskey]:
    """The caller's passkeys, the first one first."""
    mine = select(AuthPasskey).where(AuthPasskey.user_id == unit.principal.user_id)
    return list(unit.session.scalars(mine.order_by(AuthPasskey.created_at, AuthPasskey.id)))


def rename(unit: Unit, identifier: UUID, name: str) -> AuthPasskey:
    """Call a passkey of the caller something else; raises NotFound."""
    passkey = _locked(unit, identifier)
    before, passkey.name = passkey.name, name
    audit.record_write(unit, "update", passkey, {"name": before})
    unit.session.flush()
    return passkey


def remove(principal: Principal, identifier: UUID) -> None:
    """Remove a passkey of the caller; raises ReauthenticationRequired, NotFound and LastSignInMethod."""
    require_recent_authentication(principal)
    run_unit(principal, _remove, identifier)


def _remove(unit: Unit, identifier: UUID) -> None:
    user = sessions.own_user(unit)
    passkey = _locked(unit, identifier)
    users.require_other_sign_in_method(unit, user.id)
    audit.record_write(unit, "delete", passkey)
    unit.session.delete(passkey)
    mails.send_account_mail(unit, user, "factors-changed", mails.SECURITY, change="passkey-removed")


def _locked(unit: Unit, identifier: UUID) -> AuthPasskey:
    mine = (AuthPasskey.id == identifier, AuthPasskey.user_id == unit.principal.user_id)
    return require_found(unit.session.scalar(select(AuthPasskey).where(*mine).with_for_update()))
