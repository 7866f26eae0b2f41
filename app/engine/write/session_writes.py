"""What the service itself writes through the session of a unit, such as the account of somebody who signs up: noted at
each flush, so that hooks run and subscribers are told of it before the commit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import event, inspect
from sqlalchemy.orm import Session, object_session
from sqlalchemy.orm.attributes import set_committed_value

from app.engine.declare.record import Record
from app.engine.read.database import UNIT_KEY
from app.engine.write import hooks, inputs
from app.engine.write.changes import record_changed
from app.engine.write.hooks import Write

if TYPE_CHECKING:
    from app.engine.write.unit_of_work import Unit

Values = dict[str, Any]


# So often may hooks write what other hooks hear of.
MAX_ROUNDS = 20


@dataclass(slots=True)
class SessionWrite:
    """One record that the session has created, changed or deleted: what changed attributes were before, and whether a
    hook of the same verb and model has written it, which is not asked about its own doing."""

    verb: str
    record: Any
    before: Values
    is_of_own_hook: bool = False

    def is_lasting(self) -> bool:
        """Whether a savepoint or a later write has not taken it back."""
        if inspect(self.record).persistent is (self.verb == "delete"):
            return False
        if self.verb == "update":
            self.before = {name: value for name, value in self.before.items() if value != getattr(self.record, name)}
        return self.verb != "update" or bool(self.before)


class SessionWrites:
    """The writes of one session that nobody has been told of, in order."""

    def __init__(self) -> None:
        self._noted: dict[int, SessionWrite] = {}
        self._planned: frozenset[int] = frozenset()
        self._held: tuple[Any, ...] = ()
        self._running: frozenset[tuple[str, type[Any]]] = frozenset()

    @contextmanager
    def planning(
        self, verb: str, model: type[Record], records: Sequence[Any], *, holding: bool = False
    ) -> Iterator[None]:
        """Leave the telling of ``records`` to whoever writes them within. With ``holding``, what hooks set on them is
        not flushed either: a query of a hook would have the session write it before, and make a version more."""
        outer = self._planned, self._held, self._running
        self._planned |= {id(record) for record in records}
        self._held += tuple(records) if holding else ()
        self._running |= {(verb, model)}
        try:
            yield
        finally:
            self._planned, self._held, self._running = outer

    def release_held(self) -> None:
        """Take from the session what hooks have set on records that are held."""
        for record in self._held:
            for name in tuple(inspect(record).committed_state):
                set_committed_value(record, name, getattr(record, name))

    def note(self, verb: str, record: Any) -> None:
        """Note that the session writes ``record``."""
        before = _before(record) if verb == "update" else {}
        if id(record) in self._planned or (verb == "update" and not before):
            return
        known = self._noted.get(id(record))
        if known is None:
            is_of_own_hook = (verb, type(record)) in self._running
            self._noted[id(record)] = SessionWrite(verb, record, before, is_of_own_hook)
        elif verb == "delete" and known.verb == "create":
            del self._noted[id(record)]
        elif verb == "delete":
            known.verb = verb
        elif known.verb == "update":
            known.before = before | known.before

    def settle_before(self, unit: Unit, model: type[Record], identifiers: Collection[UUID]) -> None:
        """Tell of what was written if the plan is about to write one of these records again."""
        if any(type(each.record) is model and each.record.id in identifiers for each in self._noted.values()):
            self.settle(unit)

    def settle(self, unit: Unit) -> None:
        """Run the hooks of what was written, and tell of it, and of what the hooks write. Raises RuntimeError where
        they go on for ever."""
        for _ in range(MAX_ROUNDS):
            if not self._noted:
                return
            writes, self._noted = self._noted, {}
            for each in writes.values():
                if each.is_lasting():
                    self._settle(unit, each)
        names = sorted({type(each.record).__name__ for each in writes.values()})
        raise RuntimeError(f"Hooks write records of {', '.join(names)} without end")

    def _settle(self, unit: Unit, each: SessionWrite) -> None:
        model = type(each.record)
        if each.verb != "delete":
            for name in _expired(each.record):
                getattr(each.record, name)
        stored = inputs.stored_of(each.record)
        given = {name: stored[name] for name in each.before} if each.verb == "update" else stored
        write = Write(unit, given if each.verb != "delete" else {}, each.before)
        if not each.is_of_own_hook:
            with self.planning(each.verb, model, [each.record]):
                hooks.run(each.verb, model, [each.record], [write], by_service=True)
                unit.session.flush()
        record_changed.tell(unit, each.verb, each.record, each.before)


def _expired(record: Any) -> list[str]:
    """The stored attributes that a statement or a savepoint has made unknown."""
    model: type[Record] = type(record)
    return [name for name in inputs.columns(model) if name in inspect(record).expired_attributes]


def _before(record: Record) -> Values:
    state = inspect(record)
    histories = ((name, state.attrs[name].history) for name in state.committed_state)
    return {name: next(iter(each.deleted), None) for name, each in histories if each.has_changes()}


def _listen(name: str, verb: str) -> None:
    @event.listens_for(Record, name, propagate=True)
    def note(_: object, __: object, record: Any) -> None:
        model = type(record)
        if (verb, model) in hooks.for_service or model in record_changed.subscribers:
            session = object_session(record)
            unit: Unit | None = session.info.get(UNIT_KEY) if session is not None else None
            if unit is not None:
                unit.writes.note(verb, record)


@event.listens_for(Session, "before_flush")
def _release_held(session: Session, *_: object) -> None:
    unit: Unit | None = session.info.get(UNIT_KEY)
    if unit is not None:
        unit.writes.release_held()


for name, verb in (("before_insert", "create"), ("before_update", "update"), ("before_delete", "delete")):
    _listen(name, verb)
