"""How the schema of the database stands to this release: the same, older, or newer and still of use.

A migration that older releases cannot live with names the oldest release that can, by its own revision, in a comment on
the table of versions: ``op.execute("COMMENT ON TABLE alembic_version IS 'requires 0007'")``. A newer schema of a plugin
is left to its author.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from alembic.script import ScriptDirectory
from alembic.util import CommandError

from app.engine.read.statements import autocommit_connection
from app.schema import histories

COMMENT = "SELECT obj_description('alembic_version'::regclass, 'pg_class')"
REQUIRES = "requires "


class State(StrEnum):
    """What may be expected of the schema, the best first."""

    CURRENT = "ok"
    NEWER = "newer"
    OLDER = "pending"
    TOO_NEW = "too new"


@dataclass(frozen=True)
class HistoryState:
    """How the schema stands to a history, with the revision of either."""

    history: histories.History
    state: State
    stored: str
    head: str | None


def state() -> State:
    """How the schema stands to the code in all, as it does in its worst part; raises Failure when the database does not
    say."""
    return max((each.state for each in look()), key=list(State).index)


def look() -> list[HistoryState]:
    """How the schema stands to each history; raises Failure when the database does not say."""
    return [_found(each) for each in histories.every_history()]


def _found(history: histories.History) -> HistoryState:
    scripts, revisions = history.scripts(), histories.stored(history)
    head = scripts.get_current_head()
    return HistoryState(history, _state(history, scripts, revisions, head), ", ".join(revisions or ["nothing"]), head)


def _state(history: histories.History, scripts: ScriptDirectory, revisions: list[str], head: str | None) -> State:
    if revisions == [head]:
        return State.CURRENT
    if not revisions or all(_is_known(scripts, each) for each in revisions):
        return State.OLDER
    required = _required() if history == histories.TRUNK else ""
    return State.NEWER if not required or _is_known(scripts, required) else State.TOO_NEW


def _required() -> str:
    with autocommit_connection() as connection:
        (comment,) = connection.execute(COMMENT).fetchone() or (None,)
    return (comment or "").removeprefix(REQUIRES) if (comment or "").startswith(REQUIRES) else ""


def _is_known(scripts: ScriptDirectory, revision: str) -> bool:
    try:
        return scripts.get_revision(revision) is not None
    except CommandError:
        return False
