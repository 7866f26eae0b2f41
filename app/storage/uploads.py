"""Uploads: received as a stream, stored with a row, and swept when they have none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import TypeVar
from uuid import UUID

from sqlalchemy import select, text
from uuid_utils.compat import uuid7

from app.engine.declare.principal import SYSTEM, Principal
from app.engine.read.database import OutcomeUnknown, reading
from app.engine.write.hooks import require
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.errors import PayloadTooLarge, UnsupportedMediaType, require_found
from app.storage.deleted_files import recount
from app.storage.hooks import TypeRefused, clean_filename, place, type_of
from app.storage.import_models import StorageImport
from app.storage.models import StorageExport, StorageUpload
from app.storage.object_store import new_key, object_store

T = TypeVar("T")

# The part of a file that its type is told from.
HEAD = 64 * 1024
MAX_NAME_LENGTH = 255
# Bytes without a row are left alone for as long as an upload may take.
SETTLED = timedelta(days=1)
LOOKUP_BATCH_SIZE = 500
# Bytes of rows that the log can bring back.
RESTORABLE = text("""
SELECT image ->> 'storage_key' FROM platform_change
WHERE model = 'storage/upload' AND operation = 'delete' AND image ->> 'storage_key' = ANY (:keys)
""")


class Incoming:
    """A file on its way into the store: measured, hashed and bounded while it passes.

    It has what a form parser wants of a file to write to.
    """

    def __init__(self, limit: int) -> None:
        self.limit, self.size, self.head = limit, 0, b""
        self.key = new_key()
        self.has_row = False
        self._digest = sha256()
        self._writer = object_store().open(self.key)

    def write(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if self.size > self.limit:
            raise PayloadTooLarge("The file is larger than uploads may be")
        if len(self.head) < HEAD:
            self.head += chunk[: HEAD - len(self.head)]
        self._digest.update(chunk)
        self._writer.write(chunk)

    def seek(self, offset: int) -> None:
        """There is nothing to go back to: the bytes have passed."""

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def commit(self) -> None:
        self._writer.commit()

    def abort(self) -> None:
        self._writer.abort()


@dataclass(frozen=True)
class Stored:
    """What is needed to hand out the bytes of an upload."""

    key: str
    filename: str
    content_type: str
    sha256: str


def keep(run: Callable[[Callable[[Unit], UUID]], T], incoming: Incoming, filename: str, declared: str) -> T:
    """Have ``run`` store the row of a file whose bytes have come, in a unit, and return what it returns. The bytes are
    durable before the row is there, and go again when it is not made; where that is in doubt they stay, and the sweep
    collects them.

    Raises Invalid, PayloadTooLarge, UnsupportedMediaType and Unavailable.
    """
    require(incoming.size > 0, "file", "Is empty.")
    name = _shortened(clean_filename(filename))
    incoming.commit()
    try:
        done = run(
            partial(_stored, incoming=incoming, filename=name, content_type=type_of(incoming.head, name, declared))
        )
    except OutcomeUnknown:
        raise
    except BaseException as error:
        object_store().remove(incoming.key)
        if isinstance(error, TypeRefused):
            raise UnsupportedMediaType("The bucket does not take this type of file") from None
        raise
    if not incoming.has_row:
        object_store().remove(incoming.key)
    return done


def _stored(unit: Unit, incoming: Incoming, filename: str, content_type: str) -> UUID:
    upload = StorageUpload(
        id=uuid7(),
        user_id=unit.principal.user_id,
        filename=filename,
        content_type=content_type,
        size=incoming.size,
        sha256=incoming.sha256,
        storage_key=incoming.key,
        status="stored",
    )
    place(unit, upload, unit.principal.organization_id)
    unit.store(upload)
    incoming.has_row = True
    return upload.id


def _shortened(filename: str) -> str:
    """A name that fits, with the ending it had."""
    stem, dot, ending = filename.rpartition(".")
    kept = f"{dot}{ending}" if stem and len(ending) <= 16 else ""
    return filename if len(filename) <= MAX_NAME_LENGTH else filename[: MAX_NAME_LENGTH - len(kept)] + kept


def find(principal: Principal, identifier: UUID) -> Stored:
    """The upload with this id, for whoever may see it; raises NotFound."""
    columns = (StorageUpload.storage_key, StorageUpload.filename, StorageUpload.content_type, StorageUpload.sha256)
    visible = StorageUpload.policy.visible(StorageUpload, principal.reader)
    wanted = select(*columns).where(StorageUpload.id == identifier, StorageUpload.status == "stored", visible)
    with reading() as session:
        return Stored(*require_found(session.execute(wanted, principal.binds).one_or_none()))


def sweep() -> int:
    """Remove what lies in the store without a row, from a crash or with a user who is gone; returns how many."""
    run_unit(SYSTEM, recount)
    store, removed = object_store(), 0
    settled = (key for key, changed in store.keys() if changed < now() - SETTLED)
    while keys := list(islice(settled, LOOKUP_BATCH_SIZE)):
        with reading() as session:
            named = sorted({_whole(key) for key in keys})
            known = {
                key
                for model in (StorageUpload, StorageExport, StorageImport)
                for key in session.scalars(select(model.storage_key).where(model.storage_key.in_(named)))
            }
            known |= set(session.scalars(RESTORABLE, {"keys": named}))
        for key in (each for each in keys if _whole(each) not in known):
            store.remove(key)
            removed += 1
    return removed


def _whole(key: str) -> str:
    """The key of the picture of which the one at ``key`` is a smaller size."""
    return key.partition("-")[0]
