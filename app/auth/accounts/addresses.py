"""Addresses of accounts: each is one account's, also while a change of it can still be taken back."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import exists, select

from app.auth.accounts import proofs
from app.auth.models.identity import AuthUser, AuthVerification
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.foundation.errors import UniqueViolation


def claim(unit: Unit, address: str, *, user_id: UUID | None = None) -> None:
    """Keep an address for an account until the unit ends; raises UniqueViolation for one that is somebody else's."""
    unit.lock(f"address {address}")
    if is_taken(unit, address, user_id):
        raise UniqueViolation.on(["email"])


def is_taken(unit: Unit, address: str, user_id: UUID | None = None) -> bool:
    """Whether an address is another account's: its own, or the one that it can go back to."""
    held = AuthVerification.identifier == proofs.identifier(proofs.REVERT, address)
    kept = (AuthVerification.purpose == proofs.REVERT, held, AuthVerification.expires_at > now())
    others = exists().where(AuthUser.email == address, AuthUser.id.is_distinct_from(user_id))
    theirs = exists().where(*kept, AuthVerification.user_id.is_distinct_from(user_id))
    return bool(unit.session.scalar(select(others | theirs)))
