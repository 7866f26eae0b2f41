"""Sign-up, sign-in and sign-out with a password, and the sessions that every way of signing in opens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from flask import current_app, has_request_context, request
from marshmallow import ValidationError
from sqlalchemy import delete, select

from app.auth import passwords, throttling, users
from app.auth.errors import InvalidEmail, InvalidEmailOrPassword, UserAlreadyExists
from app.auth.models.identity import AuthAccount, AuthSession, AuthUser, AuthVerification
from app.auth.organizations import home_of
from app.engine import audit
from app.engine.database import LostRace, reading, translating
from app.engine.principal import SYSTEM, Principal
from app.engine.statements import autocommitted
from app.engine.unit_of_work import Unit, run_unit
from app.foundation import crypto, origin
from app.foundation.addresses import normalized
from app.foundation.clock import now
from app.foundation.errors import Forbidden, Unauthenticated, UniqueViolation
from app.runtime import rate_limits

CREDENTIAL_OF = """
SELECT u.id, a.password FROM auth_user u JOIN auth_account a ON a.user_id = u.id AND a.provider_id = 'credential'
WHERE u.email = %s
"""


@dataclass(frozen=True)
class SignedIn:
    """A session that was just opened: its row, its user, and its two secrets, known now and never again."""

    session: AuthSession
    user: AuthUser
    token: str
    cookie: str


def open_session(unit: Unit, user: AuthUser, *, method: str = "password") -> SignedIn:
    """Store a session of ``user``, active in the personal organization."""
    token, cookie = crypto.make(crypto.SESSION), crypto.make(crypto.SESSION)
    opened = AuthSession(
        user_id=user.id,
        token_hash=crypto.vault().digest(token),
        cookie_hash=crypto.vault().digest(cookie),
        sign_in_method=method,
        active_organization_id=home_of(unit.session, user.id),
        **_device(),
    )
    user.last_login_at = now()
    unit.store(opened)
    audit.written(unit, "create", opened, actor=user)
    unit.session.flush()
    return SignedIn(opened, user, token, cookie)


def sign_up(given: dict[str, Any]) -> tuple[AuthUser, SignedIn | None]:
    """Make an account with a password and sign it in, unless its address has to be verified first.

    Raises InvalidEmail, PasswordRefused and UserAlreadyExists, and RateLimitExceeded for too many accounts from one
    network.
    """
    try:
        address = normalized(given["email"])
    except ValidationError:
        raise InvalidEmail() from None
    name = given.get("name") or users.name_of(address)
    passwords.check(given["password"], about=(address, address.partition("@")[0], name))
    with rate_limits.SIGN_UPS:
        hashed = passwords.hashed(given["password"], network=rate_limits.counted_network(request.remote_addr))
    return run_unit(SYSTEM, _add_account, {"email": address, "name": name, "image": given.get("image")}, hashed)


def _add_account(unit: Unit, values: dict[str, Any], hashed: str) -> tuple[AuthUser, SignedIn | None]:
    user = AuthUser(**values)
    try:
        with translating():
            users.add(unit, user)
    except UniqueViolation as taken:
        if "email" in taken.details["fields"]:
            raise UserAlreadyExists() from None
        raise LostRace() from taken  # the slug of the organization went to somebody else meanwhile
    for record in (user, users.add_password(unit, user, hashed)):
        audit.written(unit, "create", record, actor=user)
    unit.session.flush()
    opened = None if must_verify(user) else open_session(unit, user)
    return user, opened


def with_password(email: str, password: str) -> SignedIn:
    """Sign in with a password; raises InvalidEmailOrPassword alike for all that can be wrong, after the same time, and
    RateLimitExceeded for too many tries from one network."""
    with rate_limits.SIGN_INS:
        user_id, stored = _proven(email, password)
    fresh = passwords.hashed(password) if passwords.is_outdated(stored) else stored
    return run_unit(SYSTEM, _open_proven, user_id, stored, fresh)


def _open_proven(unit: Unit, user_id: UUID, stored: str, fresh: str) -> SignedIn:
    """Open a session for the user whose password ``stored`` was proved, unless it was changed meanwhile."""
    unchanged = (AuthAccount.user_id == user_id, AuthAccount.password == stored)
    proof = unit.session.scalar(select(AuthAccount).where(*unchanged).with_for_update())
    user = unit.session.get(AuthUser, user_id) if proof else None
    if proof is None or user is None or users.is_banned(user.banned, user.ban_expires):
        raise InvalidEmailOrPassword()
    if must_verify(user):
        raise Forbidden("Verify the email address of the account first")
    proof.password = fresh
    return open_session(unit, user)


def _proven(email: str, password: str) -> tuple[UUID, str]:
    """Whose the password is, and what is stored of it; raises InvalidEmailOrPassword."""
    network = rate_limits.network_of(request.remote_addr)
    if throttling.is_network_locked(network):
        raise InvalidEmailOrPassword()
    try:
        address = normalized(email)
    except ValidationError:
        address = ""
    with autocommitted() as connection:
        user_id, stored = connection.execute(CREDENTIAL_OF, (address,)).fetchone() or (None, None)
    right = passwords.is_right(stored, password, network=rate_limits.counted_network(request.remote_addr))
    account = crypto.vault().digest(address or email)
    if not throttling.record_attempt(account, network, succeeded=right):
        raise InvalidEmailOrPassword()
    return user_id, stored


def renew_token(unit: Unit) -> tuple[str, AuthSession]:
    """Give the session of the principal a fresh bearer token in place of its earlier one."""
    token, own = crypto.make(crypto.SESSION), _own(unit)
    own.token_hash = crypto.vault().digest(token)
    unit.session.flush()
    return token, own


def sign_out(unit: Unit) -> None:
    """End the session of the principal."""
    own = unit.session.get(AuthSession, unit.principal.credential_id, with_for_update=True)
    if own is not None:
        audit.written(unit, "delete", own)
        unit.session.delete(own)


def sign_out_elsewhere(unit: Unit) -> None:
    """End the other sessions of the user of the principal."""
    principal = unit.principal
    others = (AuthSession.user_id == principal.user_id, AuthSession.id != principal.credential_id)
    for other in unit.session.scalars(select(AuthSession).where(*others).with_for_update()).all():
        audit.written(unit, "delete", other)
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
    _own(unit).active_organization_id = organization_id


def forget_expired(unit: Unit) -> None:
    """Delete sessions and proofs in progress whose time is over."""
    for model in (AuthSession, AuthVerification):
        unit.session.execute(delete(model).where(model.expires_at <= now()))


def _own(unit: Unit) -> AuthSession:
    found = unit.session.get(AuthSession, unit.principal.credential_id, with_for_update={"key_share": True})
    if found is None:  # signed out since the guard looked
        raise Unauthenticated(invalid_token=True)
    return found


def must_verify(user: AuthUser) -> bool:
    """Whether the user gets no session before the address is verified."""
    return bool(current_app.config["SETTINGS"].require_email_verification) and not user.email_verified


def _device() -> dict[str, Any]:
    if not has_request_context():
        return {}
    return {"ip_address": origin.address(), "user_agent": origin.user_agent()}
