"""Uploads that go with mail."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select

from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import NotFound
from app.mail.attachments import Attachment, Source, sources
from app.storage import uploads
from app.storage.models import StorageUpload
from app.storage.object_store import object_store


def sizes(unit: Unit, identifiers: Sequence[UUID]) -> list[int]:
    """The sizes of uploads that the unit's principal may read; raises NotFound."""
    visible = StorageUpload.policy.visible(StorageUpload, unit.principal.reader)
    wanted = select(StorageUpload.id, StorageUpload.size).where(
        StorageUpload.id.in_(identifiers), StorageUpload.status == "stored", visible
    )
    found = {row.id: row.size for row in unit.session.execute(wanted, unit.principal.binds)}
    if not found.keys() >= set(identifiers):
        raise NotFound()
    return [found[each] for each in identifiers]


def read(identifiers: Sequence[UUID]) -> list[Attachment]:
    """The uploads as they go out; raises NotFound for one that is gone, and Unavailable."""
    found = [uploads.find(SYSTEM, each) for each in identifiers]
    return [Attachment(each.filename, each.content_type, object_store().read(each.key)) for each in found]


sources.append(Source(sizes, read))
