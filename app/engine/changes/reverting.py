"""Going back to an earlier version of a record: its values, which an ordinary update writes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from uuid import UUID

from app.engine.changes.history import require_visible
from app.engine.changes.images import ImageColumns, as_row, image_columns, left_out
from app.engine.declare.fields import ENCRYPTED
from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import BASE_FIELDS, Record
from app.engine.read.encoding import STATEMENTS_KEPT
from app.engine.read.statements import Statement, autocommit_connection
from app.foundation.errors import Invalid, NotFound


def values_of_version(model: type[Record], principal: Principal, identifier: UUID, version: int) -> dict[str, Any]:
    """Return what the fields that the caller sees and may change were, by wire name. Raises NotFound for a record or a
    version that is not there for the caller, and Invalid for fields whose values are not kept."""
    require_visible(model, principal, identifier)
    statement, columns = _image(model, principal.reader)
    asked = {"wanted_id": identifier, "version": version} | principal.binds
    with autocommit_connection("queries") as connection:
        rows = statement.rows_in_time(connection, asked)
    if not rows:
        raise NotFound(f"There is no version {version} of this record in the log.")
    kept, changed, *row = rows[0]
    sealed = [
        field.name
        for field in model.fields().values()
        if field.column is not None and ENCRYPTED in field.spec.flags and field.column.name in changed
    ]
    if sealed:
        raise Invalid({name: ["Has changed since, and cannot go back: its values are not kept."] for name in sealed})
    record = columns.record(row)
    return {
        field.name: record[field.name]
        for field in model.fields().values()
        if field.column is not None
        and field.name in record
        and field.attribute not in BASE_FIELDS
        and field.column.name in kept
        and field.set_on_update.admits(principal)
    }


@lru_cache(maxsize=STATEMENTS_KEPT)
def _image(model: type[Record], reader: Reader) -> tuple[Statement, ImageColumns]:
    """The image that a version has, behind the columns that it holds and those that changed since."""
    columns = image_columns(model, reader, "is_row")
    text = f"""
        SELECT ARRAY(SELECT jsonb_object_keys(c.document)), c.changed, {columns.sql}
        FROM (
            SELECT {left_out(model)} || c.image AS document, ARRAY(
                SELECT DISTINCT unnest(l.changed) FROM platform_change AS l
                WHERE l.record_id = c.record_id AND l.seq > c.seq) AS changed, c.is_public
            FROM platform_change AS c
            WHERE c.record_id = %(wanted_id)s AND c.model = '{model.qualified_name()}' AND c.version = %(version)s
                AND c.operation <> 'delete'
            ORDER BY c.seq DESC LIMIT 1
        ) AS c CROSS JOIN LATERAL {as_row(model, "c.document", "is_row")}
        WHERE {columns.admitted}
    """  # noqa: S608
    return Statement(text, columns.fixed), columns
