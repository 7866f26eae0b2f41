"""The locks of writes: on the rows that they change, and on the roots that these rows belong to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Row, Select, Uuid, and_, bindparam, literal, select
from sqlalchemy.orm import Session

from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import Record
from app.engine.read.database import LostRace
from app.engine.read.encoding import STATEMENTS_KEPT
from app.engine.write.preconditions import Precondition
from app.foundation.errors import Forbidden, NotFound

# One id or several: to send an array takes as long as the rest of the statement.
WANTED = {True: bindparam("wanted_id", type_=Uuid()), False: bindparam("wanted_ids", type_=ARRAY(Uuid())).any_()}


def lock(
    model: type[Record], principal: Principal, session: Session, identifiers: Collection[UUID], operation: str
) -> dict[UUID, Row[Any]]:
    """Lock the rows among ``identifiers`` that the caller may write for the rest of the transaction, always in the same
    order, and return them with those that the caller may only see; ``check_writable`` judges each."""
    _lock_roots(model, principal, session, identifiers, operation)
    found: dict[UUID, Row[Any]] = {}
    for locking in (True, False):  # others are never kept waiting by whoever may only read
        if missing := [each for each in identifiers if each not in found]:
            statement = _reachable(model, principal.reader, operation, lock=locking, one=len(missing) == 1)
            rows = session.execute(statement, _wanted(missing) | principal.binds).all()
            if not locking:
                _refuse_unlocked(rows)
            found |= {row[0].id: row for row in rows}
    return found


def _refuse_unlocked(rows: Sequence[Row[Any] | None]) -> None:
    """Begin again where the caller may by now write a row that was not locked; raises LostRace."""
    if any(row is not None and row.writable for row in rows):
        raise LostRace()


def check_writable(model: type[Record], row: Row[Any] | None, condition: Precondition) -> Any:
    """The record in a row; raises NotFound, Forbidden, PreconditionRequired or PreconditionFailed."""
    if row is None:
        raise NotFound()
    if not row.writable:
        raise Forbidden()
    condition.check(model, row[0], seen=len(row) == 2 or row.seen)
    return row[0]


def lock_parent_roots(model: type[Record], session: Session, parent_ids: Collection[UUID]) -> None:
    """Keep the roots above the parents of new records from going before this write is done.

    A removal locks from the root down, the hooks of a write from the record up; whoever holds the root first keeps
    the two from waiting for each other.
    """
    if model.policy.scope.parent_column and parent_ids:
        session.execute(_roots_of_parents(model, one=len(parent_ids) == 1), _wanted(parent_ids))


def _lock_roots(
    model: type[Record], principal: Principal, session: Session, identifiers: Collection[UUID], operation: str
) -> None:
    """As ``lock_parent_roots``, for records that are there and that the caller may write."""
    if model.policy.scope.parent_column and identifiers:
        statement = _roots(model, principal.reader, operation, one=len(identifiers) == 1)
        session.execute(statement, _wanted(identifiers) | principal.binds)


def _wanted(identifiers: Collection[UUID]) -> dict[str, Any]:
    return {"wanted_id": next(iter(identifiers))} if len(identifiers) == 1 else {"wanted_ids": list(identifiers)}


@cache
def _roots_of_parents(model: type[Record], *, one: bool) -> Any:
    parent = model.target(model.policy.scope.parent_column)
    return _root_of(parent, parent.id == WANTED[one])


@lru_cache(maxsize=STATEMENTS_KEPT)
def _roots(model: type[Record], reader: Reader, operation: str, *, one: bool) -> Any:
    return _root_of(model, and_(model.id == WANTED[one], *_conditions(model, reader, operation)))


@lru_cache(maxsize=STATEMENTS_KEPT)
def _reachable(model: type[Record], reader: Reader, operation: str, *, lock: bool, one: bool) -> Any:
    """What the caller may reach, or with ``lock`` what the caller may write of that, locked. To build it for each write
    would cost more than the rest of the lock."""
    policy = model.policy
    reachable, writable = _conditions(model, reader, operation)
    found = select(model, writable.label("writable"))
    if operation == "delete" and (policy.leaves or policy.managed):
        # Some rows may be removed without being seen.
        found = found.add_columns(policy.visible(model, reader).label("seen"))
    # Of a row that the transaction has changed before, the trigger has raised the version.
    fresh = found.execution_options(populate_existing=True).where(model.id == WANTED[one], reachable).order_by(model.id)
    return fresh.where(writable).with_for_update(of=model) if lock else fresh


def _conditions(model: type[Record], reader: Reader, operation: str) -> tuple[Any, Any]:
    """Two conditions: that the caller may reach a row, and that the caller may write it."""
    return model.policy.reachable(model, reader, operation), model.policy.writable(model, reader, operation)


def _root_of(reached: type[Record], wanted: Any) -> Select[Any]:
    statement = select(literal(1)).select_from(reached).where(wanted)
    while name := reached.policy.scope.parent_column:
        upper, column = reached.target(name), getattr(reached, name)
        statement = statement.join(upper, upper.id == column)
        reached = upper
    return statement.order_by(reached.id).with_for_update(read=True, key_share=True, of=reached)
