"""Tokens of connections: access tokens of fifteen minutes, refresh tokens that are used once.

The database has digests. Every token is looked up at each call, so that what ends a connection ends its tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import delete, select

from app.auth.clients import connections
from app.auth.clients.errors import UsedAgain
from app.auth.credentials import credentials
from app.auth.keys import api_keys
from app.auth.models.clients import AuthClient, AuthClientToken, AuthConnection
from app.auth.models.keys import AuthApiKey
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation import crypto
from app.foundation.clock import now
from app.foundation.errors import NotFound, require_found
from app.runtime import rate_limits

T = TypeVar("T")
ACCESS_LIFE, REFRESH_LIFE = timedelta(minutes=15), timedelta(days=30)
# Refresh tokens of a connection that are known again after they were used.
REMEMBERED = 20


def issue_for_code(code_hash: str, access: str, refresh: str) -> AuthApiKey:
    """Connect the client of a code, and keep the tokens that it gets; raises NotFound."""
    return _once(_issue_for_code, code_hash, access, refresh)


def rotate(key_id: UUID, used: str, access: str, refresh: str) -> AuthApiKey:
    """Keep new tokens in place of a refresh token, which is used up; raises NotFound. The one that comes again ends its
    connection: it was stolen, and nobody knows who is who."""
    return _once(_rotate, key_id, used, access, refresh)


def admit_renewal(key: AuthApiKey) -> None:
    """Count a renewal as a request of its connection, which has to be good; raises RateLimited and NotFound."""
    rate_limits.consume_for_key({name: getattr(key, name) for name in ("id", *api_keys.LIMIT)})
    credentials.require_valid_key(key.id)


def find(token: str) -> tuple[AuthClientToken, AuthClient, AuthApiKey] | None:
    """A token with its client and the key of its connection, whatever has become of it."""
    wanted = (
        select(AuthClientToken, AuthClient, AuthApiKey)
        .join(AuthApiKey, AuthApiKey.id == AuthClientToken.key_id)
        .join(AuthConnection, AuthConnection.key_id == AuthApiKey.id)
        .join(AuthClient, AuthClient.id == AuthConnection.client_id)
    )
    with reading() as session:
        row = session.execute(wanted.where(AuthClientToken.token_hash == crypto.vault().digest(token))).one_or_none()
    return None if row is None else (row[0], row[1], row[2])


def end_connection(unit: Unit, key_id: UUID) -> None:
    """End the connection of a key, if it has not ended."""
    key = unit.session.get(AuthApiKey, key_id, with_for_update=True)
    if key is not None:
        connections.end(unit, key)


def _once(work: Callable[..., T], *arguments: Any) -> T:
    try:
        return run_unit(SYSTEM, work, *arguments)
    except UsedAgain as again:
        run_unit(SYSTEM, end_connection, again.key_id)
        raise NotFound() from again


def _issue_for_code(unit: Unit, code_hash: str, access: str, refresh: str) -> AuthApiKey:
    key = connections.exchange(unit, code_hash)
    _store(unit, key, access, refresh)
    return key


def _rotate(unit: Unit, key_id: UUID, used: str, access: str, refresh: str) -> AuthApiKey:
    # The key before its tokens, as whoever ends the connection has it.
    key = require_found(unit.session.get(AuthApiKey, key_id, with_for_update=True))
    held = (AuthClientToken.token_hash == crypto.vault().digest(used), AuthClientToken.key_id == key_id)
    wanted = select(AuthClientToken).where(*held, AuthClientToken.kind == "refresh").with_for_update()
    token = require_found(unit.session.scalar(wanted))
    if token.used_at is not None:
        raise UsedAgain(key_id)
    if token.expires_at <= now() or not api_keys.is_live(key):
        raise NotFound()
    token.used_at = now()
    _forget_earlier(unit, key_id)
    _store(unit, key, access, refresh)
    return key


def _forget_earlier(unit: Unit, key_id: UUID) -> None:
    """Delete the tokens of a connection that are of no use: its access tokens, and refresh tokens that were used before
    the last few."""
    of_it = AuthClientToken.key_id == key_id
    used = select(AuthClientToken.id).where(of_it, AuthClientToken.used_at.is_not(None))
    earlier = used.order_by(AuthClientToken.used_at.desc()).offset(REMEMBERED)
    is_over = (AuthClientToken.kind == "access") | AuthClientToken.id.in_(earlier)
    unit.bookkeep(delete(AuthClientToken).where(of_it, is_over).execution_options(synchronize_session=False))


def _store(unit: Unit, key: AuthApiKey, access: str, refresh: str) -> None:
    for kind, secret, life in (("access", access, ACCESS_LIFE), ("refresh", refresh, REFRESH_LIFE)):
        made = AuthClientToken(
            token_hash=crypto.vault().digest(secret), key_id=key.id, kind=kind, expires_at=now() + life
        )
        unit.session.add(made)
    unit.session.flush()
