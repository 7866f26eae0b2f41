"""Enrolment: switching the second factor on and off, and new recovery codes."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import delete, select

from app.auth.accounts import mails
from app.auth.credentials import sessions
from app.auth.credentials.reauthentication import (
    check_password_if_any,
    mark_reauthenticated,
    require_recent_authentication,
)
from app.auth.errors import InvalidCode
from app.auth.models.identity import AuthPasskey, AuthTwoFactor, AuthUser
from app.auth.organizations.organizations import end_sessions
from app.auth.sign_in import devices
from app.auth.sign_in.two_factor import codes, factors
from app.engine.declare.principal import Principal
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.crypto import vault
from app.foundation.errors import Conflict, NotFound, require_found
from app.foundation.settings import settings


@dataclass(frozen=True)
class PendingEnrolment:
    """A factor that waits for its first code; the secret is shown this once."""

    id: UUID
    secret: str
    uri: str


def enroll(principal: Principal) -> PendingEnrolment:
    """Begin an enrolment in place of one that was not confirmed. Raises ReauthenticationRequired and Conflict."""
    require_recent_authentication(principal)
    return run_unit(principal, _enroll)


def _enroll(unit: Unit) -> PendingEnrolment:
    user = sessions.own_user(unit)
    existing = _locked(unit, user.id)
    if existing is not None and existing.verified:
        raise Conflict("The second factor is on already")
    if existing is not None:
        unit.session.delete(existing)
        unit.session.flush()
    secret = codes.new_secret()
    factor = AuthTwoFactor(user_id=user.id, secret=vault().encrypt(secret), backup_codes="[]", verified=False)
    unit.store(factor)
    return PendingEnrolment(factor.id, secret, codes.uri(secret, user.email, settings.product_name))


def confirm(principal: Principal, code: str) -> list[str]:
    """Switch the factor on with its first code, end the other sessions, and return the recovery codes, which are known
    now and never again. Raises InvalidCode."""
    # Committed first, so that a wrong code is counted.
    return require_found(run_unit(principal, _confirm, code), InvalidCode)


def _confirm(unit: Unit, code: str) -> list[str] | None:
    user = sessions.own_user(unit)
    factor = _locked(unit, user.id)
    if factor is None or factor.verified:
        raise NotFound("No enrolment waits for a code")
    if not codes.take(factor, code):
        return None
    made, factor.backup_codes = codes.new_recovery_codes()
    factor.verified = user.two_factor_enabled = True
    audit.record_write(unit, "update", factor, {"verified": False})
    sessions.sign_out_elsewhere(unit)
    mails.send_account_mail(unit, user, "factors-changed", mails.SECURITY, change="two-factor-enabled")
    return made


def renew_recovery_codes(principal: Principal) -> list[str]:
    """Replace the recovery codes; raises ReauthenticationRequired, and NotFound without a factor."""
    require_recent_authentication(principal)
    return run_unit(principal, _renew_recovery_codes)


def _renew_recovery_codes(unit: Unit) -> list[str]:
    user = sessions.own_user(unit)
    factor = _verified(unit, user.id)
    made, factor.backup_codes = codes.new_recovery_codes()
    audit.note(unit, "auth.two_factor.renew_recovery_codes", factor)
    mails.send_account_mail(unit, user, "factors-changed", mails.SECURITY, change="recovery-codes")
    return made


def disable(principal: Principal, code: str, password: str | None) -> None:
    """Switch the factor off, with a code of either kind and the password of the account, or after recent authentication
    where it has none. Raises InvalidCode, InvalidEmailOrPassword and ReauthenticationRequired."""
    check_password_if_any(principal, password)
    require_found(run_unit(principal, _disable, code), InvalidCode)


def _disable(unit: Unit, code: str) -> bool | None:
    user = sessions.own_user(unit)
    factor = _verified(unit, user.id)
    if not _takes_either(factor, code):
        return None
    audit.record_write(unit, "delete", factor)
    unit.session.delete(factor)
    user.two_factor_enabled = False
    mails.send_account_mail(unit, user, "factors-changed", mails.SECURITY, change="two-factor-disabled")
    return True


def reauthenticate(principal: Principal, code: str) -> object:
    """Prove the caller's session anew by a code; raises InvalidCode."""
    return require_found(run_unit(principal, _reauthenticate, code), InvalidCode)


def _reauthenticate(unit: Unit, code: str) -> object | None:
    factor = factors.of(unit.session, unit.principal.user_id, lock=True)
    if factor is None or not codes.take(factor, code):
        return None
    return mark_reauthenticated(unit)


def reset(unit: Unit, user: AuthUser) -> None:
    """Take the factors and passkeys of a user away, on the word of whoever runs the service; signs the user out."""
    for model in (AuthTwoFactor, AuthPasskey):
        for row in unit.session.scalars(select(model).where(model.user_id == user.id)).all():
            audit.record_write(unit, "delete", row)
        unit.bookkeep(delete(model).where(model.user_id == user.id))
    user.two_factor_enabled = False
    devices.distrust_all(unit, user.id)
    end_sessions(unit, user.id)
    audit.note(unit, "auth.user.reset_factors", user)
    mails.send_account_mail(unit, user, "factors-changed", mails.SECURITY, change="factors-reset")


def _takes_either(factor: AuthTwoFactor, code: str) -> bool:
    return codes.take(factor, code, recovery=codes.looks_like_recovery(code))


def _verified(unit: Unit, user_id: UUID) -> AuthTwoFactor:
    factor = factors.of(unit.session, user_id, lock=True)
    return require_found(factor, NotFound("The account has no second factor"))


def _locked(unit: Unit, user_id: UUID) -> AuthTwoFactor | None:
    """The factor of a user, whether it is on or waits for its first code."""
    return unit.session.scalar(select(AuthTwoFactor).where(AuthTwoFactor.user_id == user_id).with_for_update())
