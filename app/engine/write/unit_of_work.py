"""The unit of work: one transaction in which writes are checked, made, followed by their hooks, and committed together.

Nothing leaves the process before the commit, so a unit that loses a race is run again from its inputs. ``plan`` says
what a write means; the unit says when it counts.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, Result, UpdateBase, func, select, text
from sqlalchemy.orm import Session

from app.engine.declare.principal import Principal
from app.engine.declare.record import Base, Record, camel
from app.engine.read.database import (
    DRIVER_ERRORS,
    DRIVER_KEY,
    UNIT_KEY,
    LostRace,
    OutcomeUnknown,
    is_definite_failure,
    translated,
)
from app.engine.read.encoding import Representation
from app.engine.read.statements import driver_connection
from app.engine.write import plan, sql, upserts
from app.engine.write.conflicts import UniqueRule
from app.engine.write.faults import Faults, FirstFault
from app.engine.write.plan import Change
from app.engine.write.preconditions import UNCONDITIONAL, Precondition
from app.engine.write.session_writes import SessionWrites
from app.engine.write.upserts import Resolution, Upserted
from app.engine.write.writers import describe_writer
from app.extensions import db
from app.foundation.errors import ForeignKeyViolation, Invalid
from app.runtime.change_context import transactions_of

log = logging.getLogger(__name__)

LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
# Runs of a unit that loses races: against serialization failures, deadlocks and lock timeouts.
TRIES = 3

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R", bound=Record)
Values = dict[str, Any]
Action = Callable[[], None]


def run_unit(
    principal: Principal, work: Callable[Concatenate[Unit, P], T], *arguments: P.args, **options: P.kwargs
) -> T:
    """Call ``work`` with a unit of ``principal``, commit what it wrote, and return what it returned; objects of
    the session are detached then. An exception rolls
    everything back. A unit that loses a race is run again, three times in all, so ``work`` starts from its arguments
    alone. ``run_unit(principal, Unit.create, Model, values)`` is a unit of one write.

    Raises what ``work`` raises, the failures of ``translated``, OutcomeUnknown when the answer of the commit is lost,
    and RuntimeError inside of another unit.
    """
    runs = 0
    while True:
        runs += 1
        try:
            with attempt(principal) as unit:
                return work(unit, *arguments, **options)
        except LostRace:
            if runs == TRIES:
                raise


class Unit:
    """The writes of one transaction, in the name of ``principal``. ``session`` begins it with its first statement."""

    __slots__ = (
        "_after_commit", "_gathered", "_on_rollback", "follows_transitions", "is_removing", "principal", "session",
        "writes",
    )  # fmt: skip

    def __init__(self, session: Session, principal: Principal) -> None:
        self.session = session
        self.principal = principal
        # Tells whether a foreign-key violation comes from a removal.
        self.is_removing = False
        # Whether states move as their models declare it; what takes a move back need not.
        self.follows_transitions = True
        self.writes = SessionWrites()
        self._after_commit: list[Action] = []
        self._on_rollback: list[Action] = []
        self._gathered: dict[Callable[[set[Any]], None], set[Any]] = {}

    def create(self, model: type[Record], given: Values) -> Representation:
        """Store a new record from ``given`` (by attribute) and return it as the principal sees it."""
        self.is_removing = False
        return _only(plan.create(self, model, {0: given}, FirstFault(), returns=True))

    def update(
        self, model: type[Record], identifier: UUID, given: Values, condition: Precondition = UNCONDITIONAL
    ) -> Representation:
        """Change the fields in ``given`` and return the record. Fields that callers may not change may repeat their
        stored value; any other value raises Invalid. ``condition`` is judged under the lock of the row."""
        self.is_removing = False
        changes = {0: Change(identifier, given, condition)}
        return _only(plan.update(self, model, changes, FirstFault(), returns=True))

    def delete(
        self, model: type[Record], identifier: UUID, condition: Precondition = UNCONDITIONAL, *,
        returning: bool = False,
    ) -> Representation | None:  # fmt: skip
        """Remove a record with what belongs to it, by the rules of the database; ``returning`` gives it back.
        ``condition`` is judged under the lock of the row."""
        self.is_removing = True
        changes = {0: Change(identifier, condition=condition)}
        written = plan.delete(self, model, changes, FirstFault(), returns=returning)
        return _only(written) if returning else None

    def create_many(
        self, model: type[Record], given: Mapping[int, Values], faults: Faults | None = None
    ) -> dict[int, UUID]:
        """Store new records, all or none, and return their ids. They are given and returned by their index in the
        request, so that what is wrong (ItemsRefused) is told by it; ``faults`` has what was found before."""
        self.is_removing = False
        return dict(plan.create(self, model, given, Faults(faults or {})).ids)

    def update_many(self, model: type[Record], changes: Mapping[int, Change], faults: Faults | None = None) -> None:
        """Change records, all or none, by their index in the request. Raises ItemsRefused."""
        self.is_removing = False
        plan.update(self, model, changes, Faults(faults or {}))

    def delete_many(self, model: type[Record], changes: Mapping[int, Change], faults: Faults | None = None) -> None:
        """Remove records with what belongs to them, all or none, by their index in the request. Raises ItemsRefused."""
        self.is_removing = True
        plan.delete(self, model, changes, Faults(faults or {}))

    def upsert(
        self, model: type[Record], given: Mapping[int, Values], rule: UniqueRule, resolution: Resolution,
        faults: Faults | None = None,
    ) -> Upserted:  # fmt: skip
        """Store new records, and change or leave those that ``rule`` finds there. Raises ItemsRefused."""
        self.is_removing = False
        return upserts.upsert(self, model, given, rule, resolution, Faults(faults or {}))

    def read_many(self, model: type[Record], identifiers: Sequence[UUID]) -> list[Representation]:
        """The records with these ids, in this order, after a write that was allowed."""
        found = sql.read(model, self.principal, driver_connection(self.session), identifiers)
        return [found[identifier] for identifier in identifiers]

    def store(self, record: Base) -> None:
        """Write ``record`` now, so that rows which refer to it can follow. No policy is asked; its hooks run, and it is
        told of, before the commit."""
        self.session.add(record)
        self.session.flush()

    def bookkeep(self, statement: UpdateBase, rows: Sequence[Values] = ()) -> int:
        """Run an INSERT, UPDATE or DELETE that no hook and no subscriber is told of, and return the number of rows.
        No policy is asked. It is for what the service keeps for itself, and for ends of what nobody waits for."""
        if rows:
            self.session.execute(statement, rows)
            return len(rows)
        return self.session.execute(statement).rowcount  # type: ignore[attr-defined]

    def bookkeep_returning(self, statement: UpdateBase) -> Result[Any]:
        """Do the same, and return what the statement returns."""
        return self.session.execute(statement)

    def execute(self, statement: UpdateBase) -> int:
        """The older name of ``bookkeep``."""
        warnings.warn("Unit.execute is called Unit.bookkeep since 0.4, and goes with 0.5", DeprecationWarning, 2)
        return self.bookkeep(statement)

    def get(self, model: type[R], identifier: UUID | None, *, lock: bool = False) -> R:
        """Load a row that a checked reference names; ``lock`` keeps others from changing it until the end."""
        found = self.session.get(model, identifier, with_for_update={"key_share": True} if lock else None)
        if found is None:
            raise ForeignKeyViolation()  # it was there when the references were checked
        return found

    def lock(self, name: str) -> None:
        """Wait for whoever else holds the advisory lock ``name``, and hold it until the end."""
        self.session.execute(LOCK, {"name": name})

    def next_number(self, column: Any, condition: ColumnElement[bool], first: int = 1) -> int:
        """One past the highest ``column`` under ``condition``; lock the parent row first. Raises Invalid."""
        highest = self.session.scalar(select(func.max(column)).where(condition))
        number = first if highest is None else int(highest) + 1
        if number > column.property.columns[0].info["spec"].kind.constraints["maximum"]:
            raise Invalid({camel(column.key): ["The numbers are used up."]})
        return number

    def after_commit(self, action: Action) -> None:
        """Do ``action`` once the writes are safe."""
        self._after_commit.append(action)

    def gather(self, action: Callable[[set[T]], None]) -> set[T]:
        """The set that ``action`` gets after the commit, once, however often it is asked for; also after one whose
        answer is lost, so it may tell others to look and no more."""
        return self._gathered.setdefault(action, set())

    def on_rollback(self, action: Action) -> None:
        """Do ``action`` should the unit certainly come to nothing."""
        self._on_rollback.append(action)

    def commit(self) -> None:
        """Commit, and do what follows. Only ``attempt`` calls this."""
        try:
            self.session.commit()
        except DRIVER_ERRORS as error:
            failure = translated(error, removing=self.is_removing)
            certain = is_definite_failure(error)
            self.roll_back(undo=certain)
            if certain:
                raise failure from error
            _run_callbacks(self._told())
            raise OutcomeUnknown() from error
        except BaseException:
            self.roll_back(undo=False)
            raise
        self._end()
        _run_callbacks([*self._after_commit, *self._told()])

    def _told(self) -> list[Action]:
        return [partial(action, gathered) for action, gathered in self._gathered.items()]

    def roll_back(self, *, undo: bool = True) -> None:
        """End the transaction; ``undo`` what was done outside of the database for its sake. Only ``attempt`` calls
        this."""
        try:
            self.session.rollback()
        except DRIVER_ERRORS as error:
            log.warning("A connection was lost before its transaction was rolled back: %s", type(error).__name__)
            self.session.invalidate()
        finally:
            self._end()
        if undo:
            _run_callbacks(self._on_rollback)

    def _end(self) -> None:
        """Detach what was loaded; what follows the transaction may begin another unit."""
        self.session.expunge_all()
        self.session.info.pop(UNIT_KEY, None)
        self.session.info.pop(DRIVER_KEY, None)


@contextmanager
def attempt(principal: Principal) -> Iterator[Unit]:
    """One run of a unit, for ``run_unit``; a ``with`` block cannot be run again, so nothing else opens one."""
    session: Session = db.session()
    if UNIT_KEY in session.info:
        raise RuntimeError("Units of work do not nest: a function that writes takes the unit")
    unit = session.info[UNIT_KEY] = Unit(session, principal)
    try:
        with transactions_of(describe_writer(principal)):
            yield unit
            session.flush()
            unit.writes.settle(unit)  # what fails from here on is the commit
    except DRIVER_ERRORS as error:
        unit.roll_back()
        raise translated(error, removing=unit.is_removing) from error
    except BaseException:
        unit.roll_back()
        raise
    unit.commit()


def _only(written: plan.WriteResult) -> Representation:
    """The record of a write of one."""
    return written.records[written.ids[0]]


def _run_callbacks(actions: list[Action]) -> None:
    """Do what follows the end of a transaction. It has ended, so one failure is neither the caller's nor that of the
    other actions."""
    for action in actions:
        try:
            action()
        except Exception:
            log.exception("What follows a transaction has failed")
