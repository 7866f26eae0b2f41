"""The queue: a job is written in the transaction of its row, so that both are committed or neither is."""

from __future__ import annotations

from functools import cache
from typing import Any
from uuid import UUID

import procrastinate
from procrastinate.exceptions import ConnectorException
from sqlalchemy import text

from app.engine.declare.principal import Credential
from app.engine.read.statements import driver_connection
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Forbidden, RateLimited

# Files may take long to read, and vectors to make: they have slots of their own among the jobs that are done at once.
DEFAULT_QUEUE, FILES, VECTORS = "default", "files", "vectors"
# Filled by the plugins: the queue of a job that is not in the default one.
QUEUES: dict[str, str] = {}

# Jobs that may wait for one user.
MAX_WAITING = 1000
RETRY_AFTER = {"Retry-After": "60"}
OF_USER = "user "
WAITING = text("""
SELECT count(*) FROM (SELECT FROM procrastinate_jobs WHERE lock = :lock AND status = 'todo' LIMIT :most) AS waiting
""")


def defer(
    unit: Unit, task: str, row_id: UUID, /, *, user_id: UUID | None = None, one_of: UUID | None = None,
    on_behalf: bool = False, **more: Any,
) -> None:  # fmt: skip
    """Have ``task`` done about a row once ``unit`` is committed. Jobs of one user are done one at
    a time, so that they leave room for those of others, and the more of them wait, the later they come; those of a task
    with the same ``one_of`` are done one at a time, in order. A job ``on_behalf`` of the user does what the user
    may do. ``more`` is given to the task as well, as JSON.

    Raises Forbidden where a key with grants, which would not narrow the job, asks for one on behalf of its owner; and
    RateLimited when MAX_WAITING jobs of the user wait, unless the service itself asks: a job that follows from another
    one takes its turn.
    """
    if on_behalf and unit.principal.narrowing is not None and unit.principal.narrowing.is_of_key:
        raise Forbidden("A key with grants starts no work that goes on in the name of its owner")
    lock = f"{OF_USER}{user_id}" if user_id else f"{task} {one_of}" if one_of else None
    waiting = unit.session.scalar(WAITING, {"lock": lock, "most": MAX_WAITING}) or 0 if user_id else 0
    if waiting == MAX_WAITING and unit.principal.credential is not Credential.SYSTEM:
        raise RateLimited("Too many of your jobs wait", headers=RETRY_AFTER)
    configured = _queue().configure_task(
        task, allow_unknown=True, connection=driver_connection(unit.session), lock=lock,
        queue=QUEUES.get(task, DEFAULT_QUEUE), priority=-waiting,
    )  # fmt: skip
    try:
        configured.defer(row_id=str(row_id), **more)
    except ConnectorException as error:
        # The library wraps what the driver says, which the transaction translates.
        raise error.__cause__ or error from None


@cache
def _queue() -> procrastinate.App:
    # Jobs go over the connection of the transaction; this one is never opened.
    return procrastinate.App(connector=procrastinate.SyncPsycopgConnector())
