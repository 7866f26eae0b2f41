"""The inbox: an inbound event is stored once, with its job, before it is processed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert
from uuid_utils.compat import uuid7

from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.jobs import queue
from app.teams.models import IntegrationInboundEvent

log = logging.getLogger(__name__)

PROCESS = "process_inbound_event"
MAX_BYTES = 262_144
MAX_KEY_LENGTH, MAX_ERROR_LENGTH = 600, 1000
OPEN = ("received", "processing", "failed")
DONE = ("processed", "ignored")
RETENTION = timedelta(days=3)

Work = Callable[[Unit, IntegrationInboundEvent], None]


@dataclass(frozen=True)
class Arrival:
    """Something that was sent: what it is, and the key by which a repetition is known."""

    source: str
    kind: str
    key: str
    payload: Mapping[str, Any]


def receive(unit: Unit, arrivals: Sequence[Arrival]) -> list[UUID]:
    """Store what is new, each with its job in the same transaction; returns the ids of the new ones. Raises Unavailable
    where nothing could be stored, so that the sender tries again. What is too large to keep is left out."""
    ids = []
    for arrival in arrivals:
        if len(orjson.dumps(arrival.payload)) > MAX_BYTES:
            log.warning("An event of %s is too large to be kept", arrival.source)
            continue
        values = {
            "id": uuid7(), "source": arrival.source, "kind": arrival.kind, "payload": dict(arrival.payload),
            "dedupe_key": arrival.key[:MAX_KEY_LENGTH], "status": "received", "attempts": 0,
        }  # fmt: skip
        fresh = insert(IntegrationInboundEvent).values(values).on_conflict_do_nothing(index_elements=["dedupe_key"])
        identifier = unit.bookkeep_returning(fresh.returning(IntegrationInboundEvent.id)).scalar()
        if identifier is not None:
            queue.defer(unit, PROCESS, identifier)
            ids.append(identifier)
    return ids


def arrived_at(key: str) -> datetime | None:
    """When what is known by ``key`` came for the first time."""
    event = IntegrationInboundEvent
    with reading() as session:
        return session.scalar(select(event.created_at).where(event.dedupe_key == key[:MAX_KEY_LENGTH]))


def process(event_id: UUID, work: Work, *, wait: bool) -> bool:
    """Do ``work`` about an event that waits, in the transaction that marks it as done: however often this is begun, and
    wherever it is killed, the effects are there once or not at all. Whether it is done now; somebody else at it is
    waited for, or left to it. A failure is noted and raised."""
    try:
        return run_unit(SYSTEM, _process, event_id, work, wait=wait)
    except Exception as error:
        _note_failure(event_id, error)
        raise


def _process(unit: Unit, event_id: UUID, work: Work, *, wait: bool) -> bool:
    event = unit.session.get(IntegrationInboundEvent, event_id, with_for_update={"skip_locked": not wait})
    if event is None or event.status not in OPEN:
        return event is not None
    event.status, event.attempts = "processing", event.attempts + 1
    work(unit, event)
    if event.status == "processing":
        event.status = "processed"
    event.processed_at, event.error_message = now(), None
    return True


def expire() -> None:
    """Delete events that are done, or have failed for good, and are so old that nobody repeats them."""
    done = (
        IntegrationInboundEvent.status.in_((*DONE, "failed")),
        IntegrationInboundEvent.created_at < now() - RETENTION,
    )
    run_unit(SYSTEM, Unit.bookkeep, delete(IntegrationInboundEvent).where(*done))


def digest_of(value: Mapping[str, Any]) -> str:
    """What tells one thing that was sent from another, where it has no id."""
    return sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _note_failure(event_id: UUID, error: Exception) -> None:
    event = IntegrationInboundEvent
    failed = update(event).where(event.id == event_id, event.status.in_(OPEN))
    text = f"{type(error).__name__}: {error}".replace("\0", "")[:MAX_ERROR_LENGTH]
    run_unit(SYSTEM, Unit.bookkeep, failed.values(status="failed", attempts=event.attempts + 1, error_message=text))
