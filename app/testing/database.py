"""Rows that tests put into the database by hand, and look at there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy.orm import Session

from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, attempt


def unit_of_work() -> AbstractContextManager[Unit]:
    """A unit of the service itself, committed at the end of the block."""
    return attempt(SYSTEM)


@contextmanager
def transaction() -> Iterator[Session]:
    """The session of such a unit."""
    with unit_of_work() as unit:
        yield unit.session
