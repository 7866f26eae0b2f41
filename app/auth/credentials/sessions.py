"""Sessions: what every way of signing in opens, and what their people do with them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import Any
from uuid import UUID

from flask import has_request_context
from sqlalchemy import delete, select

from app.auth.accounts import mails
from app.auth.accounts.events import signed_in, signed_out
from app.auth.models.identity import AuthSession, AuthTrustedDevice, AuthUser, AuthVerification
from app.auth.models.sharing import AuthLink
from app.auth.organizations.organizations import personal_organization_of
from app.auth.sign_in import devices
from app.engine.declare.principal import Principal
from app.engine.read.database import reading
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit
from app.foundation import crypto, origin
from app.foundation.clock import now
from app.foundation.errors import Unauthenticated

IMPERSONATION = timedelta(minutes=30)
# Addresses that lie this close are taken for one place.
NEARBY = {4: 24, 6: 56}


@dataclass(frozen=True)
class SignedIn:
    """A session that was just opened: its row, its user, and its two secrets, known now and never again."""

    session: AuthSession
    user: AuthUser
    token: str
    cookie: str


def open_session(unit: Unit, user: AuthUser, *, method: str = "password") -> SignedIn:
    """Store a session of ``user``, active in the personal organization. A device that is new to the account is told to
    its owner by mail."""
    token, cookie = crypto.make(crypto.SESSION), crypto.make(crypto.SESSION)
    opened = AuthSession(
        user_id=user.id,
        token_hash=crypto.vault().digest(token),
        cookie_hash=crypto.vault().digest(cookie),
        sign_in_method=method,
        active_organization_id=personal_organization_of(unit.session, user.id),
        **_origin(),
    )
    is_new = has_request_context() and user.last_login_at is not None and _is_new_device(unit, user)
    user.last_login_at = now()
    user.locale = mails.language_of_request(user.locale)
    unit.store(opened)
    audit.record_write(unit, "create", opened, actor=user)
    unit.session.flush()
    signed_in.emit(unit, user, opened)
    if is_new:
        mails.send_account_mail(unit, user, "new-device", mails.SESSIONS, cause=opened.id, **mails.device())
    return SignedIn(opened, user, token, cookie)


def impersonate(unit: Unit, user: AuthUser) -> SignedIn:
    """Store a session in which an admin, the principal, sees what ``user`` sees. It has no cookie, and ends soon."""
    token = crypto.make(crypto.SESSION)
    opened = AuthSession(
        user_id=user.id,
        token_hash=crypto.vault().digest(token),
        sign_in_method="impersonation",
        impersonated_by=unit.principal.user_id,
        active_organization_id=personal_organization_of(unit.session, user.id),
        expires_at=now() + IMPERSONATION,
        **_origin(),
    )
    unit.store(opened)
    audit.note(unit, "auth.user.impersonate", user)
    return SignedIn(opened, user, token, "")


def renew_token(unit: Unit, end: datetime | None = None) -> tuple[str, datetime]:
    """Give the session of the principal a fresh bearer token in place of its earlier one, and say when it ends: at
    ``end``, or with the session."""
    own, token = own_session(unit), crypto.make(crypto.SESSION, end)
    own.token_hash = crypto.vault().digest(token)
    unit.session.flush()
    return token, own.expires_at if end is None else min(end, own.expires_at)


def sign_out(unit: Unit) -> None:
    """End the session of the principal."""
    own = unit.session.get(AuthSession, unit.principal.credential_id, with_for_update=True)
    if own is not None:
        audit.record_write(unit, "delete", own)
        signed_out.emit(unit, own)
        unit.session.delete(own)


def sign_out_elsewhere(unit: Unit) -> None:
    """End the other sessions of the user of the principal."""
    principal = unit.principal
    others = (AuthSession.user_id == principal.user_id, AuthSession.id != principal.credential_id)
    for other in unit.session.scalars(select(AuthSession).where(*others).with_for_update()).all():
        audit.record_write(unit, "delete", other)
        signed_out.emit(unit, other)
        unit.session.delete(other)


def current(principal: Principal) -> tuple[AuthSession, AuthUser]:
    """The session of ``principal`` and its user, detached."""
    with reading() as session:
        mine = select(AuthSession, AuthUser).join(AuthUser, AuthUser.id == AuthSession.user_id)
        found = session.execute(mine.where(AuthSession.id == principal.credential_id)).one_or_none()
    if found is None:  # signed out since the guard looked
        raise Unauthenticated(invalid_token=True)
    return found[0], found[1]


def act_in(unit: Unit, organization_id: UUID) -> None:
    """Make an organization of the caller the one that new records and keys of this session belong to."""
    own_session(unit).active_organization_id = organization_id


def forget_expired(unit: Unit) -> None:
    """Delete sessions, proofs in progress, trust in devices and links whose time is over."""
    for model in (AuthSession, AuthVerification, AuthTrustedDevice, AuthLink):
        unit.bookkeep(delete(model).where(model.expires_at <= now()))


def own_session(unit: Unit) -> AuthSession:
    """The session of the principal, kept from ending until the unit does; raises Unauthenticated."""
    found = unit.session.get(AuthSession, unit.principal.credential_id, with_for_update={"key_share": True})
    if found is None:  # signed out since the guard looked
        raise Unauthenticated(invalid_token=True)
    return found


def own_user(unit: Unit) -> AuthUser:
    """The user of the principal, locked against other changes until the unit ends; raises Unauthenticated."""
    found = unit.session.get(AuthUser, unit.principal.user_id, with_for_update={"key_share": True})
    if found is None:
        raise Unauthenticated(invalid_token=True)
    return found


def _is_new_device(unit: Unit, user: AuthUser) -> bool:
    """Whether neither the cookie of devices nor an earlier session makes the device of the request a known one."""
    if devices.known_device_id(user.id):
        return False
    own = select(AuthSession.ip_address).where(
        AuthSession.user_id == user.id, AuthSession.user_agent == origin.user_agent(),
        AuthSession.impersonated_by.is_(None),
    )  # fmt: skip
    here = _network_prefix(origin.address())
    return not any(_network_prefix(address) == here for address in unit.session.scalars(own))


def _network_prefix(address: str | None) -> str:
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return "unknown"
    return str(ip_network((parsed, NEARBY[parsed.version]), strict=False))


def _origin() -> dict[str, Any]:
    if not has_request_context():
        return {}
    return {"ip_address": origin.address(), "user_agent": origin.user_agent()}
