"""Signing up, in and out: accounts with a password, and the sessions that every way of signing in opens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from flask import current_app, has_request_context, request
from marshmallow import ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session

from app import audit, backoff, limits, passwords, secrets, users
from app.addresses import normalized
from app.api_keys import home_of
from app.clock import now
from app.database import LostRace, retried, transaction
from app.errors import Forbidden, InvalidEmail, InvalidEmailOrPassword, UniqueViolation, UserAlreadyExists
from app.models.auth.identity import AuthAccount, AuthSession, AuthUser
from app.principal import Credential, Principal
from app.statements import reading

LONGEST_USER_AGENT = 512
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


def open_session(session: Session, user: AuthUser, *, method: str = "password") -> SignedIn:
    """Store a session of ``user``, active in the personal organization."""
    token, cookie = secrets.make(secrets.SESSION), secrets.make(secrets.SESSION)
    opened = AuthSession(
        user_id=user.id,
        token_hash=secrets.vault().digest(token),
        cookie_hash=secrets.vault().digest(cookie),
        sign_in_method=method,
        active_organization_id=home_of(session, user.id),
        **_device(),
    )
    user.last_login_at = now()
    session.add(opened)
    session.flush()
    return SignedIn(opened, user, token, cookie)


@retried
def sign_up(given: dict[str, Any]) -> tuple[AuthUser, SignedIn | None]:
    """Make an account with a password and sign it in, unless its address has to be verified first.

    Raises InvalidEmail, PasswordRefused and UserAlreadyExists.
    """
    try:
        address = normalized(given["email"])
    except ValidationError:
        raise InvalidEmail() from None
    name = given.get("name") or users.name_of(address)
    passwords.check(given["password"], about=(address, address.partition("@")[0], name))
    hashed = passwords.hashed(given["password"])
    try:
        with transaction() as session:
            user = AuthUser(email=address, name=name, image=given.get("image"))
            users.add(session, user)
            account = users.add_password(session, user, hashed)
            for record in (user, account):
                audit.written(session, _acting(user), "create", record)
            session.flush()
            opened = None if _must_verify(user) else open_session(session, user)
            session.expunge_all()
    except UniqueViolation as taken:
        if "email" in taken.details["fields"]:
            raise UserAlreadyExists() from None
        raise LostRace() from taken  # the slug of the organization went to somebody else meanwhile
    return user, opened


def with_password(email: str, password: str) -> SignedIn:
    """Sign in with a password; raises InvalidEmailOrPassword alike for all that can be wrong, after the same time."""
    try:
        address = normalized(email)
    except ValidationError:
        address = ""
    with reading() as connection:
        user_id, stored = connection.execute(CREDENTIAL_OF, (address,)).fetchone() or (None, None)
    right = passwords.is_right(stored, password)
    account, network = secrets.vault().digest(address or email), limits.network_of(request.remote_addr)
    if not backoff.settle(account, network, succeeded=right):
        raise InvalidEmailOrPassword()
    fresh = passwords.hashed(password) if passwords.is_outdated(stored) else None
    with transaction() as session:
        user = session.get(AuthUser, user_id)
        if user is None or is_banned(user):
            raise InvalidEmailOrPassword()
        if _must_verify(user):
            raise Forbidden("Verify the email address of the account first")
        if fresh is not None:
            session.execute(_password_account(user.id)).scalar_one().password = fresh
        opened = open_session(session, user)
        session.expunge_all()
    return opened


def renew_token(principal: Principal) -> tuple[str, AuthSession]:
    """Give the session of ``principal`` a fresh bearer token in place of its earlier one."""
    token = secrets.make(secrets.SESSION)
    with transaction() as session:
        own = session.get_one(AuthSession, principal.credential_id)
        own.token_hash = secrets.vault().digest(token)
        session.flush()
        session.expunge_all()
    return token, own


def sign_out(principal: Principal) -> None:
    """End the session of ``principal``."""
    with transaction() as session:
        own = session.get(AuthSession, principal.credential_id)
        if own is not None:
            session.delete(own)


def current(principal: Principal) -> tuple[AuthSession, AuthUser]:
    """The session of ``principal`` and its user, detached."""
    with transaction() as session:
        own = session.get_one(AuthSession, principal.credential_id)
        user = session.get_one(AuthUser, own.user_id)
        session.expunge_all()
    return own, user


def act_in(principal: Principal, organization_id: UUID) -> None:
    """Make an organization of the caller the one that new records and keys of this session belong to."""
    with transaction() as session:
        session.get_one(AuthSession, principal.credential_id).active_organization_id = organization_id


def is_banned(user: AuthUser) -> bool:
    return user.banned and (user.ban_expires is None or user.ban_expires > now())


def _must_verify(user: AuthUser) -> bool:
    return bool(current_app.config["SETTINGS"].require_email_verification) and not user.email_verified


def _password_account(user_id: UUID) -> Any:
    return select(AuthAccount).where(AuthAccount.user_id == user_id, AuthAccount.provider_id == "credential")


def _acting(user: AuthUser) -> Principal:
    """A user who signs up acts in its own name."""
    return Principal(Credential.SESSION, user.id, frozenset(), user_id=user.id)


def _device() -> dict[str, Any]:
    if not has_request_context():
        return {}
    return {
        "ip_address": request.remote_addr or None,
        "user_agent": request.user_agent.string[:LONGEST_USER_AGENT] or None,
    }
