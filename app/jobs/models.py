"""The jobs that somebody follows, and the steps that jobs remember."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import column, enum, integer, json, number, reference, string, timestamp
from app.engine.declare.indexes import index, unique
from app.engine.declare.kind import Identifier
from app.engine.declare.kinds import SAFE_MAX
from app.engine.declare.record import Base

MAX_RESULT_BYTES = 65_536


class PlatformJob(Base):
    """Work that a user waits for: how far it has come, and what came of it."""

    __tablename__ = "platform_job"
    keys = (index("user_id", "-created_at"), index("ended_at"))
    transitions = {
        "status": {
            "waiting": ["running", "failed", "cancelled"],
            "running": ["waiting", "succeeded", "failed", "cancelled"],
            "succeeded": [],
            "failed": ["running"],
            "cancelled": [],
        }
    }

    user_id: Mapped[UUID] = reference("auth_user", "cascade")
    task: Mapped[str] = string(min=1, max=100)
    record_id: Mapped[UUID] = column(Identifier(), note="no foreign key: it may be of any model")
    status: Mapped[str] = enum("waiting", "running", "succeeded", "failed", "cancelled", default="waiting")
    progress: Mapped[float] = number(min=0, max=1, default=0)
    message: Mapped[str | None] = string(max=300, note="what it is at")
    result: Mapped[Any | None] = json(max_bytes=MAX_RESULT_BYTES)
    error_message: Mapped[str | None] = string(max=1000)
    due_at: Mapped[datetime | None] = timestamp(note="where it was asked for at a moment")
    started_at: Mapped[datetime | None] = timestamp()
    ended_at: Mapped[datetime | None] = timestamp()
    queued_id: Mapped[int] = integer(min=1, max=SAFE_MAX, note="its number in the queue")


class PlatformJobStep(Base):
    """A step that a job has done, so that it is not done twice."""

    __tablename__ = "platform_job_step"
    keys = (unique("queued_id", "name"), index("created_at"))

    queued_id: Mapped[int] = integer(min=1, max=SAFE_MAX, note="the number of the job in the queue, whose row may go")
    name: Mapped[str] = string(min=1, max=100)
    result: Mapped[Any | None] = json(max_bytes=MAX_RESULT_BYTES)
