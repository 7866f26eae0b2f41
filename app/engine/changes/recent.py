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
    asked = {
        "start": start, "models": [model.qualified_name() for model in query.models],
        "organization": query.organization_id,
    }  # fmt: skip
    entries: list[dict[str, Any]] = []
    reached, most = before, query.take
    size, largest = 0, current_app.config["SETTINGS"].max_answer_bytes
    with autocommit_connection("queries") as connection:
        while reached > start and len(entries) < query.take:
            rows = candidates(connection, CANDIDATES, {**asked, "before": reached, "most": most})
            reached = rows[-1].position if len(rows) == most else start
            found, seen_to = _versions(connection, principal, query, rows)
            reached = max(reached, seen_to)
            for position, entry in found:
                if position < reached:
                    break  # before it, versions of another model have not been read
                size += len(dumps(entry))
                if len(entries) == query.take or (entries and size > largest):
                    return entries, position + 1
                entries.append(entry)
            # Changes of others are passed over in longer and longer steps.
            most = min(2 * most, LOOKED_AT)
    return entries, reached


def _versions(
    connection: Any, principal: Principal, query: RecentQuery, rows: Sequence[Candidate]
) -> tuple[list[tuple[int, dict[str, Any]]], int]:
    """The versions among ``rows`` that the caller may see and asks for, newest first, with their positions; and the
    position down to which all models were looked at: of each no more versions are read than a page has, and one."""
    by_model: dict[str, list[Candidate]] = defaultdict(list)
    for each in rows:
        by_model[each.model].append(each)
    found: dict[int, dict[str, Any] | None] = {}
    seen_to = 0
    for model in query.models:
        if of_model := by_model.get(model.qualified_name()):
            versions_of = dict(_versions_of(connection, principal, model, of_model, query.take + 1))
            if len(versions_of) > query.take:
                seen_to = max(seen_to, min(versions_of))
            found |= versions_of
    # By whom a change is, is known of those alone who are named.
    wanted = {place: each for place, each in found.items() if each and query.actor_id in (None, each["actor"]["id"])}
    return sorted(wanted.items(), reverse=True), seen_to


def _versions_of(
    connection: Any, principal: Principal, model: type[Record], found: Sequence[Candidate], take: int
) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """The newest versions among those ``found`` that the caller may see, by their positions; None for one of which
    they see nothing that has changed."""
    positions = {each.seq: each.position for each in found}
    statement = _statement(model, principal.reader)
    asked = {
        "xacts": [each.xact for each in found], "seqs": list(positions), "ats": [each.at for each in found],
        "take": take, **binds_of(principal),
    }  # fmt: skip
    for row in statement.rows_in_time(connection, asked):
        shown, position = version(model, principal.reader, statement.after, row), positions[row[0]]
        about = {"id": str(position), "model": model.qualified_name(), "recordId": row[-1]}
        yield position, None if shown is None else about | shown


@lru_cache(maxsize=STATEMENTS_KEPT)
def _statement(model: type[Record], reader: Reader) -> VersionsStatement:
    visible = visible_record(model, reader, "c.record_id")
    found = versions(model, reader, OF_CANDIDATES, f"EXISTS ({visible.sql})", "c.record_id", "wanted.place")
    return VersionsStatement(found.sql, {**found.fixed, **visible.fixed}, found.after)
