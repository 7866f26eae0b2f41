"""The locks of writes: on the rows that they change, and on the roots that these rows belong to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Row, Select, Uuid, and_, bindparam, literal, select
from sqlalchemy.orm import Session

from app.engine.database import LostRace
from app.engine.policy import Parent
from app.engine.preconditions import Precondition
from app.engine.principal import Principal, Reader
from app.engine.record import Record
from app.foundation.errors import Forbidden, NotFound


def locked(
    model: type[Record], principal: Principal, session: Session, identifier: UUID, operation: str,
    condition: Precondition,
) -> Any:  # fmt: skip
    """Lock the row for the rest of the transaction, where the caller may write it; raises NotFound, Forbidden,
    PreconditionRequired or PreconditionFailed."""
    _hold_roots(model, principal, session, [identifier], operation)
    wanted = {"wanted_id": identifier} | principal.binds
    row = session.execute(_one(model, principal.reader, operation), wanted).one_or_none()
    if row is None:  # others are never kept waiting by whoever may only read
        row = session.execute(_one_unlocked(model, principal.reader, operation), wanted).one_or_none()
        _refuse_unlocked([row])
    return admitted(model, row, condition)


def locked_rows(
    model: type[Record], principal: Principal, session: Session, identifiers: set[UUID], operation: str
) -> dict[UUID, Row[Any]]:
    """Lock the rows among ``identifiers`` that the caller may write, always in the same order, and return them with
    those that the caller may only see; ``admitted`` judges each."""
    _hold_roots(model, principal, session, identifiers, operation)
    found: dict[UUID, Row[Any]] = {}
    for lock in (True, False):
        missing = identifiers - found.keys()
        if missing:
            wanted = _reachable(model, principal.reader, operation, lock=lock)
            wanted = wanted.where(model.id == _any(missing)).order_by(model.id)
            rows = session.execute(wanted, principal.binds).all()
            if not lock:
                _refuse_unlocked(rows)
            found |= {row[0].id: row for row in rows}
    return found


def _refuse_unlocked(rows: Sequence[Row[Any] | None]) -> None:
    """Begin again where the caller may by now write a row that was not locked; raises LostRace."""
    if any(row is not None and row.writable for row in rows):
        raise LostRace()


def admitted(model: type[Record], row: Row[Any] | None, condition: Precondition) -> Any:
    """The record in a row; raises as ``locked`` does."""
    if row is None:
        raise NotFound()
    if not row.writable:
        raise Forbidden()
    condition.check(model, row[0], seen=len(row) == 2 or row.seen)
    return row[0]


def hold_parent_roots(model: type[Record], session: Session, parent_ids: Collection[UUID]) -> None:
    """Keep the roots above the parents of new records from going before this write is done.

    A removal locks from the root down, the hooks of a write from the record up; whoever holds the root first keeps
    the two from waiting for each other.
    """
    if isinstance(model.policy.scope, Parent) and parent_ids:
        parent = model.target(model.policy.scope.column)
        session.execute(_root_of(parent, parent.id == _any(parent_ids)))


def _hold_roots(
    model: type[Record], principal: Principal, session: Session, identifiers: Collection[UUID], operation: str
) -> None:
    """The same of records that are there, where the caller may write them."""
    if isinstance(model.policy.scope, Parent) and identifiers:
        session.execute(_roots(model, principal.reader, operation), {"wanted_ids": list(identifiers)} | principal.binds)


@cache
def _roots(model: type[Record], reader: Reader, operation: str) -> Any:
    wanted = model.id == bindparam("wanted_ids", type_=ARRAY(Uuid())).any_()
    return _root_of(model, and_(wanted, *_is_writable(model, reader, operation)))


@cache
def _one(model: type[Record], reader: Reader, operation: str) -> Any:
    """To build the statement anew for each write would cost more than the rest of the lock."""
    return _reachable(model, reader, operation, lock=True).where(model.id == bindparam("wanted_id", type_=Uuid()))


@cache
def _one_unlocked(model: type[Record], reader: Reader, operation: str) -> Any:
    return _reachable(model, reader, operation, lock=False).where(model.id == bindparam("wanted_id", type_=Uuid()))


def _reachable(model: type[Record], reader: Reader, operation: str, *, lock: bool) -> Any:
    """What the caller may reach, or with ``lock`` what the caller may write of that, locked."""
    policy = model.policy
    reachable, writable = _is_writable(model, reader, operation)
    found = select(model, writable.label("writable"))
    if operation == "delete" and (policy.leaves or policy.managed):
        # Some rows may be removed without being seen.
        found = found.add_columns(policy.visible(model, reader).label("seen"))
    # Of a row that the transaction has changed before, the trigger has raised the version.
    fresh = found.execution_options(populate_existing=True).where(reachable)
    return fresh.where(writable).with_for_update(of=model) if lock else fresh


def _is_writable(model: type[Record], reader: Reader, operation: str) -> tuple[Any, Any]:
    """Two conditions: that the caller may reach a row, and that the caller may write it."""
    return model.policy.reachable(model, reader, operation), model.policy.writable(model, reader, operation)


def _root_of(reached: type[Record], wanted: Any) -> Select[Any]:
    statement = select(literal(1)).select_from(reached).where(wanted)
    while isinstance(reached.policy.scope, Parent):
        upper, column = reached.target(reached.policy.scope.column), getattr(reached, reached.policy.scope.column)
        statement = statement.join(upper, upper.id == column)
        reached = upper
    return statement.order_by(reached.id).with_for_update(read=True, key_share=True, of=reached)


def _any(identifiers: Collection[UUID]) -> Any:
    return bindparam(None, list(identifiers), type_=ARRAY(Uuid())).any_()
