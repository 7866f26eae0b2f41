"""The clients that are known: those that were registered, and those that their metadata documents have told of."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from urllib.parse import urlsplit
from uuid import uuid4

from sqlalchemy import select

from app.auth.clients import metadata_documents
from app.auth.clients.metadata_documents import MAX_REDIRECTS, ClientMetadata, Unreadable, readable
from app.auth.clients.redirects import is_registrable
from app.auth.models.clients import MAX_ID_LENGTH, AuthClient
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Invalid, RateLimited, Unavailable

# How long a client is taken as it was while its metadata document cannot be read.
STALE = timedelta(days=7)


def find(client_id: str) -> AuthClient | None:
    """The client as it is known, without asking anybody."""
    if not 0 < len(client_id) <= MAX_ID_LENGTH or "\x00" in client_id:
        return None
    with reading() as session:
        return session.scalar(select(AuthClient).where(AuthClient.client_id == client_id))


def look_up(client_id: str) -> AuthClient | None:
    """The client as it is now: its metadata document is read where it is not known, or was read too long ago. Raises
    UnknownClient and Unavailable."""
    known = find(client_id)
    is_fresh = known is not None and (known.fresh_until is None or known.fresh_until > now())
    if is_fresh or not metadata_documents.is_address(client_id):
        return known
    try:
        found = metadata_documents.read(client_id)
    except (Unreadable, Unavailable, RateLimited):
        if known is None or known.updated_at < now() - STALE:
            raise
        return known  # as it was when it could be read
    return run_unit(SYSTEM, _keep, client_id, found)


def host_of(client: AuthClient) -> str:
    """Where a client comes from, as people can tell clients of one name apart: the host of its metadata document, or
    where it has browsers sent."""
    address = client.client_id if client.source == "document" else client.redirect_uris[0]
    return urlsplit(address).hostname or ""


def register(unit: Unit, name: str, redirect_uris: Sequence[str], *, source: str = "registered") -> AuthClient:
    """Make a client known, under an id that is made up; raises Invalid."""
    refused = [each for each in redirect_uris if not is_registrable(each)]
    if refused or not 0 < len(redirect_uris) <= MAX_REDIRECTS:
        raise Invalid({"redirect_uris": ["Must be 1 to 20 addresses: HTTPS, or HTTP on this machine."]})
    if not readable(name):
        raise Invalid({"client_name": ["Must be readable text."]})
    made = AuthClient(client_id=str(uuid4()), name=readable(name), redirect_uris=list(redirect_uris), source=source)
    unit.store(made)
    return made


def _keep(unit: Unit, client_id: str, found: ClientMetadata) -> AuthClient:
    unit.lock(f"client {client_id}")
    client = unit.session.scalar(select(AuthClient).where(AuthClient.client_id == client_id))
    if client is None:
        client = AuthClient(client_id=client_id, source="document")
        unit.session.add(client)
    client.name, client.redirect_uris = found.name, found.redirect_uris
    client.fresh_until = now() + timedelta(seconds=found.max_age)
    unit.session.flush()
    return client
