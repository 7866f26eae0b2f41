"""The feed: pages of changes, of which each caller is told what they may see.

A change is told to whoever sees the record now, and saw it before the change or sees it after. What comes into sight by
a change is told as created, and what goes out of sight as deleted, by its id alone. What comes or goes without a change
of its own, as by a membership, is told by naming its models (``resync``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from flask import current_app

from app.engine.changes import sequencer
from app.engine.changes.history import ABOUT_WIDTH, binds_of, days_kept, told
from app.engine.changes.judgments import RecordsNow, judgment, records_now, roots
from app.engine.declare.catalogue import every_model
from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import Credential, Principal
from app.engine.declare.record import Record
from app.engine.read import cursors
from app.engine.read.concurrency import query_slot
from app.engine.read.encoding import dumps
from app.engine.read.query import DEFAULT_TAKE, MATCH_ALL, Junction, bound
from app.engine.read.statements import Statement, autocommit_connection
from app.foundation.errors import Failure

# Positions that one page looks at, at most: those of others cost as much as one's own.
LOOKED_AT = 5000
CANDIDATES = Statement(
    """
SELECT p.position, c.xact, c.seq, c.at, c.model FROM platform_change_position AS p
JOIN platform_change AS c ON c.xact = p.xact AND c.seq = p.seq AND c.at = p.at
WHERE p.position > %(since)s AND p.position <= %(until)s AND c.model = ANY (%(models)s)
ORDER BY p.position LIMIT %(most)s
""",
    {},
)
SHARED = """
SELECT md5(string_agg(concat_ws(' ', id, may), ',' ORDER BY id)) FROM auth_share
WHERE recipient = ANY (%(caller_recipients)s) AND (until IS NULL OR until > now())
"""
TYPES = ("text", "bigint", "text")


@dataclass(frozen=True)
class FeedQuery:
    """What is asked of the feed: changes of ``models`` behind the cursor ``since``, of records that meet ``where``
    (which is about one model), with the fields ``names``, or all."""

    models: Sequence[type[Record]]
    take: int = DEFAULT_TAKE
    since: str | None = None
    where: Junction = MATCH_ALL
    names: frozenset[str] | None = None


@dataclass
class FeedPage:
    """Changes in their order. ``resync`` names models of which more has changed than they tell, and ``reset`` says that
    the log does not reach back to where the page was to begin."""

    changes: list[dict[str, Any]] = field(default_factory=list)
    next: str = ""
    more: bool = False
    resync: list[str] = field(default_factory=list)
    reset: bool = False


class Candidate(NamedTuple):
    """A row of the log at its position."""

    position: int
    xact: str
    seq: int
    at: datetime
    model: str


def open_models(principal: Principal, operation: str = "list") -> dict[str, type[Record]]:
    """Return the logged models whose records the caller may list, or read the history of, with this credential, by
    name."""
    is_session = principal.credential is Credential.SESSION
    return {
        model.qualified_name(): model
        for model in every_model()
        if model.logged
        and not (operation == "read" and model.has_custom_routes)
        and principal.reader.admits(model, operation)
        and (is_session or model.policy.session_only is not SessionOnly.ALL)
    }


def page(principal: Principal, query: FeedQuery) -> FeedPage:
    """Return a page of changes; without ``since`` an empty one that ends now. Raises NotFound where changes are not
    kept, and InvalidPagination."""
    days_kept()
    with query_slot(principal):
        with suppress(Failure):  # whose turn it is gives the positions
            sequencer.number_changes()
        known, rights, context = (
            sequencer.positions(),
            _rights(principal),
            cursors.holder_context(principal, of="changes"),
        )
        now = cursors.write(context, [known.epoch, known.last, rights])
        if query.since is None:
            return FeedPage(next=now)
        epoch, since, had = cursors.read(context, query.since, TYPES)
        if epoch != str(known.epoch) or not known.first - 1 <= since <= known.last:
            return FeedPage(next=now, reset=True)
        found, reached = _changes_behind(principal, query, since, min(known.last, since + LOOKED_AT))
        found.more, found.next = reached < known.last, cursors.write(context, [known.epoch, reached, rights])
        if had != rights:
            found.resync = [model.qualified_name() for model in query.models]
        return found


def _changes_behind(principal: Principal, query: FeedQuery, since: int, until: int) -> tuple[FeedPage, int]:
    """The changes of a page, and the position that it has reached. Those of rows that others follow are looked at as
    well, as they bring these into sight or out of it."""
    asked_for = {model.qualified_name(): model for model in query.models}
    looked_at = asked_for | {root.qualified_name(): root for model in query.models for root in roots(model)}
    asked = {"since": since, "until": until, "models": list(looked_at), "most": query.take + 1}
    found, told_at, resync = FeedPage(), dict[int, dict[str, Any]](), set[type[Record]]()
    with autocommit_connection("queries") as connection:
        rows, by_model = candidates(connection, CANDIDATES, asked, query.take)
        for name, of_model in by_model.items():
            model = looked_at[name]
            for judged in _judged(connection, principal, query, model, of_model):
                if judged.change is not None and name in asked_for:
                    told_at[judged.position] = judged.change
                if judged.moves:
                    resync.update(each for each in query.models if model in roots(each))
                if judged.is_unclear:
                    resync.add(model)
    found.resync = [name for name, model in asked_for.items() if model in resync]
    reached = rows[query.take - 1].position if len(rows) > query.take else until
    size, most = 0, current_app.config["SETTINGS"].max_answer_bytes
    for position in sorted(told_at):
        size += len(dumps(told_at[position]))
        if found.changes and size > most:
            return found, position - 1
        found.changes.append(told_at[position])
    return found, reached


def candidates(
    connection: Any, statement: Statement, asked: Mapping[str, Any], take: int
) -> tuple[list[Candidate], dict[str, list[Candidate]]]:
    """Return the rows of the log that ``statement`` finds, and the first ``take`` of them by model."""
    rows = [Candidate(*row) for row in statement.rows_in_time(connection, asked)]
    by_model: dict[str, list[Candidate]] = defaultdict(list)
    for each in rows[:take]:
        by_model[each.model].append(each)
    return rows, by_model


class _Judged(NamedTuple):
    """What a change is to the caller: what is told of it; whether it brings the record into sight or out of it by a
    change; and whether the record may have been the caller's, which nobody can tell any more."""

    position: int
    change: dict[str, Any] | None
    moves: bool
    is_unclear: bool


def _judged(
    connection: Any, principal: Principal, query: FeedQuery, model: type[Record], candidates: Sequence[Candidate]
) -> Iterator[_Judged]:
    """Yield what the changes of ``model`` are to the caller. Of models that are only looked at, grants hide nothing."""
    is_asked = model in query.models
    where, reader = (query.where, principal.reader) if is_asked else (MATCH_ALL, principal.reader.base)
    positions = {each.seq: each.position for each in candidates}
    asked = {"xacts": [each.xact for each in candidates], "seqs": [each.seq for each in candidates],
             "ats": [each.at for each in candidates]}  # fmt: skip
    values = {**binds_of(principal), **bound(where)}
    judged = judgment(model, reader, where).rows_in_time(connection, asked | values)
    now = records_now(model, reader, where)
    wanted: dict[str, Any] = {"wanted_ids": list({row[ABOUT_WIDTH] for row in judged})}
    records = {row[0]: now.decoder.record(row, 1) for row in now.rows_in_time(connection, wanted | values)}
    has_conditions = bool(where.parts) or reader.base is not reader
    for row in judged:
        identifier, saw, sees, orphaned = row[ABOUT_WIDTH:]
        is_unclear = orphaned and not saw and has_conditions
        saw = saw or (orphaned and not has_conditions)
        verb = _verb(row[1], saw=saw, sees=sees, is_seen=identifier in records)
        shown = None if verb is None else _shown(row, verb, query, now, records.get(identifier))
        about = {"id": str(positions[row[0]]), "model": model.qualified_name(), "recordId": identifier}
        change = None if shown is None else about | shown
        yield _Judged(positions[row[0]], change, row[1] == "update" and saw != sees, is_unclear)


def _shown(
    row: tuple[Any, ...], verb: str, query: FeedQuery, now: RecordsNow, record: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """What is told of one change; None where it changed nothing that the caller sees."""
    if verb == "delete" or record is None:
        return {"operation": "delete"}
    if query.names is not None:
        record = {name: value for name, value in record.items() if name == "id" or name in query.names}
    changed = [name for column, name in now.columns.items() if column in row[ABOUT_WIDTH - 1] and name in record]
    if verb == "update" and not changed:
        return None
    return {**told(row), "operation": verb, "changed": changed if verb == "update" else [], "record": record}


def _verb(operation: str, *, saw: bool, sees: bool, is_seen: bool) -> str | None:
    """What a change is to the caller, who ``saw`` the record before it, or ``sees`` it after; ``is_seen`` is of now."""
    if operation == "delete":
        return "delete" if saw else None
    if saw and not sees:
        return "delete"
    if not sees or not is_seen:
        return None
    return "update" if saw else "create"


def _rights(principal: Principal) -> str:
    """What decides which rows are the caller's beside the rows themselves: another value tells that some have come or
    gone."""
    shared = None
    if principal.recipients:
        with autocommit_connection() as connection:
            shared = connection.execute(SHARED, principal.binds).fetchall()[0][0]
    known: Iterable[Any] = (
        sorted((str(each), role) for each, role in principal.memberships.items()), principal.is_admin,
        principal.verified_email, principal.grants_hash, shared,
    )  # fmt: skip
    return sha256(dumps(list(known))).hexdigest()[:16]
