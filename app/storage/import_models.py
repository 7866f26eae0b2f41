"""The table of imports that are done by a job; not reachable as a resource of its own."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import FromNow, enum, integer, json, reference, string, timestamp
from app.engine.declare.indexes import index
from app.engine.declare.kinds import INTEGER_MAX
from app.engine.declare.record import Base

OPEN = ("pending", "running")
COUNTS = ("rows", "created", "updated", "ignored", "failed")


class StorageImport(Base):
    """A file whose lines become records of ``model``: what was asked, in whose name, and how far it is."""

    __tablename__ = "storage_import"
    keys = (index("expires_at"),)
    transitions = {
        "status": {
            "pending": ["running", "cancelled", "failed"],
            "running": ["completed", "cancelled", "failed"],
            "completed": [],
            "cancelled": [],
            "failed": [],
        }
    }

    user_id: Mapped[UUID] = reference("auth_user", "cascade")
    model: Mapped[str] = string(min=1, max=80, note="its table")
    status: Mapped[str] = enum("pending", "running", "completed", "cancelled", "failed", default="pending")
    options: Mapped[Any] = json(shape="object", default={})
    standing: Mapped[Any] = json(shape="object", default={}, note="the organizations of the credential, and its rights")
    storage_key: Mapped[str | None] = string(min=1, max=200)
    total: Mapped[int | None] = integer(min=0, max=INTEGER_MAX, note="rows of the file")
    rows: Mapped[int] = integer(min=0, max=INTEGER_MAX, default=0)
    created: Mapped[int] = integer(min=0, max=INTEGER_MAX, default=0)
    updated: Mapped[int] = integer(min=0, max=INTEGER_MAX, default=0)
    ignored: Mapped[int] = integer(min=0, max=INTEGER_MAX, default=0)
    failed: Mapped[int] = integer(min=0, max=INTEGER_MAX, default=0)
    faults: Mapped[Any] = json(shape="array", max_bytes=4 * 1024 * 1024, default=[])
    error_message: Mapped[str | None] = string(max=1000)
    expires_at: Mapped[datetime] = timestamp(default=FromNow(timedelta(days=7)))
