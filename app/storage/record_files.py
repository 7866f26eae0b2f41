"""Files of records: judged when a record takes them, handed out to whoever sees their field, and gone with the last
record that has them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import array

from app.auth.sharing.shareable import organization_above
from app.engine.declare.catalogue import every_model, model_added
from app.engine.declare.files import File, Image
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.declare.record import Field, Record
from app.engine.read import records
from app.engine.read.statements import Statement, autocommit_connection, driver_connection
from app.engine.write.hooks import Write, failing_at, on_create, on_delete, on_update, require
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import Conflict, Failure, require_found
from app.jobs import queue
from app.storage import pictures, returning_files, uploads
from app.storage.hooks import move
from app.storage.models import StorageUpload

log = logging.getLogger(__name__)

# Uploads that go at a time, and in a night; and pictures of a field that a night completes.
PORTION, MOST, COMPLETED = 100, 10_000, 1000
# The columns that hold uploads, also of plugins that are not loaded now.
COLUMNS = Statement(
    """
SELECT c.conrelid::regclass::text, quote_ident(a.attname) FROM pg_constraint AS c
JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
WHERE c.contype = 'f' AND c.confrelid = 'storage_upload'::regclass ORDER BY 1, 2
""",
    {},
)
# That nobody takes them meanwhile.
LOCK = "SELECT FROM storage_upload WHERE id = ANY (%(ids)s) ORDER BY id FOR UPDATE"


# Whether a record had a file before, so that a change is taken back by whoever may change the record.
HAD = """
SELECT FROM platform_change WHERE record_id = %(record)s
    AND (image ->> %(column)s = %(upload)s OR old ->> %(column)s = %(upload)s) LIMIT 1
"""


class Taken(NamedTuple):
    """A file that the record at a ``place`` of a request takes."""

    place: int
    record: Record
    field: Field
    upload_id: UUID


@cache
def file_fields(model: type[Record]) -> dict[str, Field]:
    """The fields of ``model`` that hold files, by wire name."""
    return {field.name: field for field in model.fields().values() if isinstance(field.spec.kind, File)}


@model_added.subscribe
def judge_files(model: type[Record]) -> None:
    """Judge the files of ``model`` behind the hooks that it has."""
    if attributes := [field.attribute for field in file_fields(model).values()]:
        on_create(model, many=True)(attach)
        on_update(model, many=True, changing=attributes)(attach)


def attach(of: Sequence[Record], writes: Sequence[Write]) -> None:
    """Take files into records; raises Invalid for one of another type or size, and for somebody else's."""
    taken = list(_taken(of, writes))
    if not taken:
        return
    unit, identifiers = writes[0].unit, sorted({each.upload_id for each in taken})
    stored = (StorageUpload.id.in_(identifiers), StorageUpload.status == "stored")
    uploaded = select(StorageUpload).where(*stored).order_by(StorageUpload.id).with_for_update(key_share=True)
    fresh = uploaded.execution_options(populate_existing=True)  # what others have made of them meanwhile counts
    found = {upload.id: upload for upload in unit.session.scalars(fresh)}
    homes: dict[UUID, UUID] = {}
    own = _own(unit, found.values())
    for each in taken:
        with failing_at(each.place):
            is_had = each.upload_id not in own and _had(unit, each)
            if is_had and each.upload_id not in found:
                found |= {upload.id: upload for upload in returning_files.bring_back(unit, [each.upload_id])}
            is_known = each.upload_id in found and (each.upload_id in own or is_had)
            require(is_known, each.field.name, "Is no file that you have uploaded.")
            _judge(each.field, found[each.upload_id])
            _settle(unit, found[each.upload_id], each, homes)
    for upload_id, sizes in sorted({(each.upload_id, _sizes(each.field)) for each in taken}):
        if sizes:
            queue.defer(unit, pictures.SCALE, upload_id, sizes=sizes)


def _taken(of: Sequence[Record], writes: Sequence[Write]) -> Iterator[Taken]:
    for place, (record, write) in enumerate(zip(of, writes, strict=True)):
        for field in file_fields(type(record)).values():
            value = getattr(record, field.attribute)
            if value is not None and (not write.before or write.changed(field.attribute)):
                yield Taken(place, record, field, value)


def _own(unit: Unit, found: Collection[StorageUpload]) -> set[UUID]:
    """Those that the principal has uploaded, and of a narrowed one those that it may read."""
    principal = unit.principal
    if principal == SYSTEM:
        return {upload.id for upload in found}
    own = {upload.id for upload in found if upload.user_id == principal.user_id}
    if principal.narrowing is None or not own:
        return own
    visible = StorageUpload.policy.visible(StorageUpload, principal.reader)
    return set(
        unit.session.scalars(select(StorageUpload.id).where(StorageUpload.id.in_(own), visible), principal.binds)
    )


def _had(unit: Unit, taken: Taken) -> bool:
    column = taken.field.column
    asked = {
        "record": taken.record.id,
        "column": column.name if column is not None else "",
        "upload": str(taken.upload_id),
    }
    return bool(driver_connection(unit.session).rows(HAD, asked))


def _judge(field: Field, upload: StorageUpload) -> None:
    kind: Any = field.spec.kind
    is_private = upload.visibility == "private"
    require(is_private, field.name, "Is public by itself. Make it private: who sees the record sees it.")
    is_taken = not kind.types or upload.content_type in kind.types
    require(is_taken, field.name, f"Must be one of: {', '.join(kind.types)}.")
    require(upload.size <= kind.max_bytes, field.name, f"Must be at most {kind.max_bytes} bytes.")


def _settle(unit: Unit, upload: StorageUpload, taken: Taken, homes: dict[UUID, UUID]) -> None:
    """Have a file belong to the organization of its record, which it would otherwise not outlive; ``homes`` are those
    of the files that the same request has placed. It may stand in several records of one organization."""
    organization_id = organization_above(unit, taken.record) or upload.organization_id
    if organization_id != upload.organization_id:
        is_free = upload.id not in homes and not (upload.is_attached and _is_used(unit, upload.id))
        require(is_free, taken.field.name, "Is the file of a record in another organization.")
        move(unit, upload, organization_id)
    homes[upload.id], upload.is_attached = organization_id, True


def _is_used(unit: Unit, upload_id: UUID) -> bool:
    connection, asked = driver_connection(unit.session), {"id": upload_id}
    names = COLUMNS.rows(connection, {})
    used = " OR ".join(f"EXISTS (SELECT FROM {table} WHERE {column} = %(id)s)" for table, column in names)
    return bool(connection.rows(f"SELECT {used}", asked)[0][0])


@on_delete(StorageUpload, callers_only=True)
def keep_used(upload: StorageUpload, write: Write) -> None:
    if upload.is_attached and _is_used(write.unit, upload.id):
        raise Conflict("A record has the file: remove it there, and it is deleted in the next night")


@on_update(StorageUpload, changing=["visibility"], callers_only=True)
def keep_private(upload: StorageUpload, write: Write) -> None:
    is_shown = upload.visibility != "private" and upload.is_attached and _is_used(write.unit, upload.id)
    require(not is_shown, "visibility", "Must be private: who sees the record that has the file sees it.")


def _sizes(field: Field) -> tuple[int, ...]:
    kind = field.spec.kind
    return kind.sizes if isinstance(kind, Image) else ()


def find(model: type[Record], principal: Principal, identifier: UUID, name: str, size: int | None) -> uploads.Stored:
    """The file that a record has in the field called ``name``, for whoever sees that; a picture in a declared ``size``,
    or whole until it is there in that. Raises NotFound, and Invalid for other sizes."""
    field = require_found(file_fields(model).get(name))
    sizes = ", ".join(map(str, _sizes(field)))
    if size is not None:
        require(size in _sizes(field), "size", f"Must be one of: {sizes}." if sizes else "Has no sizes.")
    shown = records.get(model, principal, identifier)
    upload_id = require_found(shown.get(name))
    stored = uploads.find(SYSTEM, upload_id)
    return stored if size is None else pictures.in_size(upload_id, stored, size)


def sweep() -> None:
    """Delete files that no record has any more, and make the sizes that are missing of pictures."""
    with autocommit_connection() as connection:
        columns = COLUMNS.rows(connection, {})
        unused = " AND ".join(
            ["u.is_attached", *(f"NOT EXISTS (SELECT FROM {table} WHERE {column} = u.id)" for table, column in columns)]
        )
        found = f"SELECT u.id FROM storage_upload AS u WHERE {unused}"  # noqa: S608 - names of the database
        identifiers = [identifier for (identifier,) in Statement(f"{found} LIMIT {MOST}", {}).rows(connection, {})]
    for start in range(0, len(identifiers), PORTION):
        try:
            run_unit(SYSTEM, _delete_unused, found, identifiers[start : start + PORTION])
        except Failure:
            log.exception("Some files that no record has stay until the next night")
    for model in every_model():
        for field in file_fields(model).values():
            if sizes := _sizes(field):
                run_unit(SYSTEM, _complete, model, field, sizes)


def _delete_unused(unit: Unit, found: str, identifiers: Sequence[UUID]) -> None:
    connection, asked = driver_connection(unit.session), {"ids": list(identifiers)}
    connection.execute(LOCK, asked)
    rows = connection.execute(f"{found} AND u.id = ANY (%(ids)s)", asked).fetchall()
    for (identifier,) in rows:
        unit.delete(StorageUpload, identifier)


def _complete(unit: Unit, model: type[Record], field: Field, sizes: Sequence[int]) -> None:
    held = getattr(model, field.attribute)
    lacking = ~StorageUpload.sizes.has_all(array([str(size) for size in sizes]))
    wanted = select(StorageUpload.id).where(StorageUpload.id == held, lacking).distinct().limit(COMPLETED)
    for identifier in unit.session.scalars(wanted):
        queue.defer(unit, pictures.SCALE, identifier, sizes=sizes)
