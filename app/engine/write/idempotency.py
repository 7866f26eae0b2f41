"""Idempotency keys (draft-ietf-httpapi-idempotency-key-header): an answer is kept in the transaction of the write that
it answers, so that a crash leaves both or neither, and is given again to whoever sends the same request again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import orjson
from flask import current_app
from sqlalchemy.orm import Mapped
from uuid_utils.compat import uuid7

from app.engine.declare.fields import FromNow, boolean, column, enum, integer, json, string, timestamp
from app.engine.declare.indexes import add_indexes, index, unique
from app.engine.declare.kind import Identifier
from app.engine.declare.principal import ROLES, SYSTEM, Principal
from app.engine.declare.record import Base
from app.engine.read.database import LostRace
from app.engine.read.statements import autocommit_connection, driver_connection
from app.engine.write import kept_bytes
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Conflict, Forbidden, IdempotencyKeyReused

EXPIRED_BATCH_SIZE = 5000


class PlatformIdempotencyKey(Base):
    """Remembered answer to a write sent with an idempotency key."""

    __tablename__ = "platform_idempotency_key"
    keys = (
        unique("principal", "key"),
        index("expires_at"),
    )
    transitions = {"status": {"running": ["completed"], "completed": []}}

    principal: Mapped[str] = string(min=1, max=80, note="user, key or address the request came from")
    key: Mapped[str] = string(min=1, max=255)
    method: Mapped[str] = string(min=3, max=10)
    path: Mapped[str] = string(min=1, max=2048)
    request_hash: Mapped[str] = string(min=64, max=64, note="same key with another body is refused")
    status: Mapped[str] = enum("running", "completed", default="running")
    response_status: Mapped[int | None] = integer(min=100, max=599)
    response_body: Mapped[Any | None] = json(max_bytes=1_048_576, note="once-only secrets left out")
    response_etag: Mapped[str | None] = string(max=120)
    transaction_id: Mapped[UUID | None] = column(Identifier(), note="the transaction that the answer names")
    response_bytes: Mapped[int] = integer(min=0, max=1_048_576, default=0, server_default="0")
    truncated: Mapped[bool] = boolean(default=False, server_default="false")
    standing: Mapped[Any] = json(shape="object", default={}, server_default="{}", note="rights of the caller then")
    leased_until: Mapped[datetime | None] = timestamp(note="work of several transactions holds the key until then")
    progress: Mapped[Any | None] = json(max_bytes=1_048_576, note="what is done of that work")
    expires_at: Mapped[datetime] = timestamp(default=FromNow(timedelta(days=1)))


add_indexes(PlatformIdempotencyKey)


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """A request with a key: ``digest`` is the SHA-256 of all that makes it this request and no other."""

    principal: Principal
    key: str
    method: str
    path: str
    digest: str

    @property
    def owner(self) -> str:
        return f"user:{self.principal.user_id}"


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """What is kept of an answer: its bytes as text, or with ``truncated`` ids and versions alone; and the transaction
    that it is of."""

    status: int
    body: str
    etag: str | None = None
    truncated: bool = False
    transaction: str | None = None


# Lock and look in one round trip. The snapshot may be older than what the last holder has committed: what comes of that
# is with ``begin``. Locks of two numbers are apart from those that units take by name.
HOLD = """
SELECT held.is_held, kept.request_hash, kept.status, kept.response_status, kept.response_body, kept.response_etag,
    kept.truncated, kept.transaction_id, kept.standing, kept.leased_until, kept.progress IS NOT NULL
FROM (SELECT pg_try_advisory_xact_lock(1, hashtext(%(owner)s || ' ' || %(key)s)) AS is_held) AS held
LEFT JOIN platform_idempotency_key AS kept
    ON kept.principal = %(owner)s AND kept.key = %(key)s AND kept.expires_at > %(now)s
"""
IS_KEPT = """
SELECT 1 FROM platform_idempotency_key
WHERE principal = %(owner)s AND key = %(key)s AND expires_at > %(now)s AND status = 'completed'
"""
# The rights that the answer was given by are those that its own write has left: who gives up an organization, and does
# not hear of it, may ask again.
REMEMBER = """
INSERT INTO platform_idempotency_key AS kept (id, created_at, updated_at, principal, key, method, path, request_hash,
    status, response_status, response_body, response_etag, response_bytes, truncated, transaction_id, leased_until,
    progress, standing, expires_at)
VALUES (%(id)s, %(now)s, %(now)s, %(owner)s, %(key)s, %(method)s, %(path)s, %(digest)s, %(state)s, %(status)s,
    %(body)s::jsonb, %(etag)s, %(bytes)s, %(truncated)s, %(transaction)s, %(leased_until)s,
    %(progress)s::jsonb, jsonb_build_object('admin', %(admin)s::boolean, 'narrowed', %(narrowed)s::text,
        'recipients', %(recipients)s::text[], 'roles', (
        SELECT coalesce(jsonb_object_agg(organization_id, role), '{}') FROM auth_member
        WHERE user_id = %(user)s AND organization_id = ANY(%(organizations)s::uuid[]))), %(expires_at)s)
ON CONFLICT (principal, key) DO UPDATE SET created_at = excluded.created_at, updated_at = excluded.updated_at,
    method = excluded.method, path = excluded.path, request_hash = excluded.request_hash, status = excluded.status,
    response_status = excluded.response_status, response_body = excluded.response_body,
    response_etag = excluded.response_etag, response_bytes = excluded.response_bytes, truncated = excluded.truncated,
    transaction_id = excluded.transaction_id, leased_until = excluded.leased_until, progress = excluded.progress,
    standing = excluded.standing,
    expires_at = excluded.expires_at
WHERE kept.expires_at <= %(now)s OR (kept.status = 'running' AND kept.request_hash = excluded.request_hash)
"""
REMOVE_EXPIRED = """
DELETE FROM platform_idempotency_key WHERE id IN (
    SELECT id FROM platform_idempotency_key WHERE expires_at <= %(now)s LIMIT %(most)s FOR UPDATE SKIP LOCKED)
"""


def begin(unit: Unit, request: IdempotentRequest, *, resumes: bool = False) -> StoredAnswer | None:
    """Return the answer that is kept under the key, or hold the key until the end of the transaction. One whose lease
    is over is free, that of work which is done in part only to whoever ``resumes`` behind it.

    Whoever held the key until a moment ago may have kept an answer that is not seen yet: ``remember`` fails then, and
    where the work itself does, ``has_answer`` tells. Raises Conflict while another request holds the key,
    IdempotencyKeyReused when the key came with another request, and Forbidden when the caller has lost a right that
    the answer was given by.
    """
    ((is_held, *found),) = driver_connection(unit.session).execute(HOLD, _wanted(request)).fetchall()
    digest, state, status, body, etag, truncated, transaction, standing, leased_until, has_progress = found
    if digest is not None and digest != request.digest:
        raise IdempotencyKeyReused()
    lease_expired = (
        state == "running" and leased_until is not None and leased_until <= now() and (resumes or not has_progress)
    )
    if is_held and (digest is None or lease_expired):
        return None
    if digest is None or state == "running":
        raise Conflict("A request with this idempotency key is being worked on", headers={"Retry-After": "1"})
    if not _still_authorized(standing, request.principal):
        raise Forbidden("A right that the kept answer was given by has ended")
    return StoredAnswer(status, body, etag, truncated, transaction and str(transaction))


def has_answer(request: IdempotentRequest) -> bool:
    """Whether an answer to a request with this key is there by now, looked at outside of the transaction."""
    with autocommit_connection() as connection:
        return connection.execute(IS_KEPT, _wanted(request)).fetchone() is not None


def remember(unit: Unit, request: IdempotentRequest, answer: StoredAnswer) -> None:
    """Keep ``answer`` in the transaction of what it answers. Raises LostRace when the key was used meanwhile."""
    write(unit, request, "completed", answer)


def remove_expired() -> None:
    """Remove answers whose time is over, as periodic work."""
    while run_unit(SYSTEM, _execute, REMOVE_EXPIRED, {"now": now(), "most": EXPIRED_BATCH_SIZE}) == EXPIRED_BATCH_SIZE:
        pass
    run_unit(SYSTEM, kept_bytes.remove_unused)


def _wanted(request: IdempotentRequest) -> dict[str, Any]:
    return {"owner": request.owner, "key": request.key, "now": now()}


def write(
    unit: Unit, request: IdempotentRequest, state: str, answer: StoredAnswer, leased_until: datetime | None = None,
    progress: Any = None,
) -> None:  # fmt: skip
    """Write what is known of the key. Raises LostRace when somebody else has done so meanwhile."""
    expires_at = now() + timedelta(hours=current_app.config["SETTINGS"].idempotency_hours)
    parameters = {
        "id": uuid7(), "now": now(), "owner": request.owner, "key": request.key, "method": request.method,
        "path": request.path, "digest": request.digest, "state": state, "status": answer.status or None,
        "body": orjson.dumps(answer.body).decode(), "etag": answer.etag, "bytes": len(answer.body),
        "truncated": answer.truncated, "transaction": answer.transaction,
        "admin": request.principal.is_admin, "user": request.principal.user_id, "expires_at": expires_at,
        "narrowed": request.principal.grants_hash, "recipients": sorted(request.principal.recipients),
        "organizations": f"{{{','.join(map(str, request.principal.organizations()))}}}",
        "leased_until": leased_until, "progress": None if progress is None else orjson.dumps(progress).decode(),
    }  # fmt: skip
    if not driver_connection(unit.session).execute(REMEMBER, parameters).rowcount:
        raise LostRace()


def _execute(unit: Unit, statement: str, parameters: dict[str, Any]) -> int:
    return driver_connection(unit.session).execute(statement, parameters).rowcount


def _still_authorized(standing: dict[str, Any], principal: Principal) -> bool:
    """Whether the caller has every right today that the answer was given by, and is narrowed by the same grants."""
    if standing.get("narrowed", "") != principal.grants_hash:
        return False
    if not principal.recipients.keys() >= set(standing.get("recipients", ())):
        return False
    if standing["admin"]:
        return principal.is_admin
    today = {str(organization): role for organization, role in principal.memberships.items()}
    return all(
        organization in today and ROLES.index(today[organization]) <= ROLES.index(role)
        for organization, role in standing["roles"].items()
    )
