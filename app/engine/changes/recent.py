"""The latest versions of records of all models, newest first: what the history of each record tells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from flask import current_app

from app.engine.changes import sequencer
from app.engine.changes.feed import LOOKED_AT
from app.engine.changes.history import (
    LogPage,
    VersionsStatement,
    binds_of,
    days_kept,
    version,
    versions,
    visible_record,
)
from app.engine.changes.judgments import OF_CANDIDATES
from app.engine.changes.telling import AT_POSITIONS, Candidate, candidates
from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import Record
from app.engine.read import cursors
from app.engine.read.concurrency import query_slot
from app.engine.read.encoding import STATEMENTS_KEPT, dumps
from app.engine.read.statements import Statement, autocommit_connection
from app.foundation.errors import Failure

CANDIDATES = Statement(
    f"""
{AT_POSITIONS}
WHERE p.position >= %(start)s AND p.position < %(before)s AND c.model = ANY (%(models)s)
    AND (%(organization)s::uuid IS NULL OR c.organization_id = %(organization)s)
ORDER BY p.position DESC LIMIT %(most)s
""",
    {},
)


@dataclass(frozen=True)
class RecentQuery:
    """What is asked for: versions of records of ``models``, of one organization and by one actor where these are given,
    behind ``cursor``."""

    models: Sequence[type[Record]]
    take: int
    cursor: str | None = None
    organization_id: UUID | None = None
    actor_id: UUID | None = None


def recent(principal: Principal, query: RecentQuery) -> LogPage:
    """Return versions of records of all models, newest first, by an id of their own; a page may have fewer than are
    there, and none. Raises NotFound where changes are not kept, and InvalidPagination."""
    days_kept()
    with query_slot(principal):
        with suppress(Failure):  # whose turn it is gives the positions
            sequencer.number_changes()
        known = sequencer.positions()
        context = cursors.holder_context(principal, of="history", epoch=str(known.epoch))
        before = known.last + 1 if query.cursor is None else cursors.read(context, query.cursor, ["bigint"])[0]
        start = max(known.first, before - LOOKED_AT)
        entries, reached = _entries(principal, query, start, before)
    return LogPage(entries, cursors.write(context, [reached]) if reached > known.first else None)


def _entries(principal: Principal, query: RecentQuery, start: int, before: int) -> tuple[list[dict[str, Any]], int]:
    """The entries of a page, and the position that it has reached."""
    models = {model.qualified_name(): model for model in query.models}
    asked = {
        "start": start, "before": before, "models": list(models), "organization": query.organization_id,
        "most": query.take + 1,
    }  # fmt: skip
    found: dict[int, dict[str, Any]] = {}
    with autocommit_connection("queries") as connection:
        rows, by_model = candidates(connection, CANDIDATES, asked), defaultdict(list)
        for each in rows[: query.take]:
            by_model[each.model].append(each)
        for name, of_model in by_model.items():
            found |= dict(_versions(connection, principal, models[name], of_model))
    reached = rows[query.take - 1].position if len(rows) > query.take else start
    entries: list[dict[str, Any]] = []
    size, most = 0, current_app.config["SETTINGS"].max_answer_bytes
    for position in sorted(found, reverse=True):
        # By whom a change is, is known of those alone who are named.
        if query.actor_id is not None and found[position]["actor"]["id"] != query.actor_id:
            continue
        size += len(dumps(found[position]))
        if entries and size > most:
            return entries, position + 1
        entries.append(found[position])
    return entries, reached


def _versions(
    connection: Any, principal: Principal, model: type[Record], found: Sequence[Candidate]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The versions among those ``found`` that the caller may see, by their positions."""
    positions = {each.seq: each.position for each in found}
    statement = _statement(model, principal.reader)
    asked = {
        "xacts": [each.xact for each in found], "seqs": list(positions), "ats": [each.at for each in found],
        "take": len(found), **binds_of(principal),
    }  # fmt: skip
    for row in statement.rows_in_time(connection, asked):
        shown = version(model, principal.reader, statement.after, row)
        if shown is not None:
            position = positions[row[0]]
            yield position, {"id": str(position), "model": model.qualified_name(), "recordId": row[-1], **shown}


@lru_cache(maxsize=STATEMENTS_KEPT)
def _statement(model: type[Record], reader: Reader) -> VersionsStatement:
    visible = visible_record(model, reader, "c.record_id")
    found = versions(model, reader, OF_CANDIDATES, f"EXISTS ({visible.sql})", "c.record_id")
    return VersionsStatement(found.sql, {**found.fixed, **visible.fixed}, found.after)
