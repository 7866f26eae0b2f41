"""The sequencer: gives the rows of the log positions in the order of their commits, for whoever gets its lock.

A position is given once a transaction is over, to rows that nobody saw when the last positions were given. So a reader
who has seen a position has missed nothing before it, and a transaction that takes an hour delays nobody.
"""

from __future__ import annotations

import time
from typing import NamedTuple
from uuid import UUID

from app.engine.declare.principal import SYSTEM
from app.engine.read.statements import autocommit_connection, driver_connection
from app.engine.write.unit_of_work import Unit, run_unit
from app.runtime.connections import allow_time

# How often somebody else's numbering is waited for, and the seconds of each wait.
TRIES, PAUSE = 5, 0.02
NUMBER = "SELECT rowgate_number_changes()"
STATE = """
SELECT epoch, position, coalesce((SELECT min(position) FROM platform_change_position), position + 1)
FROM platform_change_sequencer
"""


class Positions(NamedTuple):
    """The positions that were given in this ``epoch``: the ``last`` one, and the ``first`` that is kept."""

    epoch: UUID
    last: int
    first: int


def number_changes() -> int | None:
    """Number what is committed, and return how many changes that were; None where somebody else is at it for long."""
    for tried in range(TRIES):
        with autocommit_connection("writes") as connection:
            given: int | None = connection.execute(NUMBER).fetchall()[0][0]
        if given is not None:
            return given
        if tried + 1 < TRIES:
            time.sleep(PAUSE)
    return None


def number_all() -> None:
    """Number what is committed, however much that is, as periodic work."""
    run_unit(SYSTEM, _number)


def _number(unit: Unit) -> None:
    allow_time(unit.session)
    driver_connection(unit.session).execute(NUMBER)


def positions() -> Positions:
    """Return what is numbered."""
    with autocommit_connection() as connection:
        return Positions(*connection.execute(STATE).fetchall()[0])
