"""Who changes rows, for which request, and in which transaction: what the log of changes has beside each change.

The triggers read it from a setting of PostgreSQL. It is set with the beginning of a transaction, or inside of the
statement that is one, and ends with it, so that a connection never tells of somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from uuid import UUID

from uuid_utils import uuid4

from app.runtime import logs

SETTING = "rowgate.context"
SET_INSIDE = f"(SELECT set_config('{SETTING}', %(change_context)s, true)) AS change_context"


@dataclass
class Origin:
    """What makes changes: a request, or with ``is_job`` a job. All that it changes is one ``transaction``, a random id,
    to those who read the log, so that it can be undone as one."""

    is_job: bool = False
    transaction: str = field(default_factory=lambda: str(uuid4()))


# Of a request that has written nothing so far.
UNWRITTEN = Origin(transaction="")
# The running request or job; what belongs to neither is an origin of its own each time.
origin: ContextVar[Origin | None] = ContextVar("origin", default=None)
# What a connection tells the server as a transaction begins.
_running: ContextVar[str] = ContextVar("change_context", default="")


@contextmanager
def of_job(transaction: UUID | None = None) -> Iterator[None]:
    """Have what is done within be of a job, and one ``transaction``, a new one unless it is given."""
    token = origin.set(Origin(is_job=True) if transaction is None else Origin(True, str(transaction)))
    try:
        yield
    finally:
        origin.reset(token)


def written_transaction() -> str | None:
    """The transaction of the running request, if it has begun to write."""
    running = origin.get()
    return running.transaction or None if running is not None else None


def describe(actor: str, actor_id: UUID | None) -> str:
    """What the triggers read: the ``actor`` (user, key or system), its id, the request and the transaction."""
    running = origin.get()
    if running is UNWRITTEN:
        running = Origin()
        origin.set(running)
    elif running is None:
        return f"{actor}|{actor_id or ''}||{uuid4()}"
    if running.is_job:
        return f"{'job' if actor == 'system' else actor}|{actor_id or ''}||{running.transaction}"
    return f"{actor}|{actor_id or ''}|{logs.request_id.get()}|{running.transaction}"


@contextmanager
def transactions_of(context: str) -> Iterator[None]:
    """Have transactions that begin within tell of ``context``."""
    token = _running.set(context)
    try:
        yield
    finally:
        _running.reset(token)


def command() -> bytes:
    """What follows BEGIN; nothing where nobody writes."""
    context = _running.get()
    return f"SET LOCAL {SETTING} = '{context}'".encode() if context else b""
