"""The feed: pages of changes, of which each caller is told what they may see.

What comes into sight or goes out of it without a change of its own, as by a membership, is told by naming its models
(``resync``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from flask import current_app

from app.engine.changes import sequencer
from app.engine.changes.history import days_kept
from app.engine.changes.telling import AT_POSITIONS, Followed, candidates, hear, looked_at
from app.engine.declare.catalogue import every_model
from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import Credential, Principal
from app.engine.declare.record import Record
from app.engine.read import cursors
from app.engine.read.concurrency import query_slot
from app.engine.read.encoding import dumps
from app.engine.read.query import DEFAULT_TAKE
from app.engine.read.statements import Statement, autocommit_connection
from app.foundation.errors import Failure

# Positions that one page looks at, at most: those of others cost as much as one's own.
LOOKED_AT = 5000
BEHIND = Statement(
    f"""
{AT_POSITIONS}
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
class FeedQuery(Followed):
    """What is asked of the feed: changes of what is followed, behind the cursor ``since``."""

    take: int = DEFAULT_TAKE
    since: str | None = None


@dataclass
class FeedPage:
    """Changes in their order. ``resync`` names models of which more has changed than they tell, and ``reset`` says that
    the log does not reach back to where the page was to begin."""

    changes: list[Mapping[str, Any]] = field(default_factory=list)
    next: str = ""
    more: bool = False
    resync: list[str] = field(default_factory=list)
    reset: bool = False


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
    """The changes of a page, and the position that it has reached."""
    asked = {"since": since, "until": until, "models": list(looked_at(query)), "most": query.take + 1}
    with autocommit_connection("queries") as connection:
        rows = candidates(connection, BEHIND, asked)
        (heard,) = hear(connection, query, [principal], [(0, each) for each in rows[: query.take]])
    found = FeedPage(resync=heard.resync)
    reached = rows[query.take - 1].position if len(rows) > query.take else until
    size, most = 0, current_app.config["SETTINGS"].max_answer_bytes
    for change in heard.changes:
        size += len(change.encoded)
        if found.changes and size > most:
            return found, change.position - 1
        found.changes.append(change.document)
    return found, reached


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
