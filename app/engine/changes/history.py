"""The history of a record: its versions with what each has changed, and the record as it was at a moment.

What is shown of a version, the policy shows of its image and of the record as it is today: to publish a record does not
publish what it was before. The history of a record that is gone is for those who could have deleted it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from flask import current_app

from app.engine.changes.images import ImageColumns, as_row, image_columns, left_out, seen_fields
from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import Record
from app.engine.read import cursors, fragments
from app.engine.read.concurrency import query_slot
from app.engine.read.encoding import STATEMENTS_KEPT, Representation
from app.engine.read.statements import Statement, autocommit_connection
from app.foundation.clock import now
from app.foundation.errors import NotFound

# The record that is asked for.
WANTED = "%(wanted_id)s"
# The changes of one record that are shown at once.
MAX_TAKE = 100
NOT_KEPT = "Changes are not kept here: CHANGES_DAYS is 0."
# Who has made a change is named to those who share an organization with them.
KNOWN_ACTOR = """
(c.actor_id = %(caller_user)s OR %(names_actors)s OR EXISTS (
    SELECT 1 FROM auth_member AS m WHERE m.organization_id = ANY (%(caller_organizations)s) AND m.user_id = CASE
        WHEN c.actor_type = 'key' THEN (SELECT k.user_id FROM auth_api_key AS k WHERE k.id = c.actor_id)
        ELSE c.actor_id END))
"""
ABOUT = f"""
c.seq, c.operation, c.version, c.at, c.actor_type, CASE WHEN {KNOWN_ACTOR} THEN c.actor_id END, c.request_id,
c.transaction, c.changed
"""
ABOUT_WIDTH = 9
# A change was made when it says so of itself, a moment before the log hears of it; to the millisecond, as it is told.
MADE_AT = """
date_trunc('milliseconds', CASE WHEN (c.operation = 'create' OR c.old ? 'updated_at')
    AND (c.image ->> 'updated_at')::timestamptz BETWEEN c.at - interval '1 minute' AND c.at
    THEN (c.image ->> 'updated_at')::timestamptz ELSE c.at END)
"""

Row = tuple[Any, ...]


@dataclass(frozen=True)
class LogPage:
    """What the log has, newest first, and the cursor of what is behind that."""

    entries: list[dict[str, Any]]
    next: str | None


@dataclass(frozen=True)
class VersionsStatement(Statement):
    """Changes with what the caller sees of the image ``after`` each, of the one before it, and whether of that."""

    after: ImageColumns


def days_kept() -> int:
    """How long changes are kept; raises NotFound where they are not."""
    days: int = current_app.config["SETTINGS"].changes_days
    if not days:
        raise NotFound(NOT_KEPT)
    return days


def history(
    model: type[Record], principal: Principal, identifier: UUID, take: int, cursor: str | None = None
) -> LogPage:
    """Return versions of a record. Raises NotFound for a record that is not there for the caller, and
    InvalidPagination."""
    require_visible(model, principal, identifier)
    context = cursors.holder_context(principal, history=model.qualified_name(), id=identifier)
    before = None if cursor is None else cursors.read(context, cursor, ["bigint"])[0]
    statement = _history(model, principal.reader)
    asked = {"wanted_id": identifier, "before": before, "take": take + 1} | binds_of(principal)
    with query_slot(principal), autocommit_connection("queries") as connection:
        rows = statement.rows_in_time(connection, asked)
    shown = [version(model, principal.reader, statement.after, row) for row in rows[:take]]
    following = cursors.write(context, [rows[take - 1][0]]) if len(rows) > take else None
    return LogPage([each for each in shown if each is not None], following)


def require_visible(model: type[Record], principal: Principal, identifier: UUID) -> None:
    """Refuse who sees neither the record nor, where it is gone, what was deleted; raises NotFound."""
    days_kept()
    if not model.logged:
        raise NotFound()
    statement = visible_record(model, principal.reader)
    with autocommit_connection() as connection:
        rows = statement.rows(connection, {"wanted_id": identifier} | principal.binds)
    if not rows:
        raise NotFound()


def as_of(model: type[Record], principal: Principal, identifier: UUID, moment: datetime) -> Representation:
    """Return a record as it was at ``moment``: what its next change tells, or the record of today where none followed.
    Raises NotFound also where the log does not reach back so far."""
    if moment < now() - timedelta(days=days_kept()) or not model.logged:
        raise NotFound("The log does not reach back so far.")
    statement = _as_of(model, principal.reader)
    asked = {"wanted_id": identifier, "moment": moment} | principal.binds
    with query_slot(principal), autocommit_connection("queries") as connection:
        rows = statement.rows_in_time(connection, asked)
    if not rows:
        raise NotFound()
    version, *row = rows[0]
    return Representation(statement.after.record(row), version)


def binds_of(principal: Principal) -> dict[str, Any]:
    """The parameters of statements that tell who has made changes."""
    return {"names_actors": principal.is_admin, **principal.binds}


def told(row: Row) -> dict[str, Any]:
    """What is told of a change beside its fields, of a row that begins with ``ABOUT``."""
    _, operation, version, at, actor, actor_id, request_id, transaction, _ = row[:ABOUT_WIDTH]
    return {
        "version": version, "operation": operation, "at": at, "actor": {"type": actor, "id": actor_id},
        "requestId": request_id, "transaction": transaction,
    }  # fmt: skip


def changed_names(model: type[Record], reader: Reader, columns: Sequence[str]) -> list[str]:
    """The fields of ``columns`` that the reader sees, in the order of the model."""
    return [field.name for name, field in seen_fields(model, reader).items() if name in columns]


def version(model: type[Record], reader: Reader, after: ImageColumns, row: Row) -> dict[str, Any] | None:
    """Return one version as it is shown; None where the caller sees nothing of what it changed."""
    now_row, admits_before, was_row = after.record(row, ABOUT_WIDTH), row[-2], None
    if admits_before:
        was_row = after.record(row, ABOUT_WIDTH + after.width)
    operation = row[1]
    if operation != "update":
        whole = {"before": now_row, "after": None} if operation == "delete" else {"before": None, "after": now_row}
        return {**told(row), "changed": [], **whole}
    names = [name for name in changed_names(model, reader, row[ABOUT_WIDTH - 1]) if name in now_row]
    if not names:
        return None
    before = None if was_row is None else {name: was_row.get(name) for name in names}
    return {**told(row), "changed": names, "before": before, "after": {name: now_row[name] for name in names}}


@lru_cache(maxsize=STATEMENTS_KEPT)
def visible_record(model: type[Record], reader: Reader, identifier: str = WANTED) -> Statement:
    """Return the statement that finds the record ``identifier``, or where it is gone, the deletion of it."""
    table, name = model.__tablename__, model.qualified_name()
    visible, may = fragments.visible(model, reader), fragments.writable(model, reader, "delete")
    text = f"""
        SELECT 1 FROM {table} AS today WHERE today.id = {identifier} AND ({visible.on("today")})
        UNION ALL (
            SELECT 1 FROM (
                SELECT l.image FROM platform_change AS l WHERE l.record_id = {identifier} AND l.model = '{name}'
                    AND l.operation = 'delete' ORDER BY l.seq DESC LIMIT 1
            ) AS last CROSS JOIN LATERAL {as_row(model, "last.image", "gone")}
            WHERE ({visible.on("gone")}) AND ({may.on("gone")})
                AND NOT EXISTS (SELECT 1 FROM {table} AS t WHERE t.id = {identifier})
        ) LIMIT 1
    """  # noqa: S608
    return Statement(text, {**visible.fixed, **may.fixed})


@lru_cache(maxsize=STATEMENTS_KEPT)
def _history(model: type[Record], reader: Reader) -> VersionsStatement:
    which = f"""
        c.record_id = %(wanted_id)s AND c.model = '{model.qualified_name()}'
        AND (%(before)s::bigint IS NULL OR c.seq < %(before)s)
    """
    return versions(model, reader, "platform_change AS c", which, WANTED, "c.seq DESC")


def versions(
    model: type[Record], reader: Reader, source: str, which: str, identifier: str, order: str
) -> VersionsStatement:
    """Return the statement of the first versions in an order, with both images, of the changes ``c`` of ``source`` that
    meet ``which``; each is of the record ``identifier``."""
    after, was = (image_columns(model, reader, alias, "today_row") for alias in ("is_row", "was_row"))
    text = f"""
        SELECT {ABOUT}, {after.sql}, {was.sql}, {was.admitted}, c.record_id
        FROM {source} CROSS JOIN LATERAL {_today(model, identifier)}
        CROSS JOIN LATERAL {as_row(model, "c.image", "is_row")}
        CROSS JOIN LATERAL {as_row(model, "c.image || c.old", "was_row")}
        WHERE {which} AND {after.admitted}
        ORDER BY {order} LIMIT %(take)s
    """  # noqa: S608
    return VersionsStatement(text, {**after.fixed, **was.fixed}, after)


@lru_cache(maxsize=STATEMENTS_KEPT)
def _as_of(model: type[Record], reader: Reader) -> VersionsStatement:
    table, visible = model.__tablename__, visible_record(model, reader)
    was = image_columns(model, reader, "was_row", "today_row")
    kept = f"{left_out(model)} || c.image || c.old"
    text = f"""
        SELECT c.version, {was.sql}
        FROM (
            SELECT document, version, operation, is_public FROM (
                (SELECT c.seq, {kept} AS document, c.operation, c.version - (c.operation = 'update')::int AS version,
                    c.is_public
                FROM platform_change AS c
                WHERE c.record_id = %(wanted_id)s AND c.model = '{model.qualified_name()}' AND {MADE_AT} > %(moment)s
                ORDER BY c.seq LIMIT 1)
                UNION ALL
                SELECT NULL, to_jsonb(t), CASE WHEN t.created_at > %(moment)s THEN 'create' END, t.row_version, true
                FROM {table} AS t WHERE t.id = %(wanted_id)s
            ) AS known ORDER BY seq NULLS LAST LIMIT 1
        ) AS c
        CROSS JOIN LATERAL {as_row(model, "c.document", "was_row")} CROSS JOIN LATERAL {_today(model, WANTED)}
        WHERE c.operation IS DISTINCT FROM 'create' AND {was.admitted}
            AND %(moment)s >= (SELECT since FROM platform_change_sequencer)
            AND EXISTS ({visible.sql})
    """  # noqa: S608
    return VersionsStatement(text, {**was.fixed, **visible.fixed}, was)


def _today(model: type[Record], identifier: str) -> str:
    """The row ``identifier`` as it is, or as it was last, as ``today_row``."""
    latest = f"""coalesce(
        (SELECT to_jsonb(t) FROM {model.__tablename__} AS t WHERE t.id = {identifier}),
        (SELECT l.image FROM platform_change AS l WHERE l.record_id = {identifier} ORDER BY l.seq DESC LIMIT 1))"""  # noqa: S608
    return as_row(model, latest, "today_row")
