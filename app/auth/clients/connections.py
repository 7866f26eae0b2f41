"""Connections of clients: what a person has consented to, and how it ends.

A connection is an API key whose secret is thrown away; the client reaches it by tokens. What narrows, disables or
revokes the key does so to the client at its next call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import delete, exists, func, select

from app.auth.clients.errors import UsedAgain
from app.auth.clients.registry import host_of
from app.auth.credentials.reauthentication import require_recent_authentication
from app.auth.keys import api_keys, key_mails
from app.auth.models.clients import AuthClient, AuthClientRequest, AuthClientToken, AuthConnection
from app.auth.models.identity import AuthUser
from app.auth.models.keys import AuthApiKey
from app.auth.models.organizations import AuthOrganization
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.read.database import reading
from app.engine.read.grant_parser import parse_grants
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation import crypto
from app.foundation.clock import now
from app.foundation.errors import Conflict, Forbidden, Invalid, NotFound, require_found
from app.foundation.settings import settings

# For a person to sign in and decide; for a client to come for its tokens.
REQUEST_LIFE, CODE_LIFE = timedelta(minutes=30), timedelta(minutes=1)
# A code that comes again ends its connection, so it is remembered for a while.
CODE_MEMORY = timedelta(hours=1)
# How long a client is known that nobody has connected: one that tells of itself again, and one that registered itself.
UNUSED = {"document": timedelta(days=1), "dynamic": timedelta(days=90)}
MOST = 50


@dataclass(frozen=True)
class Asked:
    """What a client asks for, on its way to the person."""

    client: AuthClient
    request: AuthClientRequest


@dataclass(frozen=True)
class Consent:
    """What a person lets a client do: in one organization, with these scopes, within these grants, or all for None."""

    organization_id: UUID
    scopes: Sequence[str]
    access: list[Any] | None = None


@dataclass(frozen=True)
class Connection:
    """A connected client as its person sees it."""

    client: AuthClient
    key: AuthApiKey
    organization: str | None


def life() -> timedelta:
    """How long a consent lasts."""
    return min(api_keys.DEFAULT_LIFE, timedelta(days=settings.key_max_days))


def ask(client: AuthClient, redirect_uri: str, state: str | None, scopes: Sequence[str], code_challenge: str) -> UUID:
    """Keep what a client asks for until somebody has decided; returns the id of the request."""
    made = AuthClientRequest(
        client_id=client.id, redirect_uri=redirect_uri, state=state, scopes=list(scopes),
        code_challenge=code_challenge, expires_at=now() + REQUEST_LIFE,
    )  # fmt: skip
    run_unit(SYSTEM, Unit.store, made)
    return made.id


def asked(identifier: UUID) -> Asked:
    """The request with this id, as long as nobody has decided; raises NotFound."""
    open_ones = (AuthClientRequest.id == identifier, AuthClientRequest.user_id.is_(None))
    with reading() as session:
        wanted = select(AuthClientRequest, AuthClient).join(AuthClient, AuthClient.id == AuthClientRequest.client_id)
        row = session.execute(wanted.where(*open_ones, AuthClientRequest.expires_at > now())).one_or_none()
    found = require_found(row, NotFound("The client has to ask anew"))
    return Asked(found[1], found[0])


def allow(unit: Unit, identifier: UUID, consent: Consent) -> str:
    """Consent to a request in the name of the principal, and return the code that the client gets its tokens for.

    Raises NotFound, ReauthenticationRequired, Forbidden for whoever is not there in person, and Invalid for a consent
    beyond what was asked.
    """
    principal = unit.principal
    _require_person(principal)
    if consent.organization_id not in principal.memberships:
        raise Invalid({"organizationId": ["Is none of your organizations."]})
    if consent.access is not None:
        parse_grants(consent.access)
    request = _locked(unit, identifier)
    if not consent.scopes or not set(consent.scopes) <= set(request.scopes):
        raise Invalid({"scopes": ["Goes beyond what the client has asked for."]})
    _require_room(unit, principal.user_id)
    code = crypto.make(crypto.CODE)
    request.user_id, request.organization_id = principal.user_id, consent.organization_id
    request.scopes, request.access = list(consent.scopes), consent.access
    request.code_hash, request.expires_at = crypto.vault().digest(code), now() + CODE_LIFE
    unit.session.flush()
    return code


def deny(unit: Unit, identifier: UUID) -> None:
    """Forget a request; raises NotFound."""
    unit.session.delete(_locked(unit, identifier))


def exchange(unit: Unit, code_hash: str) -> AuthApiKey:
    """Connect the client of a code that nobody has used, and return the key of the connection. Raises NotFound, and
    UsedAgain for one that was used: whoever has stolen it came first, or comes now."""
    wanted = select(AuthClientRequest).where(AuthClientRequest.code_hash == code_hash).with_for_update()
    request = require_found(unit.session.scalar(wanted))
    if request.key_id is not None:
        raise UsedAgain(request.key_id)
    owner = unit.session.get(AuthUser, request.user_id)
    if owner is None or request.expires_at <= now():
        raise NotFound()
    _require_room(unit, owner.id)
    client = unit.session.get_one(AuthClient, request.client_id)
    key, _ = api_keys.issue(
        unit, owner, name=client.name, scopes=request.scopes, organization_id=request.organization_id,
        access=request.access, expires_at=now() + life(),
    )  # fmt: skip
    unit.store(AuthConnection(client_id=client.id, key_id=key.id))
    key_mails.tell_of_connection(unit, key, f"{client.name} ({host_of(client)})")
    request.key_id, request.expires_at = key.id, now() + CODE_MEMORY
    audit.note(unit, "auth.client.connect", key, changes={"client": client.client_id})
    return key


def listed(principal: Principal) -> list[Connection]:
    """The clients that the principal has connected, the latest first."""
    return _list(*_own(principal))


def of_everybody() -> list[Connection]:
    """Every connected client."""
    return _list(*_alive())


def disconnect(unit: Unit, key_id: UUID) -> None:
    """End a connection of the principal: its tokens are refused from the next call on. Raises NotFound."""
    principal = unit.principal
    if principal.impersonator_id is not None:
        raise Forbidden()
    wanted = select(AuthApiKey).join(AuthConnection, AuthConnection.key_id == AuthApiKey.id)
    key = require_found(
        unit.session.scalar(wanted.where(AuthApiKey.id == key_id, *_own(principal)).with_for_update(of=AuthApiKey))
    )
    end(unit, key)


def end(unit: Unit, key: AuthApiKey) -> None:
    """End the connection of a key, with the tokens that lead to it."""
    api_keys.revoke(unit, key)
    unit.bookkeep(delete(AuthClientToken).where(AuthClientToken.key_id == key.id))


def forget_expired(unit: Unit) -> None:
    """Delete requests and tokens whose time is over, and clients that have told of themselves and are not connected."""
    for model in (AuthClientRequest, AuthClientToken):
        unit.bookkeep(delete(model).where(model.expires_at <= now()))
    unused = [~exists().where(model.client_id == AuthClient.id) for model in (AuthConnection, AuthClientRequest)]
    for source, age in UNUSED.items():
        unit.bookkeep(
            delete(AuthClient).where(AuthClient.source == source, AuthClient.updated_at <= now() - age, *unused)
        )


def _require_person(principal: Principal) -> None:
    """Raises Forbidden where nobody is there in person, and ReauthenticationRequired."""
    if principal.impersonator_id is not None or principal.user_id is None:
        raise Forbidden("Nobody consents in the name of somebody else")
    require_recent_authentication(principal)


def _require_room(unit: Unit, user_id: UUID | None) -> None:
    """Raises Conflict for a person who has connected the most clients."""
    unit.lock(f"clients of {user_id}")
    connected = (
        select(func.count()).select_from(AuthConnection).join(AuthApiKey, AuthApiKey.id == AuthConnection.key_id)
    )
    if (unit.session.scalar(connected.where(*_alive(), AuthApiKey.user_id == user_id)) or 0) >= MOST:
        raise Conflict(f"You have connected {MOST} clients: disconnect some")


def _locked(unit: Unit, identifier: UUID) -> AuthClientRequest:
    wanted = select(AuthClientRequest).where(
        AuthClientRequest.id == identifier, AuthClientRequest.user_id.is_(None), AuthClientRequest.expires_at > now()
    )
    return require_found(unit.session.scalar(wanted.with_for_update()), NotFound("The client has to ask anew"))


def _alive() -> list[Any]:
    """The conditions of keys of connections that have not ended."""
    return [AuthApiKey.revoked_at.is_(None), AuthApiKey.expires_at > now()]


def _own(principal: Principal) -> list[Any]:
    """Those of connections that the principal has made, or for the service itself of all."""
    return _alive() if principal is SYSTEM else [*_alive(), AuthApiKey.user_id == principal.user_id]


def _list(*conditions: Any) -> list[Connection]:
    wanted = (
        select(AuthClient, AuthApiKey, AuthOrganization.name)
        .join(AuthConnection, AuthConnection.client_id == AuthClient.id)
        .join(AuthApiKey, AuthApiKey.id == AuthConnection.key_id)
        .outerjoin(AuthOrganization, AuthOrganization.id == AuthApiKey.organization_id)
        .where(*conditions)
        .order_by(AuthApiKey.created_at.desc(), AuthApiKey.id)
    )
    with reading() as session:
        return [Connection(*row) for row in session.execute(wanted)]
