"""The bytes of deleted uploads: kept while their rows can come back, and at most as many as their bucket may hold."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from sqlalchemy import inspect

from app.engine.changes.purging import purge_deletions
from app.engine.read.statements import driver_connection
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Conflict
from app.foundation.settings import settings
from app.runtime.connections import allow_time
from app.storage.models import StorageBucket, StorageUpload
from app.storage.object_store import object_store

# Files that are forgotten at once, at most.
MOST = 10_000
# The latest deletions of files, which can be taken back.
KEPT = """
c.model = 'storage/upload' AND c.operation = 'delete' AND c.image ? 'storage_key'
AND NOT EXISTS (SELECT FROM storage_upload AS u WHERE u.id = c.record_id)
AND NOT EXISTS (SELECT FROM platform_change AS l WHERE l.record_id = c.record_id AND l.seq > c.seq)
"""
OLDEST = f"""
SELECT c.record_id, c.image ->> 'storage_key', (c.image ->> 'size')::bigint FROM platform_change AS c
WHERE c.image ->> 'bucket_id' = %(bucket)s AND {KEPT} ORDER BY c.seq LIMIT {MOST}
"""  # noqa: S608
HAS_BYTES = """
SELECT FROM platform_change WHERE record_id = %(id)s AND operation = 'delete' AND image ->> 'storage_key' = %(key)s
"""
CAME_BACK = """
SELECT FROM platform_change WHERE record_id = %(id)s AND operation = 'create' AND xact = pg_current_xact_id()
"""
# What the log has dropped meanwhile is counted no more.
RECOUNT = f"""
UPDATE storage_bucket AS b SET deleted_bytes = counted.size
FROM (
    SELECT o.id, coalesce(sum(k.size), 0) AS size FROM storage_bucket AS o LEFT JOIN (
        SELECT c.image ->> 'bucket_id' AS bucket, (c.image ->> 'size')::bigint AS size
        FROM platform_change AS c WHERE {KEPT}
    ) AS k ON k.bucket = o.id::text GROUP BY o.id
) AS counted
WHERE counted.id = b.id AND b.deleted_bytes <> counted.size
"""  # noqa: S608


def keep_deleted(unit: Unit, bucket: StorageBucket, upload: StorageUpload) -> None:
    """Keep the bytes of an upload that is about to go, where the log can bring it back. Where they are more than the
    bucket may hold, the oldest go for good, until half of that is left."""
    if not settings.changes_days:
        unit.after_commit(partial(object_store().remove, upload.storage_key))
        return
    bucket.deleted_bytes += upload.size
    if bucket.deleted_bytes > bucket.quota_bytes:
        _forget_oldest(unit, bucket)


def take_back(unit: Unit, bucket: StorageBucket, upload: StorageUpload) -> None:
    """Count the bytes of an upload that is there again as deleted no more. The bucket is locked; raises Conflict where
    the bytes went while the upload came back."""
    if not driver_connection(unit.session).rows(HAS_BYTES, {"id": upload.id, "key": upload.storage_key}):
        raise Conflict("The bytes of the file are gone.")
    bucket.deleted_bytes = max(0, bucket.deleted_bytes - upload.size)


def came_back(unit: Unit, bucket_id: UUID) -> bool:
    """Whether the bucket itself was brought back in this transaction, with its figures."""
    return bool(driver_connection(unit.session).rows(CAME_BACK, {"id": bucket_id}))


def _forget_oldest(unit: Unit, bucket: StorageBucket) -> None:
    rows = driver_connection(unit.session).rows(OLDEST, {"bucket": str(bucket.id)})
    # What the log has dropped since the last count is kept no more; what goes now is not in the log so far.
    (was,) = inspect(bucket).attrs.deleted_bytes.history.deleted or (bucket.deleted_bytes,)
    bucket.deleted_bytes = min(bucket.deleted_bytes, bucket.deleted_bytes - was + sum(size for _, _, size in rows))
    if bucket.deleted_bytes <= bucket.quota_bytes:
        return
    forgotten = []
    for identifier, key, size in rows:
        if bucket.deleted_bytes <= bucket.quota_bytes // 2:
            break
        forgotten.append(identifier)
        bucket.deleted_bytes -= size
        unit.after_commit(partial(object_store().remove, key))
    purge_deletions(unit, forgotten)


def recount(unit: Unit) -> None:
    """Count anew what is kept of deleted uploads, as periodic work."""
    allow_time(unit.session)
    driver_connection(unit.session).execute(RECOUNT)
