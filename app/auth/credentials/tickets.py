"""Stream tickets: single-use tokens for EventSource, which cannot send a header; each lasts a minute."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete, insert
from uuid_utils.compat import uuid7

from app.auth.credentials import credentials
from app.auth.models.identity import AuthVerification
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.foundation.errors import Unauthenticated

PURPOSE = "stream_ticket"
LIFE = timedelta(seconds=60)
MAX_LENGTH = 500


@dataclass(frozen=True)
class Ticket:
    token: str
    expires_at: datetime


def issue(principal: Principal) -> Ticket:
    """A ticket for the session of ``principal``."""
    token = vault().encrypt(str(principal.credential_id))
    ticket = Ticket(token, now() + LIFE)
    digest = vault().digest(token)
    proof = {"id": uuid7(), "purpose": PURPOSE, "identifier": digest, "value": digest, "expires_at": ticket.expires_at}
    run_unit(principal, Unit.bookkeep, insert(AuthVerification).values(proof))
    return ticket


def redeem(token: str) -> Principal:
    """The principal of the session that a ticket was issued to; the ticket is spent. Raises Unauthenticated."""
    proof = AuthVerification
    held = (proof.purpose == PURPOSE, proof.identifier == vault().digest(token), proof.expires_at > now())
    if len(token) > MAX_LENGTH or not run_unit(SYSTEM, Unit.bookkeep, delete(proof).where(*held)):
        raise Unauthenticated(invalid_token=True)
    return credentials.session_principal_by_id(UUID(vault().decrypt(token)))
