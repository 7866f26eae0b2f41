"""The audit log: who changed what, written in the transaction of the change and never changed again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

import orjson
from flask import g, has_request_context
from sqlalchemy import select
from sqlalchemy.orm import Session

from app import origin
from app.encoding import dumps
from app.models.auth.identity import AuthUser
from app.models.auth.keys import AuthApiKey
from app.models.base import STAMPS, Record
from app.models.columns import DIGEST, ENCRYPTED, HIDDEN, WRITE_ONLY
from app.models.platform import PlatformAuditLog
from app.principal import Credential, Principal

SECRET = {HIDDEN, WRITE_ONLY, ENCRYPTED, DIGEST}
LONGEST_TEXT = 2000

# What the owner of a row keeps there is nobody else's.
PRIVATE = "metadata_"

Values = Mapping[str, Any]
Actor = Principal | AuthUser | None


def written(session: Session, actor: Actor, verb: str, record: Record, before: Values | None = None) -> None:
    """Note that ``actor`` created, changed or deleted ``record``; ``before`` has what the changed attributes were.
    Without an actor it was the service itself, or somebody without a credential."""
    names: Iterable[str] = before or ()
    if verb == "create":
        names = _given(record)
    changes = {
        record.fields()[name].name: {"before": (before or {}).get(name), "after": getattr(record, name)}
        for name in names
        if _may_be_shown(record, name)
    }
    note(session, actor, f"{_stem(type(record))}.{verb}", record, changes=_plain(changes))


def note(
    session: Session,
    actor: Actor,
    action: str,
    target: Record,
    *,
    changes: Values | None = None,
    outcome: str = "success",
) -> None:
    """Write one row: ``action`` is domain.model.verb."""
    row = PlatformAuditLog(
        action=action,
        target_type=target.qualified_name(),
        target_id=str(target.id),
        organization_id=_organization_of(target, session),
        outcome=outcome,
        changes=dict(changes or {}),
        **_actor(actor),
        **_origin(),
    )
    session.add(row)


def _stem(model: type[Record]) -> str:
    """The start of the names of what can happen to ``model``: ``auth.api_key``."""
    return f"{model.domain}.{model.segment}".replace("-", "_")


def _given(record: Record) -> list[str]:
    """The attributes that a new record has values in."""
    return [name for name, field in record.fields().items() if field.column is not None and name not in STAMPS]


def _may_be_shown(record: Record, attribute: str) -> bool:
    field = record.fields()[attribute]
    if field.column is None or field.wire.marks & SECRET or attribute == PRIVATE:
        return False
    value = getattr(record, attribute)
    return not (isinstance(value, str) and len(value) > LONGEST_TEXT)


def _plain(changes: Values) -> dict[str, Any]:
    """The changes as plain JSON: ids and times as text."""
    plain: dict[str, Any] = orjson.loads(dumps(changes))
    return plain


def _organization_of(target: Record, session: Session) -> UUID | None:
    """The organization it happened in: the one of the row, of its parent, or the row itself."""
    if target.__tablename__ == "auth_organization":
        return target.id
    own: UUID | None = getattr(target, "organization_id", None)
    if own is None and target.__tablename__ == "auth_team_member":
        with session.no_autoflush:
            return session.get_one(target.target("team_id"), target.team_id).organization_id  # type: ignore[attr-defined]
    return own


def _actor(actor: Actor) -> dict[str, Any]:
    if isinstance(actor, AuthUser):
        return {"actor_type": "user", "actor_id": str(actor.id), "actor_name": actor.name}
    if actor is None:
        return {"actor_type": "anonymous" if has_request_context() else "system"}
    if actor.credential is Credential.SESSION:
        name = select(AuthUser.name).where(AuthUser.id == actor.user_id)
        return {"actor_type": "user", "actor_id": str(actor.user_id), "actor_name": name.scalar_subquery()}
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
