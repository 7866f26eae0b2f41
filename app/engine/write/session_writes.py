"""What the service itself writes through the session of a unit, such as the account of somebody who signs up: noted at
each flush, so that hooks run and subscribers are told of it before the commit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import event, inspect
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import set_committed_value

from app.engine.declare.record import Record
from app.engine.read.database import UNIT_KEY
from app.engine.write import hooks, inputs
from app.engine.write.changes import record_changed
from app.engine.write.hooks import Write

if TYPE_CHECKING:
    from app.engine.write.unit_of_work import Unit

Values = dict[str, Any]


@dataclass(slots=True)
class SessionWrite:
    """One record that the session has created, changed or deleted: what changed attributes were before."""

    verb: str
    record: Any
    before: Values

    @property
    def is_done(self) -> bool:
        """Whether it was not taken back with a savepoint."""
        return bool(inspect(self.record).persistent) is not (self.verb == "delete")


class SessionWrites:
    """The writes of one session, in order. Those of the write plan are ``planned``: their hooks have run."""

    def __init__(self) -> None:
        self.planned: list[Record] = []
        self._held: Sequence[Record] = ()
        self._noted: dict[int, SessionWrite] = {}
        self._settled: dict[int, SessionWrite] = {}

    @contextmanager
    def holding(self, records: Sequence[Record]) -> Iterator[None]:
        """Leave what hooks set on ``records`` to the plan that changes them: a query of a hook would have the session
        write it before, and the row would have two versions more."""
        self._held = records
        try:
            yield
        finally:
            self._held = ()

    def note(self, session: Session) -> None:
        """Note what the session is about to write."""
        for record in self._held:
            for name in _before(record):
                set_committed_value(record, name, getattr(record, name))
        planned = {id(record) for record in self.planned}
        for verb, record in _pending(session):
            if id(record) in planned or not has_listeners(verb, type(record)):
                continue
            before = _before(record) if verb == "update" else {}
            known = self._noted.get(id(record))
            if known is None and id(record) not in self._settled:
                self._noted[id(record)] = SessionWrite(verb, record, before)
            elif known is not None and verb == "delete":
                known.verb = verb
            elif known is not None:
                known.before = before | known.before

    def settle(self, unit: Unit) -> None:
        """Run the hooks of what was written, and tell of it; what the hooks write is settled as well, each record
        once."""
        while self._noted:
            writes, self._noted = self._noted, {}
            self._settled |= writes
            for each in writes.values():
                if each.is_done:
                    _run(unit, each)
            unit.session.flush()


def has_listeners(verb: str, model: type[Any]) -> bool:
    """Whether anybody hears of records of ``model`` that the service itself writes."""
    return hooks.has_hooks_for_service(verb, model) or record_changed.has_listeners(model)


def _run(unit: Unit, each: SessionWrite) -> None:
    stored = inputs.stored_of(each.record)
    given = {name: stored.get(name) for name in each.before} if each.verb == "update" else stored
    write = Write(unit, given if each.verb != "delete" else {}, each.before)
    hooks.run(each.verb, type(each.record), [each.record], [write], by_service=True)
    record_changed.tell(unit, each.verb, each.record, each.before)


def _pending(session: Session) -> Iterator[tuple[str, Any]]:
    yield from (("create", each) for each in session.new if isinstance(each, Record))
    yield from (("delete", each) for each in session.deleted if isinstance(each, Record))
    for each in session.dirty:
        if isinstance(each, Record) and session.is_modified(each):
            yield "update", each


def _before(record: Record) -> Values:
    names = inputs.columns(type(record))
    histories = ((name, inspect(record).attrs[name].history) for name in names)
    return {name: next(iter(each.deleted), None) for name, each in histories if each.has_changes()}


@event.listens_for(Session, "before_flush")
def _note(session: Session, *_: object) -> None:
    unit: Unit | None = session.info.get(UNIT_KEY)
    if unit is not None:
        unit.writes.note(session)
