"""Files that went in a night, and come back with the record that had them: as long as the log has them."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import select, update

from app.engine.changes.returning import Restored, return_alone, returning
from app.engine.declare.files import File
from app.engine.read.statements import driver_connection
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Conflict
from app.storage.deleted_files import KEPT
from app.storage.models import StorageUpload

# Files that come back at once, at most: each is placed by itself, while its bucket is locked.
MOST = 1000
# What went with its user or its bucket stays away.
LOST = f"""
SELECT c.record_id, c.seq, c.xact FROM platform_change AS c WHERE c.record_id = ANY (%(ids)s) AND {KEPT}
AND EXISTS (SELECT FROM auth_user AS u WHERE u.id = (c.image ->> 'user_id')::uuid)
AND EXISTS (SELECT FROM storage_bucket AS b WHERE b.id = (c.image ->> 'bucket_id')::uuid)
ORDER BY c.record_id
"""  # noqa: S608
NAMED = """
SELECT DISTINCT (image ->> %(column)s)::uuid, (image ->> %(organization)s)::uuid FROM platform_change
WHERE xact = %(xact)s AND seq = ANY (%(seqs)s) AND image ->> %(column)s IS NOT NULL
"""


def bring_back(unit: Unit, identifiers: Collection[UUID]) -> list[StorageUpload]:
    """Bring back those of the files that are gone and can come back, and return them. Raises Conflict where a bucket
    does not take its file."""
    connection = driver_connection(unit.session)
    returned, lost = [], connection.rows(LOST, {"ids": list(identifiers)})
    if len(lost) > MOST:
        raise Conflict(f"More than {MOST} files belong to it")
    for identifier, seq, xact in lost:
        return_alone(unit, StorageUpload, identifier, seq, xact)
        returned.append(identifier)
    unit.session.flush()
    unit.bookkeep(update(StorageUpload).where(StorageUpload.id.in_(returned)).values(is_attached=True))
    return list(unit.session.scalars(select(StorageUpload).where(StorageUpload.id.in_(returned))))


@returning.subscribe
def return_files(unit: Unit, xact: str, found: Restored) -> None:
    """Bring back the files of records that are about to be there again, and have those that stayed belong to them.
    Raises Conflict where one belongs to a record in another organization by now."""
    connection = driver_connection(unit.session)
    wanted = {
        identifier: organization_id
        for model, deletions in found.items()
        for field in model.fields().values()
        if isinstance(field.spec.kind, File) and field.column is not None
        for identifier, organization_id in connection.rows(
            NAMED,
            {
                "column": field.column.name, "organization": model.policy.scope.organization_column,
                "xact": xact, "seqs": list(deletions.values()),
            },
        )
    }  # fmt: skip
    if not wanted:
        return
    bring_back(unit, wanted.keys() - found[StorageUpload].keys())
    there = select(StorageUpload).where(StorageUpload.id.in_(wanted)).order_by(StorageUpload.id)
    for upload in unit.session.scalars(there.with_for_update(key_share=True)):
        if wanted[upload.id] not in (None, upload.organization_id):
            raise Conflict("One of its files belongs to a record in another organization now")
        # It was made public while no record had it.
        upload.is_attached, upload.visibility = True, "private"
    unit.session.flush()
