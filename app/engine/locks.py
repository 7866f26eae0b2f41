"""The locks of writes: on the rows that they change, and on the roots that these rows belong to."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Row, Select, Uuid, bindparam, literal, select
from sqlalchemy.orm import Session

from app.engine.policy import Parent
from app.engine.preconditions import Precondition
from app.engine.principal import Principal, Reader
from app.engine.record import Record
from app.foundation.errors import Forbidden, NotFound


def locked(
    model: type[Record], principal: Principal, session: Session, identifier: UUID, operation: str,
    condition: Precondition,
) -> Any:  # fmt: skip
    """Lock the visible row for the rest of the transaction; raises NotFound, Forbidden, PreconditionRequired or
    PreconditionFailed."""
    hold_root(model, session, identifier=identifier)
    found = session.execute(_one(model, principal.reader, operation), {"wanted_id": identifier} | principal.binds)
    return admitted(model, found.one_or_none(), condition)


def locked_rows(
    model: type[Record], principal: Principal, session: Session, identifiers: Collection[UUID], operation: str
) -> dict[UUID, Row[Any]]:
    """Lock the visible rows among ``identifiers``, always in the same order; ``admitted`` judges each."""
    hold_roots(model, session, identifiers=identifiers)
    wanted = _reachable(model, principal.reader, operation).where(model.id == _any(identifiers)).order_by(model.id)
    return {row[0].id: row for row in session.execute(wanted, principal.binds)}


def admitted(model: type[Record], row: Row[Any] | None, condition: Precondition) -> Any:
    """The record in a locked row; raises as ``locked`` does."""
    if row is None:
        raise NotFound()
    if not row.writable:
        raise Forbidden()
    condition.check(model, row[0], seen=len(row) == 2 or row.seen)
    return row[0]


def hold_root(
    model: type[Record], session: Session, *, identifier: UUID | None = None, parent_id: UUID | None = None
) -> None:
    """Keep the root of a parent-scoped record from going before this write is done.

    A removal locks from the root down, the hooks of a write from the record up; whoever holds the root first keeps
    the two from waiting for each other.
    """
    if isinstance(model.policy.scope, Parent):
        reached = model if parent_id is None else model.target(model.policy.scope.column)
        session.execute(_root_of(reached, reached.id == (parent_id or identifier)))


def hold_roots(
    model: type[Record], session: Session, *, identifiers: Collection[UUID] = (), parent_ids: Collection[UUID] = ()
) -> None:
    """The same of many records."""
    if isinstance(model.policy.scope, Parent) and (identifiers or parent_ids):
        reached = model if identifiers else model.target(model.policy.scope.column)
        session.execute(_root_of(reached, reached.id == _any(identifiers or parent_ids)))


@cache
def _one(model: type[Record], reader: Reader, operation: str) -> Any:
    """To build the statement anew for each write would cost more than the rest of the lock."""
    return _reachable(model, reader, operation).where(model.id == bindparam("wanted_id", type_=Uuid()))


def _reachable(model: type[Record], reader: Reader, operation: str) -> Any:
    policy = model.policy
    found = select(model, policy.writable(model, reader, operation).label("writable"))
    if operation == "delete" and (policy.leaves or policy.managed):
        # Some rows may be removed without being seen.
        found = found.add_columns(policy.visible(model, reader).label("seen"))
    # Of a row that the transaction has changed before, the trigger has raised the version.
    fresh = found.execution_options(populate_existing=True)
    return fresh.where(policy.reachable(model, reader, operation)).with_for_update(of=model)


def _root_of(reached: type[Record], wanted: Any) -> Select[Any]:
    statement = select(literal(1)).select_from(reached).where(wanted)
    while isinstance(reached.policy.scope, Parent):
        upper, column = reached.target(reached.policy.scope.column), getattr(reached, reached.policy.scope.column)
        statement = statement.join(upper, upper.id == column)
        reached = upper
    return statement.order_by(reached.id).with_for_update(read=True, key_share=True, of=reached)


def _any(identifiers: Collection[UUID]) -> Any:
    return bindparam(None, list(identifiers), type_=ARRAY(Uuid())).any_()
