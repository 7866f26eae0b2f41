"""The feed: pages of changes, of which each caller is told what they may see.

What comes into sight or goes out of it without a change of its own, as by a membership, is told by naming its models
(``resync``).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from flask import current_app

from app.engine.changes import places, sequencer
from app.engine.changes.history import days_kept
from app.engine.changes.places import Place
from app.engine.changes.sequencer import Positions
from app.engine.changes.telling import AT_POSITIONS, Change, Followed, Heard, candidates, judge, looked_at, tell
from app.engine.declare.catalogue import every_model
from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import Credential, Principal
from app.engine.declare.record import Record
from app.engine.read.concurrency import query_slot
from app.engine.read.condition_parser import ConditionParser
from app.engine.read.query import DEFAULT_TAKE, Condition, Junction, Negation, Related
from app.engine.read.query_context import QueryContext, invalid
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


def own_conditions(context: QueryContext, model: type[Record], given: Any) -> Junction:
    """Read conditions on fields of one model alone: what other records meet has no history here. Raises
    InvalidFilter."""
    where = ConditionParser(context).where(model, given, "where")
    if _reaches(where):
        raise invalid("where", "May ask for fields of the model alone, and not along relations.")
    return where


def _reaches(tree: Condition) -> bool:
    match tree:
        case Junction():
            return any(_reaches(part) for part in tree.parts)
        case Negation():
            return _reaches(tree.part)
    return isinstance(tree, Related)


def page(principal: Principal, query: FeedQuery) -> FeedPage:
    """Return a page of changes; without ``since`` an empty one that ends now. Raises NotFound where changes are not
    kept, and InvalidPagination."""
    days_kept()
    with query_slot(principal):
        known, now = latest(principal)
        if query.since is None:
            return FeedPage(next=places.write(principal, now))
        since = places.read(principal, query.since)
        if not since.is_kept(known):
            return FeedPage(next=places.write(principal, now), reset=True)
        heard, position = changes_behind(principal, query, since.position, known.last, query.take)
        found = FeedPage([change.document for change in heard.changes], resync=heard.resync)
        found.more, found.next = position < known.last, places.write(principal, replace(now, position=position))
        if since.rights != now.rights:
            found.resync = [model.qualified_name() for model in query.models]
        return found


def latest(principal: Principal, *, numbers: bool = True) -> tuple[Positions, Place]:
    """Return what is numbered by now, and the place of the caller at its end; ``numbers`` has what was committed
    numbered first."""
    if numbers:
        with suppress(Failure):  # whose turn it is gives the positions
            sequencer.number_changes()
    known = sequencer.positions()
    return known, Place(str(known.epoch), known.last, *places.rights([principal]))


def changes_behind(principal: Principal, followed: Followed, since: int, last: int, take: int) -> tuple[Heard, int]:
    """Return what the caller is told of the changes behind the position ``since`` up to ``last``, of ``take`` of them
    at most, and the position that is reached by that: ``LOOKED_AT`` positions or what an answer may hold end it, too.
    """
    until, models = min(last, since + LOOKED_AT), list(looked_at(followed))
    changes: list[Change] = []
    resync: dict[str, None] = {}
    reached, most = since, take
    with autocommit_connection("queries") as connection:
        while reached < until and len(changes) < take:
            asked = {"since": reached, "until": until, "models": models, "most": most}
            rows = candidates(connection, BEHIND, asked)
            reached = rows[-1].position if len(rows) == most else until
            judged = judge(connection, followed, [principal], [(0, each) for each in rows])
            if len(judged) > take - len(changes):
                judged = judged[: take - len(changes)]
                reached = judged[-1].candidate.position
            (heard,) = tell(connection, followed, [principal], judged)
            changes += heard.changes
            resync |= dict.fromkeys(heard.resync)
            # Changes of others are passed over in longer and longer steps.
            most = min(2 * most, LOOKED_AT)
    size, most = 0, current_app.config["SETTINGS"].max_answer_bytes
    for number, change in enumerate(changes):
        size += len(change.encoded)
        if number and size > most:
            return Heard(changes[:number], list(resync)), change.position - 1
    return Heard(changes, list(resync)), reached
