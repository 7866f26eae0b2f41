"""Devices: a cookie by which a browser is known again, and trust in devices on which a second factor was given.

A device that an account has signed in on is known: guesses elsewhere do not lock its owner out (OWASP, device cookies),
and signing in there sends no mail about a new device. Trust is a row, bound to the account and its factor.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any
from uuid import UUID

from flask import Response, has_request_context, request
from sqlalchemy import delete, select

from app.auth.credentials import cookies
from app.auth.models.identity import AuthTrustedDevice, AuthTwoFactor
from app.engine.write.unit_of_work import Unit
from app.foundation import origin
from app.foundation.clock import now
from app.foundation.crypto import vault

KIND, LIFETIME = "device", timedelta(days=365)
MAX_ACCOUNTS = 8


def known_device_id(user_id: object) -> str:
    """The id of the running request's device, where the account has signed in on it before; empty otherwise."""
    device = _read()
    return str(device["id"]) if str(user_id) in device["accounts"] else ""


def remember(response: Response, user_id: UUID) -> None:
    """Let the browser be known again as a device of the account."""
    device = _read()
    others = [each for each in device["accounts"] if each != str(user_id)]
    device["accounts"] = [str(user_id), *others][:MAX_ACCOUNTS]
    cookies.put(response, KIND, device, LIFETIME)


def is_trusted(unit: Unit, factor: AuthTwoFactor) -> bool:
    """Whether the second factor need not be given on the device of the request; notes that it was used."""
    token = known_device_id(factor.user_id)
    if not token:
        return False
    row = unit.session.scalar(select(AuthTrustedDevice).where(*_of(factor, token)).with_for_update())
    if row is not None:
        row.last_used_at = now()
    return row is not None


def trust(unit: Unit, factor: AuthTwoFactor, device: str) -> None:
    """Ask for no second factor on a device for 30 days."""
    unit.bookkeep(delete(AuthTrustedDevice).where(AuthTrustedDevice.token_hash == _digest(device, factor.user_id)))
    unit.session.add(
        AuthTrustedDevice(
            user_id=factor.user_id, two_factor_id=factor.id, token_hash=_digest(device, factor.user_id),
            ip_address=origin.address(), user_agent=origin.user_agent(),
        )
    )  # fmt: skip


def device_id() -> str:
    """The id of the running request's device, made anew where it has none; ``remember`` keeps it."""
    return str(_read()["id"])


def list_trusted(unit: Unit) -> list[AuthTrustedDevice]:
    """The devices that the caller trusts, the last used first."""
    own = (AuthTrustedDevice.user_id == unit.principal.user_id, AuthTrustedDevice.expires_at > now())
    found = select(AuthTrustedDevice).where(*own).order_by(AuthTrustedDevice.last_used_at.desc())
    return list(unit.session.scalars(found))


def distrust(unit: Unit, identifier: UUID) -> bool:
    """Ask for the second factor again on a device of the caller; False where there is no such device."""
    own = (AuthTrustedDevice.id == identifier, AuthTrustedDevice.user_id == unit.principal.user_id)
    return bool(unit.bookkeep(delete(AuthTrustedDevice).where(*own)))


def distrust_all(unit: Unit, user_id: UUID) -> None:
    """Ask for the second factor of an account again everywhere."""
    unit.bookkeep(delete(AuthTrustedDevice).where(AuthTrustedDevice.user_id == user_id))


def _of(factor: AuthTwoFactor, device: str) -> tuple[Any, ...]:
    model = AuthTrustedDevice
    own = model.token_hash == _digest(device, factor.user_id)
    return (own, model.user_id == factor.user_id, model.two_factor_id == factor.id, model.expires_at > now())


def _digest(device: str, user_id: UUID) -> str:
    return vault().digest(f"device:{device}:{user_id}")


def _read() -> dict[str, Any]:
    """The device of the request: from its cookie, or a new one that the rest of the request shares."""
    if not has_request_context():
        return _new()
    found: dict[str, Any] | None = request.environ.get("rowgate.device")
    if found is None:
        found = request.environ["rowgate.device"] = cookies.kept(KIND, LIFETIME) or _new()
    return found


def _new() -> dict[str, Any]:
    return {"id": secrets.token_urlsafe(24), "accounts": []}
