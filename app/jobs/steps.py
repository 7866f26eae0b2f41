"""The notes of steps that jobs have done."""

from __future__ import annotations

from typing import Any

from sqlalchemy.dialects.postgresql import insert
from uuid_utils.compat import uuid7

from app.engine.write.unit_of_work import Unit
from app.jobs.models import PlatformJobStep


def note(unit: Unit, queued_id: int, name: str, result: Any = None) -> bool:
    """Write down that a job has done a step; False where it is written down already. Waits for whoever is at it."""
    values = {"id": uuid7(), "queued_id": queued_id, "name": name, "result": result}
    written = insert(PlatformJobStep).values(values).on_conflict_do_nothing().returning(PlatformJobStep.id)
    return unit.bookkeep_returning(written).first() is not None
