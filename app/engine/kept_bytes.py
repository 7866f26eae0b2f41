"""How many bytes of answers each user keeps under idempotency keys.

To sum them up at every write would cost more than the write. Each process asks once a minute and counts what it adds
itself, so that the bound is passed by what other processes add in that minute at most.
"""

from __future__ import annotations

import time
from collections import OrderedDict

from app.engine.statements import within
from app.engine.unit_of_work import Unit

# Of answers beyond these only the ids and versions are kept: of one answer, and of all answers of one user.
MAX_ANSWER_BYTES, MAX_KEPT_BYTES = 256 * 1024, 50 * 1024 * 1024
# In seconds, and of so many users.
COUNTED_FOR, MAX_USERS = 60.0, 10_000
SUM = "SELECT coalesce(sum(response_bytes), 0)::bigint FROM platform_idempotency_key WHERE principal = %s"

_known: OrderedDict[str, tuple[int, float]] = OrderedDict()


def fits(unit: Unit, owner: str, size: int) -> bool:
    """Whether an answer of so many bytes may be kept whole beside the others of its owner."""
    return size <= MAX_ANSWER_BYTES and _kept_by(unit, owner) + size <= MAX_KEPT_BYTES


def count(owner: str, size: int) -> None:
    """Add what was kept for ``owner``."""
    if owner in _known:
        kept, asked_at = _known[owner]
        _known[owner] = (kept + size, asked_at)


def _kept_by(unit: Unit, owner: str) -> int:
    known = _known.get(owner)
    if known is None or time.monotonic() - known[1] > COUNTED_FOR:
        ((kept,),) = within(unit.session).execute(SUM, (owner,)).fetchall()
        known = _known[owner] = (kept, time.monotonic())
        if len(_known) > MAX_USERS:
            _known.popitem(last=False)
    return known[0]
