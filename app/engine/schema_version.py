"""How the schema of the database stands to this release: the same, older, or newer and still of use.

A migration that older releases cannot live with names the oldest release that can, by its own revision, in a comment on
the table of versions: ``op.execute("COMMENT ON TABLE alembic_version IS 'requires 0007'")``.
"""

from __future__ import annotations

from enum import StrEnum

from alembic.util import CommandError

from app.engine.statements import autocommitted
from app.extensions import history

STORED = """
SELECT array_agg(version_num), obj_description('alembic_version'::regclass, 'pg_class') FROM alembic_version
"""
REQUIRES = "requires "


class State(StrEnum):
    """What may be expected of the schema."""

    CURRENT = "ok"
    OLDER = "pending"
    NEWER = "newer"
    TOO_NEW = "too new"


def state() -> tuple[State, str]:
    """How the schema stands to the code, and its revision; raises Failure when the database does not say."""
    with autocommitted() as connection:
        revisions, comment = connection.execute(STORED).fetchone() or (None, None)
    stored = ", ".join(revisions or ["nothing"])
    if revisions == [history().get_current_head()]:
        return State.CURRENT, stored
    if not revisions or all(_is_known(each) for each in revisions):
        return State.OLDER, stored
    required = (comment or "").removeprefix(REQUIRES) if (comment or "").startswith(REQUIRES) else ""
    return (State.NEWER if not required or _is_known(required) else State.TOO_NEW), stored


def _is_known(revision: str) -> bool:
    try:
        return history().get_revision(revision) is not None
    except CommandError:
        return False
