"""Step-up: sensitive acts want a proof of a credential that is not older than ten minutes."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import exists, select

from app.auth.accounts import passwords
from app.auth.credentials import throttling
from app.auth.errors import InvalidEmailOrPassword, ReauthenticationRequired
from app.auth.models.identity import AuthAccount, AuthPasskey, AuthSession, AuthUser
from app.auth.sign_in.two_factor import factors
from app.engine.declare.principal import Principal
from app.engine.read.database import reading
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Unauthenticated

FRESH = timedelta(minutes=10)


def require_recent_authentication(principal: Principal) -> None:
    """Refuse unless the session proved a credential in the last ten minutes."""
    proved = principal.authenticated_at
    if proved is None or now() - proved > FRESH:
        raise ReauthenticationRequired()


def by_password(principal: Principal, password: str) -> datetime:
    """Prove the caller's session anew by the password; raises InvalidEmailOrPassword."""
    check_password(principal, password)
    return run_unit(principal, mark_reauthenticated)


def ways(principal: Principal) -> list[str]:
    """How the caller can prove a credential anew: by password, code or passkey."""
    user_id = principal.user_id
    there = {
        "password": exists().where(AuthAccount.user_id == user_id, AuthAccount.password.is_not(None)),
        "code": exists().where(factors.is_on(user_id)),
        "passkey": exists().where(AuthPasskey.user_id == user_id),
    }
    with reading() as session:
        found = session.execute(select(*there.values())).one()
    return [way for way, is_there in zip(there, found, strict=True) if is_there]


def check_password(principal: Principal, password: str) -> None:
    """Refuse unless the password is the caller's; raises InvalidEmailOrPassword."""
    require_correct_password(*run_unit(principal, _stored), password)


def check_password_if_any(principal: Principal, password: str | None) -> tuple[AuthUser, str | None]:
    """The same for an account with a password; one without needs recent authentication. Returns the caller, and what is
    stored of the password. Raises ReauthenticationRequired as well."""
    user, stored = run_unit(principal, _stored)
    if stored is None:
        require_recent_authentication(principal)
    else:
        require_correct_password(user, stored, password or "")
    return user, stored


def require_correct_password(user: AuthUser, stored: str | None, password: str) -> None:
    """Refuse a password other than the one that ``stored`` was made of; guesses count as those at the sign-in do.
    Raises InvalidEmailOrPassword."""
    right = passwords.verify_password(stored, password)
    if not throttling.record_for_request(user.id, user.email, succeeded=right):
        raise InvalidEmailOrPassword()


def mark_reauthenticated(unit: Unit) -> datetime:
    """Write down that the caller's session proved a credential now."""
    own = unit.session.get(AuthSession, unit.principal.credential_id, with_for_update={"key_share": True})
    if own is None:  # signed out since the guard looked
        raise Unauthenticated(invalid_token=True)
    own.authenticated_at = now()
    audit.note(unit, "auth.session.reauthenticate", own)
    return own.authenticated_at


def _stored(unit: Unit) -> tuple[AuthUser, str | None]:
    user = unit.session.get(AuthUser, unit.principal.user_id) if unit.principal.user_id else None
    if user is None:
        raise Unauthenticated(invalid_token=True)
    return user, passwords.stored_hash_of(unit.session, user.id)
