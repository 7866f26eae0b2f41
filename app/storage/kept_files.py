"""Files that belong to a job: they lie in the object store, named by its row, until that expires."""

from __future__ import annotations

from typing import IO, Any

from sqlalchemy import select

from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.storage.object_store import new_key, object_store, writing

CHUNK = 1024 * 1024
# Rows that expire at a time.
BATCH_SIZE = 100


def keep(file: IO[bytes]) -> str:
    """Put a file into the object store, and return where it is."""
    file.seek(0)
    key = new_key()
    with writing(key) as writer:
        while chunk := file.read(CHUNK):
            writer.write(chunk)
    return key


def expire(model: Any) -> None:
    """Remove rows of ``model`` whose time is over, each with its file, a part at a time."""
    with reading() as session:
        over = list(session.scalars(select(model).where(model.expires_at <= now()).limit(BATCH_SIZE)))
    for each in over:
        if each.storage_key is not None:
            object_store().remove(each.storage_key)
        run_unit(SYSTEM, Unit.bookkeep, model.__table__.delete().where(model.id == each.id))
