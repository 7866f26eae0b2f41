"""Places in the log, up to which somebody has heard of everything, and the cursors that name them.

A cursor is its caller's alone, and has a hash of their rights: another one tells that records have come or gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from app.engine.changes.sequencer import Positions
from app.engine.declare.principal import Principal
from app.engine.read import cursors
from app.engine.read.encoding import dumps
from app.engine.read.statements import autocommit_connection

SHARED = """
SELECT recipient, md5(string_agg(concat_ws(' ', id, may), ',' ORDER BY id)) FROM auth_share
WHERE recipient = ANY (%(recipients)s) AND (until IS NULL OR until > now()) GROUP BY recipient
"""
TYPES = ("text", "bigint", "text")


@dataclass(frozen=True)
class Place:
    """A position in an epoch, and the ``rights`` with which it was reached."""

    epoch: str
    position: int
    rights: str

    def is_kept(self, known: Positions) -> bool:
        """Whether the log reaches back to the place."""
        return self.epoch == str(known.epoch) and known.first - 1 <= self.position <= known.last


def read(principal: Principal, cursor: str) -> Place:
    """Return the place of ``cursor``; raises InvalidPagination unless it was made for the same caller."""
    return Place(*cursors.read(_holder(principal), cursor, TYPES))


def write(principal: Principal, place: Place) -> str:
    """Return the cursor of ``place``."""
    return cursors.write(_holder(principal), [place.epoch, place.position, place.rights])


def _holder(principal: Principal) -> bytes:
    """Whose a cursor is, whatever their rights are by now."""
    return dumps({"of": "changes", "holder": principal.user_id or principal.credential_id})


def rights(principals: Sequence[Principal]) -> list[str]:
    """Return, for each caller, a hash of what decides which rows are theirs beside the rows themselves."""
    recipients = {name for each in principals for name in each.recipients}
    shared: dict[str, str] = {}
    if recipients:
        with autocommit_connection() as connection:
            shared = dict(connection.execute(SHARED, {"recipients": list(recipients)}).fetchall())
    return [_rights(each, shared) for each in principals]


def _rights(principal: Principal, shared: dict[str, str]) -> str:
    known: list[Any] = [
        sorted((str(each), role) for each, role in principal.memberships.items()), principal.is_admin,
        principal.verified_email, principal.grants_hash,
        sorted((name, shared[name]) for name in principal.recipients if name in shared),
    ]  # fmt: skip
    return sha256(dumps(known)).hexdigest()[:16]
