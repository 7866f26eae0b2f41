"""How many bytes of answers each user keeps under idempotency keys, counted in the database, wherever he is served.

The count rises with each answer, in its transaction: whoever counts holds the row until the commit, so that answers of
other workers wait and none is left out. Answers that expire are not taken off, which would cost each removal: when the
count reaches the bound, it is taken anew, once a minute at most.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Mapped
from uuid_utils.compat import uuid7

from app.engine.declare.fields import NOW, integer, string, timestamp
from app.engine.declare.indexes import add_indexes, unique
from app.engine.declare.kinds import SAFE_MAX
from app.engine.declare.record import Base
from app.engine.read.statements import driver_connection
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now

# Of answers beyond these only the ids and versions are kept: of one answer, and of all whole answers of one user.
MAX_ANSWER_BYTES, MAX_KEPT_BYTES = 256 * 1024, 50 * 1024 * 1024
RECOUNT_EVERY = timedelta(minutes=1)


class PlatformKeptBytes(Base):
    """Bytes of the whole answers that an owner keeps under idempotency keys, with expired ones until the next count."""

    __tablename__ = "platform_kept_bytes"
    keys = (unique("principal"),)

    principal: Mapped[str] = string(min=1, max=80, note="as of the answers")
    bytes: Mapped[int] = integer(min=0, max=SAFE_MAX)
    counted_at: Mapped[datetime] = timestamp(default=NOW)


add_indexes(PlatformKeptBytes)


# A row that has no room left is locked as well.
TAKE_ROOM = """
INSERT INTO platform_kept_bytes AS kept (id, created_at, updated_at, principal, bytes, counted_at)
VALUES (%(id)s, %(now)s, %(now)s, %(owner)s, %(size)s, %(now)s)
ON CONFLICT (principal) DO UPDATE SET bytes = kept.bytes + excluded.bytes, updated_at = excluded.updated_at
WHERE kept.bytes + excluded.bytes <= %(most)s
"""
COUNT_ANEW = """
UPDATE platform_kept_bytes SET updated_at = %(now)s, counted_at = %(now)s, bytes = (
    SELECT coalesce(sum(response_bytes), 0) FROM platform_idempotency_key
    WHERE principal = %(owner)s AND NOT truncated)
WHERE principal = %(owner)s AND counted_at <= %(counted_before)s
"""
REMOVE_UNUSED = """
DELETE FROM platform_kept_bytes AS kept WHERE updated_at <= %(unused_since)s AND NOT EXISTS (
    SELECT 1 FROM platform_idempotency_key AS answer WHERE answer.principal = kept.principal)
"""


def reserve_bytes(unit: Unit, owner: str, size: int) -> bool:
    """Whether an answer of so many bytes may be kept whole beside the others of its owner; it counts from then on,
    where the unit is committed."""
    if size > min(MAX_ANSWER_BYTES, MAX_KEPT_BYTES):
        return False
    moment = now()
    parameters: dict[str, Any] = {
        "id": uuid7(), "now": moment, "owner": owner, "size": size, "most": MAX_KEPT_BYTES,
        "counted_before": moment - RECOUNT_EVERY,
    }  # fmt: skip
    connection = driver_connection(unit.session)
    if connection.execute(TAKE_ROOM, parameters).rowcount:
        return True
    # The statement begins behind the lock, and so sees all that others have kept.
    is_recounted = connection.execute(COUNT_ANEW, parameters).rowcount
    return bool(is_recounted and connection.execute(TAKE_ROOM, parameters).rowcount)


def remove_unused(unit: Unit) -> None:
    """Remove the counts of those who keep nothing any more, as periodic work."""
    driver_connection(unit.session).execute(REMOVE_UNUSED, {"unused_since": now() - timedelta(days=1)})
