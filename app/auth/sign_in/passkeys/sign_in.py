"""Signing in with a passkey: as both factors at once, or as the second one after a challenge."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select

from app.auth.accounts import mails, users
from app.auth.credentials.reauthentication import mark_reauthenticated
from app.auth.credentials.sessions import SignedIn, open_session
from app.auth.errors import InvalidCode
from app.auth.models.identity import AuthPasskey, AuthUser
from app.auth.sign_in.passkeys import ceremonies
from app.auth.sign_in.sign_in import complete_sign_in, must_verify
from app.auth.sign_in.two_factor import challenges
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Forbidden, require_found
from app.runtime import rate_limits

METHOD = challenges.PASSKEY
MAX_ID_LENGTH = 1400


def options(challenge: str | None) -> dict[str, Any]:
    """What the browser asks its authenticators with; raises InvalidCode for a challenge that is over."""
    with rate_limits.SIGN_INS:
        return run_unit(SYSTEM, _options, challenge)


def _options(unit: Unit, challenge: str | None) -> dict[str, Any]:
    return ceremonies.sign_in_options(unit, challenges.get_for_passkey(unit, challenge)[1].id if challenge else None)


def verify(response: dict[str, Any], challenge: str | None) -> SignedIn | challenges.Challenged:
    """Let in whoever a passkey stands for. It counts as both factors where the authenticator has verified its user, and
    as the second one after a challenge. Raises InvalidCode."""
    outcome = run_unit(SYSTEM, _verify, response, challenge)
    if outcome is None:
        raise InvalidCode()
    return outcome


def _verify(unit: Unit, response: dict[str, Any], challenge: str | None) -> SignedIn | challenges.Challenged | None:
    passkey = _presented(unit, response)
    if challenge:
        row, user = challenges.get_for_passkey(unit, challenge)
        if user.id != passkey.user_id or not _proves(unit, passkey, user, response, user.id):
            return None
        return challenges.finish(unit, row, user)
    user = unit.session.get_one(AuthUser, passkey.user_id)
    proved = _proves(unit, passkey, user, response, None)
    if proved is None or users.is_banned(user.banned, user.ban_expires):
        return None
    if must_verify(user):
        raise Forbidden("Verify the email address of the account first")
    return (
        open_session(unit, user, method=METHOD) if proved.user_verified else complete_sign_in(unit, user, method=METHOD)
    )


def reauthenticate(principal: Principal, response: dict[str, Any]) -> datetime:
    """Prove the caller's session anew by one of its passkeys; raises InvalidCode."""
    return require_found(run_unit(principal, _reauthenticate, response), InvalidCode)


def _reauthenticate(unit: Unit, response: dict[str, Any]) -> datetime | None:
    passkey = _presented(unit, response)
    user = unit.session.get_one(AuthUser, passkey.user_id)
    if user.id != unit.principal.user_id or _proves(unit, passkey, user, response, None) is None:
        return None
    return mark_reauthenticated(unit)


def _presented(unit: Unit, response: dict[str, Any]) -> AuthPasskey:
    """The passkey that an answer names, locked; raises InvalidCode."""
    named = response.get("id")
    own = AuthPasskey.credential_id == (named if isinstance(named, str) and len(named) <= MAX_ID_LENGTH else "")
    return require_found(unit.session.scalar(select(AuthPasskey).where(own).with_for_update()), InvalidCode)


def _proves(
    unit: Unit, passkey: AuthPasskey, user: AuthUser, response: dict[str, Any], asked: UUID | None
) -> Any | None:
    """What an answer proves, with the passkey's use noted. None for a counter that falls: somebody has a copy of the
    key, which is written down and told to its owner."""
    proved = ceremonies.verify_assertion(unit, passkey, response, asked)
    if proved is None:
        return None
    if max(proved.new_sign_count, passkey.counter) > 0 and proved.new_sign_count <= passkey.counter:
        audit.note(unit, "auth.passkey.clone", passkey, outcome="denied", actor=user)
        mails.send_account_mail(unit, user, "factors-changed", mails.SECURITY, change="passkey-cloned")
        return None
    passkey.counter, passkey.last_used_at = proved.new_sign_count, now()
    passkey.backed_up = proved.credential_backed_up
    return proved
