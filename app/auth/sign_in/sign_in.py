"""Sign-up and sign-in with a password, and the one place where a second factor is asked for."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import request
from marshmallow import ValidationError
from sqlalchemy import select

from app.auth.accounts import identities, mails, passwords, users, verification
from app.auth.credentials import throttling
from app.auth.credentials.sessions import SignedIn, open_session
from app.auth.errors import InvalidEmail, InvalidEmailOrPassword, UserAlreadyExists
from app.auth.models.identity import AuthAccount, AuthUser
from app.auth.organizations.organizations import provision_user
from app.auth.sign_in import devices
from app.auth.sign_in.two_factor import challenges
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import LostRace, translating
from app.engine.read.statements import autocommit_connection
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.addresses import normalized
from app.foundation.errors import Forbidden, UniqueViolation
from app.foundation.settings import settings
from app.mail import outbox
from app.runtime import rate_limits

CREDENTIAL_OF = """
SELECT u.id, a.password FROM auth_user u JOIN auth_account a ON a.user_id = u.id AND a.provider_id = 'credential'
WHERE u.email = %s
"""


def complete_sign_in(
    unit: Unit, user: AuthUser, *, method: str = "password", link: identities.IdentityLink | None = None
) -> SignedIn | challenges.Challenged:
    """Open a session for a user who gave a first factor, or ask for the second one where the account has one. Every way
    of signing in ends here, so that none goes round it. The identity in ``link`` becomes a way in as the session is
    opened, and none before."""
    challenged = challenges.ask(unit, user, method, link)
    if challenged is not None:
        return challenged
    if link is not None:
        identities.link(unit, user, link)
    return open_session(unit, user, method=method)


def sign_up(given: dict[str, Any]) -> tuple[AuthUser, SignedIn | None]:
    """Make an account with a password and sign it in, unless its address has to be verified first. ``given`` are its
    ``email`` and ``password``, and perhaps a ``name`` and an ``image``.

    Raises InvalidEmail, PasswordRefused and UserAlreadyExists, and RateLimitExceeded for too many accounts from one
    network.
    """
    try:
        address = normalized(given["email"])
    except ValidationError:
        raise InvalidEmail() from None
    name = given.get("name") or users.name_of(address)
    hashed = hash_for_sign_up(given["password"], address, name)
    return run_unit(SYSTEM, _sign_up, {"email": address, "name": name, "image": given.get("image")}, hashed)


def hash_for_sign_up(password: str, address: str, name: str) -> str:
    """Check and hash the password of an account that is about to be made; raises PasswordRefused and
    RateLimitExceeded."""
    passwords.check(password, about=(address, address.partition("@")[0], name))
    with rate_limits.SIGN_UPS:
        return passwords.hash_password(password, network=rate_limits.counted_network(request.remote_addr))


def _sign_up(unit: Unit, values: dict[str, Any], hashed: str) -> tuple[AuthUser, SignedIn | None]:
    user = add_account(unit, values, hashed)
    # Whoever deletes an account and makes it again has no further mail sent by that.
    if outbox.may_send(unit, verification.KIND_VERIFY, user.email):
        verification.send(unit, user)
    return user, None if must_verify(user) else open_session(unit, user)


def add_account(unit: Unit, values: dict[str, Any], hashed: str) -> AuthUser:
    """Store an account with a password; its first mail speaks the language of the request. Raises
    UserAlreadyExists."""
    user = AuthUser(locale=mails.language_of_request(), **values)
    try:
        with translating():
            provision_user(unit, user)
    except UniqueViolation as taken:
        if "email" in taken.details["fields"]:
            raise UserAlreadyExists() from None
        if "slug" in taken.details["fields"]:
            raise LostRace() from taken  # that of the organization went to somebody else meanwhile
        raise
    for record in (user, users.add_password(unit, user, hashed)):
        audit.record_write(unit, "create", record, actor=user)
    unit.session.flush()
    return user


def with_password(email: str, password: str) -> SignedIn | challenges.Challenged:
    """Sign in with a password; raises InvalidEmailOrPassword alike for all that can be wrong, after the same time, and
    RateLimitExceeded for too many tries from one network."""
    with rate_limits.SIGN_INS:
        user_id, stored = _proven(email, password)
    fresh = passwords.hash_password(password) if passwords.is_outdated(stored) else stored
    return run_unit(SYSTEM, _sign_in_with_password, user_id, stored, fresh)


def _sign_in_with_password(unit: Unit, user_id: UUID, stored: str, fresh: str) -> SignedIn | challenges.Challenged:
    """Let in the user whose password ``stored`` was proved, unless it was changed meanwhile."""
    unchanged = (AuthAccount.user_id == user_id, AuthAccount.password == stored)
    proof = unit.session.scalar(select(AuthAccount).where(*unchanged).with_for_update())
    user = unit.session.get(AuthUser, user_id) if proof else None
    if proof is None or user is None or users.is_banned(user.banned, user.ban_expires):
        raise InvalidEmailOrPassword()
    if must_verify(user):
        raise Forbidden("Verify the email address of the account first")
    proof.password = fresh
    return complete_sign_in(unit, user)


def _proven(email: str, password: str) -> tuple[Any, Any]:
    """Whose the password is, and what is stored of it; raises InvalidEmailOrPassword."""
    try:
        address = normalized(email)
    except ValidationError:
        address = ""
    with autocommit_connection() as connection:
        user_id, stored = connection.execute(CREDENTIAL_OF, (address,)).fetchone() or (None, None)
    if not devices.known_device_id(user_id) and throttling.is_network_locked(throttling.network()):
        raise InvalidEmailOrPassword()
    right = passwords.verify_password(stored, password, network=rate_limits.counted_network(request.remote_addr))
    if not throttling.record_for_request(user_id, address or email, succeeded=right):
        raise InvalidEmailOrPassword()
    return user_id, stored


def must_verify(user: AuthUser) -> bool:
    """Whether the user gets no session before the address is verified."""
    return bool(settings.require_email_verification) and not user.email_verified
