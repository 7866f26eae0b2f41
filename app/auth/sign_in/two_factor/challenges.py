"""Challenges: what a sign-in is answered with until the second factor is given. A challenge is no session."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import exists, select

from app.auth.accounts import identities, proofs, users
from app.auth.credentials.sessions import SignedIn, open_session
from app.auth.errors import InvalidCode, InvalidToken
from app.auth.models.identity import AuthPasskey, AuthTwoFactor, AuthUser, AuthVerification
from app.auth.sign_in import devices
from app.auth.sign_in.two_factor import codes, factors
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import require_found

MAX_ATTEMPTS = 5
PASSKEY = "passkey"


@dataclass(frozen=True)
class Challenged:
    """A first factor was right; ``challenge`` is the secret with which a second one can be given, by ``methods``."""

    challenge: str
    methods: list[str]
    expires_at: datetime


def ask(unit: Unit, user: AuthUser, method: str, link: identities.IdentityLink | None = None) -> Challenged | None:
    """Ask for the second factor of a user who gave a first one by ``method``; None where there is none to ask for. The
    identity in ``link`` waits for it as well."""
    # Whoever switches the factor on holds the user, so that no session is opened behind its back.
    unit.session.execute(select(AuthUser.id).where(AuthUser.id == user.id).with_for_update(key_share=True))
    factor = factors.of(unit.session, user.id)
    if factor is None or devices.is_trusted(unit, factor):
        return None
    proof, secret = proofs.issue(unit, proofs.CHALLENGE, user.id, method=method, link=link.values if link else None)
    return Challenged(secret, _methods(unit, factor, method), proof.expires_at)


def methods_of(challenge: str) -> list[str]:
    """How a challenge can be answered, for a page that asks; raises InvalidCode for one that is over."""
    return run_unit(SYSTEM, _methods_of, challenge)


def _methods_of(unit: Unit, challenge: str) -> list[str]:
    try:
        asked = proofs.peek(unit, challenge, proofs.CHALLENGE)
    except InvalidToken:
        raise InvalidCode() from None
    factor = require_found(factors.of(unit.session, asked.user_id), InvalidCode)
    return _methods(unit, factor, asked.context["method"])


def _methods(unit: Unit, factor: AuthTwoFactor, first: str) -> list[str]:
    own = select(exists().where(AuthPasskey.user_id == factor.user_id))
    # A passkey that was the first factor is not the second one as well.
    has_passkey = first != PASSKEY and unit.session.scalar(own)
    offered = {"totp": True, "recovery": codes.left(factor) > 0, "passkey": has_passkey}
    return [name for name, there in offered.items() if there]


def answer(challenge: str, code: str, *, recovery: bool = False, trust_device: bool = False) -> SignedIn:
    """Open the session that a challenge stands for, with a code. Raises InvalidCode, also for a challenge that is
    unknown, used or over, and RateLimited."""
    opened = run_unit(SYSTEM, _answer, challenge, code, recovery, devices.device_id() if trust_device else "")
    return require_found(opened, InvalidCode)


def _answer(unit: Unit, challenge: str, code: str, recovery: bool, device: str) -> SignedIn | None:
    row, user = held(unit, challenge)
    factor = factors.of(unit.session, user.id, lock=True)
    if factor is None or not codes.take(factor, code, recovery=recovery):
        row.attempts += 1
        if row.attempts >= MAX_ATTEMPTS:
            unit.session.delete(row)
        return None
    if device:
        devices.trust(unit, factor, device)
    return finish(unit, row, user)


def held(unit: Unit, challenge: str) -> tuple[AuthVerification, AuthUser]:
    """A challenge, locked until the end, and its user; raises InvalidCode."""
    try:
        row = proofs.get_for_update(unit, challenge, proofs.CHALLENGE)
    except InvalidToken:
        raise InvalidCode() from None
    user = unit.session.get(AuthUser, row.user_id)
    if user is None or users.is_banned(user.banned, user.ban_expires):
        raise InvalidCode()
    return row, user


def get_for_passkey(unit: Unit, challenge: str) -> tuple[AuthVerification, AuthUser]:
    """The same for a challenge that a passkey may answer, since its first factor was another."""
    row, user = held(unit, challenge)
    if proofs.context_of(row)["method"] == PASSKEY:
        raise InvalidCode()
    return row, user


def finish(unit: Unit, row: AuthVerification, user: AuthUser) -> SignedIn:
    """Use a challenge up, link the identity that has waited for it, and open its session. Raises InvalidCode for an
    identity that has become somebody else's meanwhile."""
    context = proofs.context_of(row)
    unit.session.delete(row)
    if context.get("link"):
        _link(unit, user, identities.IdentityLink(**context["link"]))
    return open_session(unit, user, method=context["method"])


def _link(unit: Unit, user: AuthUser, link: identities.IdentityLink) -> None:
    known = identities.find(unit, link.issuer, link.subject)
    if known is None:
        identities.link(unit, user, link)
    elif known.user_id != user.id:
        raise InvalidCode()
