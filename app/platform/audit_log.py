"""The audit log: it stores each audit event as a row, in the same transaction."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import g, has_request_context
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.auth.models.identity import AuthUser
from app.auth.models.keys import AuthApiKey
from app.engine.declare.principal import SYSTEM, Credential, Principal
from app.engine.write.audit import Actor, Entry, noted
from app.engine.write.unit_of_work import Unit
from app.foundation import origin
from app.platform.models import PlatformAuditLog


@noted.subscribe
def keep(unit: Unit, entry: Entry) -> None:
    """Write the row of an entry."""
    unit.session.add(
        PlatformAuditLog(
            action=entry.action,
            target_type=entry.target.qualified_name(),
            target_id=str(entry.target.id),
            organization_id=_organization_of(entry.target, unit.session),
            outcome=entry.outcome,
            changes=dict(entry.changes),
            **_actor(entry.actor),
            **_origin(),
        )
    )


def _organization_of(target: Any, session: Session) -> UUID | None:
    """The organization it happened in: the one of the row, of its parent, or the row itself."""
    if target.__tablename__ == "auth_organization":
        return target.id
    own: UUID | None = getattr(target, "organization_id", None)
    if own is None and target.__tablename__ == "auth_team_member":
        with session.no_autoflush:
            return session.get_one(target.target("team_id"), target.team_id).organization_id
    return own


def _actor(actor: Actor) -> dict[str, Any]:
    if actor is SYSTEM:
        return {"actor_type": "anonymous" if has_request_context() else "system"}
    if not isinstance(actor, Principal):
        return {"actor_type": "user", "actor_id": str(actor.id), "actor_name": actor.name}
    if actor.credential is Credential.SESSION:
        person = actor.impersonator_id or actor.user_id
        name = select(AuthUser.name).where(AuthUser.id == person)
        return {"actor_type": "user", "actor_id": str(person), "actor_name": name.scalar_subquery()}
    kind = "anonymous" if actor.user_id is None else "api_key"
    name = select(AuthApiKey.name).where(AuthApiKey.id == actor.credential_id)
    return {"actor_type": kind, "actor_id": str(actor.credential_id), "actor_name": name.scalar_subquery()}


def _origin() -> dict[str, Any]:
    if not has_request_context():
        return {}
    return {
        "ip_address": origin.address(),
        "user_agent": origin.user_agent(),
        "request_id": g.get("request_id"),
    }
