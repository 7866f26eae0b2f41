"""The queue: a job is written in the transaction of its row, so that both are committed or neither is."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

import procrastinate
from procrastinate.exceptions import ConnectorException
from sqlalchemy import text, update
from uuid_utils.compat import uuid7

from app.engine.declare.principal import Credential
from app.engine.read.statements import driver_connection
from app.engine.write.unit_of_work import Unit
from app.foundation.clock import now
from app.foundation.errors import Forbidden, RateLimited
from app.jobs import steps
from app.jobs.models import PlatformJob

# Files may take long to read, and vectors to make: they have slots of their own among the jobs that are done at once.
DEFAULT_QUEUE, FILES, VECTORS = "default", "files", "vectors"
# Filled by the plugins: the queue of a job that is not in the default one.
QUEUES: dict[str, str] = {}

# Jobs that may wait for one user.
MAX_WAITING = 1000
RETRY_AFTER = {"Retry-After": "60"}
OF_USER = "user "
# Those of a user that have their turn, or their moment, still before them.
WAITING = text("""
SELECT count(*) FROM (
    SELECT FROM procrastinate_jobs
    WHERE status = 'todo' AND (lock = :lock OR task_name = :later AND args->>'lock' = :lock)
    LIMIT :most
) AS waiting
""")
# Begins a job at its moment.
BEGIN_LATER = "begin_later"


def defer(
    unit: Unit, task: str, row_id: UUID, /, *, user_id: UUID | None = None, one_of: UUID | None = None,
    at: datetime | None = None, followed: bool = False, on_behalf: bool = False, **more: Any,
) -> UUID | None:  # fmt: skip
    """Have ``task`` done about a row once ``unit`` is committed, or not before ``at``. Jobs of one user are done one at
    a time, so that they leave room for those of others, and the more of them wait, the later they come; those of a task
    with the same ``one_of`` are done one at a time, in order. A job ``on_behalf`` of the user does what the user
    may do. A job that is ``followed`` has a record of its user, a ``PlatformJob`` whose id is returned. ``more`` is
    given to the task as well, as JSON.

    Raises Forbidden where a key with grants, which would not narrow the job, asks for one on behalf of its owner; and
    RateLimited when MAX_WAITING jobs of the user wait, unless the service itself asks: a job that follows from another
    one takes its turn.
    """
    if on_behalf and unit.principal.narrowing is not None and unit.principal.narrowing.is_of_key:
        raise Forbidden("A key with grants starts no work that goes on in the name of its owner")
    if followed and user_id is None:
        raise ValueError("A job that is followed is a user's")
    identifier = uuid7() if followed else None
    given = {"row_id": str(row_id), **more} | ({"followed": str(identifier)} if followed else {})
    lock = f"{OF_USER}{user_id}" if user_id else f"{task} {one_of}" if one_of else None
    if at is None or at <= now():
        number = put(unit, task, lock, given)
    else:
        # A job that waited for its moment in a lock would hold up all that come later: it takes the lock at its moment.
        number = put(unit, BEGIN_LATER, None, {"task": task, "lock": lock, "given": given}, at=at)
    if followed:
        unit.store(
            PlatformJob(id=identifier, user_id=user_id, task=task, record_id=row_id, due_at=at, queued_id=number)
        )
    return identifier


def begin(unit: Unit, waited: int, task: str, lock: str | None, given: dict[str, Any]) -> None:
    """Write a job whose moment has come into the queue: once, however often the one that ``waited`` is done."""
    if not steps.note(unit, waited, BEGIN_LATER):
        return
    number = put(unit, task, lock, given)
    if "followed" in given:
        unit.bookkeep(update(PlatformJob).where(PlatformJob.id == UUID(given["followed"])).values(queued_id=number))


def put(
    unit: Unit, task: str, lock: str | None, given: dict[str, Any], *, at: datetime | None = None
) -> int:  # fmt: skip
    """Write a job into the queue, and return its number; raises RateLimited as ``defer`` does."""
    owner = next((each for each in (lock, given.get("lock")) if each and each.startswith(OF_USER)), None)
    waiting = unit.session.scalar(WAITING, {"lock": owner, "later": BEGIN_LATER, "most": MAX_WAITING}) if owner else 0
    if waiting == MAX_WAITING and unit.principal.credential is not Credential.SYSTEM:
        raise RateLimited("Too many of your jobs wait", headers=RETRY_AFTER)
    configured = _queue().configure_task(
        task, allow_unknown=True, connection=driver_connection(unit.session), lock=lock, schedule_at=at,
        queue=QUEUES.get(task, DEFAULT_QUEUE), priority=-(waiting or 0) if at is None else 0,
    )  # fmt: skip
    try:
        return configured.defer(**given)
    except ConnectorException as error:
        # The library wraps what the driver says, which the transaction translates.
        raise error.__cause__ or error from None


@cache
def _queue() -> procrastinate.App:
    # Jobs go over the connection of the transaction; this one is never opened.
    return procrastinate.App(connector=procrastinate.SyncPsycopgConnector())
