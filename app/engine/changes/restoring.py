"""Records that were deleted, and their way back: each with its own descendants that went in the same transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

from app.engine.changes.history import ABOUT, ABOUT_WIDTH, LogPage, binds_of, days_kept, told
from app.engine.changes.images import ImageColumns, as_row, image_columns
from app.engine.changes.judgments import roots
from app.engine.changes.returning import return_together
from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import Record
from app.engine.declare.scopes import Organization, Owner, Parent
from app.engine.read import cursors, fragments
from app.engine.read.concurrency import query_slot
from app.engine.read.encoding import STATEMENTS_KEPT, Representation
from app.engine.read.statements import Statement, autocommit_connection, driver_connection
from app.engine.write import sql
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Forbidden, NotFound

# Records that come back at once, at most.
MAX_RESTORED = 10_000
# The latest deletion of a record that is not there, whose image was not removed on request.
IS_GONE = """
c.operation = 'delete' AND c.image ? 'created_at'
AND NOT EXISTS (SELECT 1 FROM {table} AS t WHERE t.id = c.record_id)
AND NOT EXISTS (SELECT 1 FROM platform_change AS l WHERE l.record_id = c.record_id AND l.seq > c.seq)
"""
# What others than admins could have deleted is among this, which indexes find, where the log says whose rows are.
OWN = "(c.organization_id = ANY (%(caller_organizations)s) OR c.owner_id = %(caller_user)s)"

XACTS = """
SELECT record_id, seq, xact FROM platform_change WHERE record_id = ANY (%(ids)s) AND seq = ANY (%(seqs)s) ORDER BY seq
"""


def deleted(model: type[Record], principal: Principal, take: int, cursor: str | None = None) -> LogPage:
    """Return the records that are gone and that the caller could have deleted, the latest first. Raises NotFound where
    changes are not kept, and InvalidPagination."""
    days_kept()
    context = cursors.holder_context(principal, deleted=model.qualified_name())
    before = None if cursor is None else cursors.read(context, cursor, ["bigint"])[0]
    statement, columns = _deleted(model, principal.reader, "%(before)s::bigint IS NULL OR c.seq < %(before)s")
    asked = {"before": before, "take": take + 1} | binds_of(principal)
    with query_slot(principal), autocommit_connection("queries") as connection:
        rows = statement.rows_in_time(connection, asked)
    shown = [_shown(columns, row) for row in rows[:take]]
    return LogPage(shown, cursors.write(context, [rows[take - 1][0]]) if len(rows) > take else None)


def restore(unit: Unit, model: type[Record], identifier: UUID) -> Representation:
    """Bring a record back, as it was, with what belongs to it, and return it. Raises NotFound where the caller could
    not have deleted it, Forbidden where the caller could not make it, and Conflict naming what stands in the way."""
    restore_many(unit, model, [identifier])
    return sql.read(model, unit.principal, driver_connection(unit.session), [identifier])[identifier]


def restore_many(unit: Unit, model: type[Record], identifiers: Sequence[UUID], most: int = MAX_RESTORED) -> None:
    """Bring records back as ``restore`` does, and ``most`` with what belongs to them. Raises what that raises."""
    days_kept()
    statement, columns = _deleted(model, unit.principal.reader, "c.record_id = ANY (%(wanted)s)")
    connection = driver_connection(unit.session)
    asked = {"take": len(identifiers), "wanted": list(identifiers)} | binds_of(unit.principal)
    rows = statement.rows(connection, asked)
    if len(rows) < len(identifiers):
        raise NotFound()
    for row in rows:
        _require_creatable(model, unit.principal, columns.record(row, ABOUT_WIDTH + 1))
    gone: dict[str, dict[UUID, int]] = defaultdict(dict)
    for identifier, seq, xact in connection.rows(XACTS, {"seqs": [row[0] for row in rows], "ids": list(identifiers)}):
        gone[xact][identifier] = seq
    for xact, records in gone.items():
        return_together(unit, model, records, xact, most)


def _shown(columns: ImageColumns, row: tuple[Any, ...]) -> dict[str, Any]:
    about = told(row)
    return {"recordId": row[ABOUT_WIDTH], **{name: about[name] for name in about if name != "operation"},
            "record": columns.record(row, ABOUT_WIDTH + 1)}  # fmt: skip


def _says_whose(model: type[Record]) -> bool:
    """Whether all who may delete a row are told from the organization and the owner that the log has of it."""
    *below, last = (model, *roots(model))
    is_whole = not any(each.policy.managed for each in (*below, last))
    return (
        is_whole
        and type(last.policy.scope) in (Owner, Organization)
        and all(type(each.policy.scope) is Parent for each in below)
    )


def _require_creatable(model: type[Record], principal: Principal, record: Mapping[str, Any]) -> None:
    """Refuse who could not make such a record, and all but admins where the removal reached far."""
    column = model.policy.scope.organization_column
    organization = record.get(model.fields()[column].name) if column and column != "id" else None
    may = model.policy.may_create(principal)
    if organization is not None:
        may = may and model.policy.may_create_in(UUID(str(organization)), principal)
    if not may or (model.domain == "auth" and model.cascades_widely and not principal.is_admin):
        raise Forbidden()


@lru_cache(maxsize=STATEMENTS_KEPT)
def _deleted(model: type[Record], reader: Reader, which: str) -> tuple[Statement, ImageColumns]:
    """The deletions that meet ``which``, a condition on the change ``c``, of what the caller could have deleted."""
    columns, may = image_columns(model, reader, "gone"), fragments.restorable(model, reader)
    own = OWN if reader.base is not Reader.ADMIN and _says_whose(model) else "true"
    text = f"""
        SELECT {ABOUT}, c.record_id, {columns.sql}
        FROM platform_change AS c CROSS JOIN LATERAL {as_row(model, "c.image", "gone")}
        WHERE c.model = '{model.qualified_name()}' AND {own} AND {IS_GONE.format(table=model.__tablename__)}
            AND ({which}) AND {columns.admitted} AND ({may.on("gone")})
        ORDER BY c.seq DESC LIMIT %(take)s
    """  # noqa: S608
    return Statement(text, {**columns.fixed, **may.fixed}), columns
