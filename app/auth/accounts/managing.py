"""Accounts as code makes and changes them, on the word of whoever runs the service."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from flask import current_app

from app.auth.accounts import passwords, users
from app.auth.credentials import credentials, nobody
from app.auth.credentials.sessions import SignedIn
from app.auth.errors import InsufficientScope
from app.auth.models.identity import AuthUser
from app.auth.sign_in.sign_in import complete_sign_in, must_verify
from app.auth.sign_in.two_factor.challenges import Challenged
from app.engine.declare.principal import SYSTEM, Credential, Principal
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import Forbidden, Unauthenticated, require_found


def new_password_hash(password: str, *, about: Iterable[str] = ()) -> str:
    """Return what is stored of a new password, for ``make_account``; raises PasswordRefused for one that is too short,
    too common, known from breaches or among the words ``about`` its user. It takes long: call it before the unit."""
    passwords.check(password, about=about)
    return passwords.hash_password(password)


def set_password(user_id: UUID, password: str) -> None:
    """Replace the password of an account, or give it the first one, and end its sessions; its person is told by mail.
    Not for the inside of a unit, as it takes long. Raises NotFound and PasswordRefused."""
    with reading() as session:
        user = require_found(session.get(AuthUser, user_id))
    hashed = new_password_hash(password, about=users.words_about(user))
    run_unit(SYSTEM, _set_password, user_id, hashed)


def _set_password(unit: Unit, user_id: UUID, hashed: str) -> None:
    users.use_password(unit, unit.get(AuthUser, user_id, lock=True), hashed)


def sign_in(unit: Unit, user: AuthUser, *, method: str = "password") -> SignedIn | Challenged:
    """Open a session for a user who has proved to be one in a way of the caller's own, or ask for the second factor
    where the account has one. ``method`` is one of ``AuthSession``. Raises Unauthenticated for one who is banned, and
    Forbidden where the address has to be verified first."""
    current = unit.get(AuthUser, user.id)
    if users.is_banned(current.banned, current.ban_expires):
        raise Unauthenticated()
    if must_verify(current):
        raise Forbidden("Verify the email address of the account first")
    return complete_sign_in(unit, current, method=method)


def principal_of(token: str, scope: str = "read", *, session_only: bool = False) -> Principal:
    """Return whom the token of a session, or a key, stands for, where that carries a ``scope`` (``read`` or ``write``);
    it counts as a request. Ask for ``session_only`` before you change an account in the name of the service: a key,
    which may be narrow, is for less. Only within a request. Raises Unauthenticated, InsufficientScope, RateLimited, and
    Forbidden for a key where a session is needed."""
    found = credentials.principal_of(token)
    if scope not in found.scopes:
        raise InsufficientScope(scope)
    if session_only and found.credential is not Credential.SESSION:
        raise Forbidden("A session token is needed for this")
    return found


def acting_as(user_id: UUID) -> Principal:
    """Return the principal of a user, with what the user may do by now, but never as an admin: for ``run_unit`` and
    ``find``. Raises Unauthenticated for one who is gone or banned."""
    return users.require_user_principal(user_id)


def anonymous() -> Principal:
    """Return the principal of callers without a credential, which sees what is open to everybody."""
    found: Principal = current_app.extensions[nobody.NAME]
    return found
