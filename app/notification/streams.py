"""The events of a stream: new notifications of many users are read by one statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from app.auth.credentials.credentials import admits
from app.engine.declare.principal import Credential, Principal
from app.engine.read.encoding import dumps
from app.engine.read.statements import autocommit_connection
from app.foundation.clock import now, wire

# More than so many, or so many bytes, is not replayed: the client is told to load the list anew.
MAX_REPLAYED, MAX_BYTES = 1000, 1024 * 1024
# What one look brings at most; the rest comes with the next.
BATCH_SIZE = 5000

COLUMNS = "n.id, n.user_id, n.sequence, n.type, n.title, n.body, n.data, n.created_at, n.read_at"
SINCE = f"""
SELECT {COLUMNS} FROM unnest(%(users)s::uuid[], %(cursors)s::bigint[]) AS stream(user_id, cursor)
JOIN notification_notification n ON n.user_id = stream.user_id AND n.sequence > stream.cursor
WHERE 'stream' = ANY(n.channels) ORDER BY n.sequence LIMIT %(most)s
"""  # noqa: S608 - constants
NEWEST = "SELECT coalesce(max(sequence), 0) FROM notification_notification WHERE user_id = %(user)s"
DELIVERED = """
UPDATE notification_notification SET delivery_status = 'delivered', delivered_at = %(now)s
WHERE id = ANY(%(ids)s) AND delivery_status IN ('pending', 'failed')
"""
LIVING = {
    Credential.SESSION: """
SELECT held.id, held.address, '{}'::text[] FROM unnest(%(ids)s::uuid[], %(addresses)s::text[]) AS held(id, address)
JOIN auth_session s ON s.id = held.id JOIN auth_user u ON u.id = s.user_id
WHERE s.expires_at > %(now)s
AND NOT (u.banned AND (u.ban_expires IS NULL OR u.ban_expires > %(now)s))
""",
    Credential.KEY: """
SELECT held.id, held.address, k.ip_allow_list
FROM unnest(%(ids)s::uuid[], %(addresses)s::text[]) AS held(id, address)
JOIN auth_api_key k ON k.id = held.id JOIN auth_user u ON u.id = k.user_id
WHERE k.enabled AND k.revoked_at IS NULL AND k.access IS NULL
AND (k.organization_id IS NULL OR EXISTS (
    SELECT FROM auth_member m WHERE m.organization_id = k.organization_id AND m.user_id = k.user_id
    AND m.access IS NULL AND m.team_access IS NULL))
AND (k.expires_at IS NULL OR k.expires_at > %(now)s) AND (k.grace_expires_at IS NULL OR k.grace_expires_at > %(now)s)
AND NOT (u.banned AND (u.ban_expires IS NULL OR u.ban_expires > %(now)s))
""",
}


class Event(NamedTuple):
    """A notification, ready to be sent."""

    id: UUID
    user_id: UUID
    sequence: int
    sent: bytes


@dataclass(frozen=True)
class Replay:
    """What a stream begins with: events after the last one that the client has, and the place they lead to; not
    ``complete`` where there were too many."""

    events: Sequence[Event]
    cursor: int
    complete: bool


def since(cursors: Mapping[UUID, int]) -> list[Event]:
    """The events of some users after the place where each of them is, in order."""
    with autocommit_connection() as connection:
        binds = {"users": list(cursors), "cursors": list(cursors.values()), "most": BATCH_SIZE}
        return [_event(*row) for row in connection.execute(SINCE, binds)]


def replay(user_id: UUID, last: int | None) -> Replay:
    """What ``user_id`` has missed after ``last``; without it nothing, from now on."""
    with autocommit_connection() as connection:
        newest = connection.execute(NEWEST, {"user": user_id}).fetchall()[0][0]
        if last is None or last > newest:
            return Replay((), newest, complete=last is None)
        binds = {"users": [user_id], "cursors": [last], "most": MAX_REPLAYED + 1}
        events = [_event(*row) for row in connection.execute(SINCE, binds)]
    if len(events) > MAX_REPLAYED or sum(len(event.sent) for event in events) > MAX_BYTES:
        return Replay((), newest, complete=False)
    return Replay(events, max([newest, *(event.sequence for event in events)]), complete=True)


def mark_delivered(events: Sequence[Event]) -> None:
    """Note that events were put on their way to a stream."""
    # One statement is a transaction by itself: no BEGIN and COMMIT to wait for.
    with autocommit_connection() as connection:
        connection.execute(DELIVERED, {"ids": [event.id for event in events], "now": now()})


def still_valid(held: Sequence[tuple[Principal, str | None]]) -> set[tuple[UUID, str | None]]:
    """Which of the credentials are still good at the addresses where they are held."""
    found: set[tuple[UUID, str | None]] = set()
    with autocommit_connection() as connection:
        for kind, statement in LIVING.items():
            of_kind = [(each.credential_id, address) for each, address in held if each.credential is kind]
            if of_kind:
                ids, addresses = map(list, zip(*of_kind, strict=True))
                rows = connection.execute(statement, {"ids": ids, "addresses": addresses, "now": now()})
                found |= {(identifier, address) for identifier, address, allowed in rows if admits(allowed, address)}
    return found


def _event(identifier: UUID, user_id: UUID, sequence: int, *rest: Any) -> Event:
    type_, title, body, data, created_at, read_at = rest
    shown = {
        "id": identifier, "userId": user_id, "type": type_, "title": title, "body": body, "data": data,
        "createdAt": wire(created_at), "readAt": wire(read_at) if read_at else None,
    }  # fmt: skip
    return Event(identifier, user_id, sequence, b"id: %d\ndata: %s\n\n" % (sequence, dumps(shown)))
