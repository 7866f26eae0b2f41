"""Leases: the hold of a request on its idempotency key over several transactions.

What is done is noted beside the key, in the transaction that does it. A process that dies holds the key until its lease
is over; whoever sends the request again then goes on behind what was done. A holder that is taken for dead meanwhile
writes nothing more.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import orjson

from app.engine.declare.principal import SYSTEM
from app.engine.read.database import LostRace, OutcomeUnknown
from app.engine.read.statements import driver_connection
from app.engine.write import idempotency
from app.engine.write.idempotency import IdempotentRequest, StoredAnswer
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import Conflict, Failure

# So long without a sign of life.
LEASE = timedelta(seconds=90)

HELD = "principal = %(owner)s AND key = %(key)s AND request_hash = %(digest)s AND status = 'running'"
# Locked, as its holder may be about to commit more.
LEFT = f"""
SELECT progress, leased_until FROM platform_idempotency_key WHERE {HELD} AND expires_at > %(now)s FOR UPDATE
"""  # noqa: S608
RENEW = f"""
UPDATE platform_idempotency_key SET leased_until = %(until)s, progress = %(progress)s::jsonb
WHERE {HELD} AND leased_until = %(held)s
"""  # noqa: S608
# Whether the last renewal counts may be unknown; that of a successor is later.
RELEASE = f"""
WITH left_behind AS (
    UPDATE platform_idempotency_key SET leased_until = %(now)s
    WHERE {HELD} AND leased_until <= %(latest)s AND progress IS NOT NULL)
DELETE FROM platform_idempotency_key WHERE {HELD} AND leased_until <= %(latest)s AND progress IS NULL
"""  # noqa: S608


class LeaseLost(Conflict):
    """Somebody else goes on with the work of a holder who gave no sign of life."""

    text = "Another request with this idempotency key goes on with the work"


@dataclass
class Lease:
    """A key that is held until a moment, and what an earlier holder has done of the work."""

    request: IdempotentRequest
    until: datetime
    progress: Any = None
    _latest: datetime | None = None

    def renew(self, unit: Unit, progress: Any) -> None:
        """Hold the key for as long again, and note what is done with this transaction. Raises LeaseLost."""
        until = max(now() + LEASE, self.until + timedelta(milliseconds=1))
        values = {"until": until, "held": self.until, "progress": orjson.dumps(progress).decode()}
        if not driver_connection(unit.session).execute(RENEW, self._named | values).rowcount:
            raise LeaseLost()
        self._latest = until
        unit.after_commit(partial(setattr, self, "until", until))
        unit.after_commit(partial(setattr, self, "progress", progress))

    def complete(self, unit: Unit, answer: StoredAnswer) -> None:
        """Keep the answer to the work, which is done. Raises LeaseLost."""
        self.renew(unit, self.progress)
        idempotency.remember(unit, self.request, answer)

    def release(self) -> None:
        """Give the key up, so that the work may be tried again, behind what is done of it."""
        latest = self._latest or self.until
        run_unit(SYSTEM, _execute, RELEASE, self._named | {"latest": latest, "now": now()})

    @property
    def _named(self) -> dict[str, Any]:
        return {"owner": self.request.owner, "key": self.request.key, "digest": self.request.digest}


def claim(request: IdempotentRequest) -> Lease | StoredAnswer:
    """Hold the key, or return the answer that is kept. Raises as ``idempotency.begin`` does."""
    lease = Lease(request, now() + LEASE)
    try:
        return run_unit(request.principal, _claim, lease) or lease
    except OutcomeUnknown:
        with suppress(Failure):
            lease.release()
        raise


def _claim(unit: Unit, lease: Lease) -> StoredAnswer | None:
    request = lease.request
    # Two requests may not hold a key by lease: the second look is younger than the lock.
    found = idempotency.begin(unit, request, resumes=True) or idempotency.begin(unit, request, resumes=True)
    if found is None:
        left = driver_connection(unit.session).execute(LEFT, lease._named | {"now": now()}).fetchone()
        lease.progress, held_until = left or (None, None)
        if held_until is not None and held_until > now():
            raise LostRace()
        idempotency.write(unit, request, "running", StoredAnswer(0, ""), lease.until, lease.progress)
    return found


def _execute(unit: Unit, statement: str, parameters: dict[str, Any]) -> int:
    return driver_connection(unit.session).execute(statement, parameters).rowcount
