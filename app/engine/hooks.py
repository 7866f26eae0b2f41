"""How a model's own rules join a write: functions that run inside its transaction, before it reaches the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from app.engine.database import after_commit, on_rollback
from app.engine.principal import Principal
from app.engine.record import Base, Record, camel
from app.foundation.errors import ForeignKeyViolation, Invalid

R = TypeVar("R", bound=Record)


@dataclass
class Write:
    """One create, update or delete: who writes, what was sent (by attribute), what stood there before, and what was
    prepared outside of the transaction."""

    session: Session
    principal: Principal
    given: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)
    prepared: Any = None

    def __post_init__(self) -> None:
        if self.prepared is not None:
            self.on_rollback(self.prepared.discard)

    def changed(self, *attributes: str) -> bool:
        """Whether an update gives one of ``attributes`` another value than it had."""
        return any(name in self.before for name in attributes)

    def entered(self, attribute: str, record: Record, *states: str) -> bool:
        """Whether an update moves ``attribute`` into one of ``states``."""
        return attribute in self.before and getattr(record, attribute) in states

    def store(self, record: Base) -> None:
        """Write ``record`` now, so that rows which refer to it can follow."""
        self.session.add(record)
        self.session.flush()

    def get(self, model: type[R], identifier: UUID | None, *, lock: bool = False) -> R:
        """Load a row that a checked reference names; ``lock`` keeps others from changing it until the end."""
        found = self.session.get(model, identifier, with_for_update={"key_share": True} if lock else None)
        if found is None:
            raise ForeignKeyViolation()  # it was there when the references were checked
        return found

    def after_commit(self, action: Callable[[], None]) -> None:
        """Do ``action`` once the transaction is safe."""
        after_commit(self.session, action)

    def on_rollback(self, action: Callable[[], None]) -> None:
        """Do ``action`` should the transaction certainly come to nothing."""
        on_rollback(self.session, action)

    def next_number(self, column: Any, condition: ColumnElement[bool], first: int = 1) -> int:
        """One past the highest ``column`` under ``condition``; lock the parent row first."""
        highest = self.session.scalar(select(func.max(column)).where(condition))
        number = first if highest is None else int(highest) + 1
        bounds = column.property.columns[0].info["wire"].constraints
        require(number <= bounds["maximum"], camel(column.key), "The numbers are used up.")
        return number


Hook = Callable[[Any, Write], None]
Reading = Callable[[Mapping[str, Any], Principal], None]


class Prepared(Protocol):
    """What was made outside of the database for a write."""

    def discard(self) -> None:
        """Remove it; the write has come to nothing."""


Preparation = Callable[[Mapping[str, Any]], Prepared]
preparations: dict[type[Record], Preparation] = {}
readings: dict[type[Record], list[Reading]] = defaultdict(list)
_hooks: dict[tuple[str, type[Record]], list[Hook]] = defaultdict(list)


def prepare(model: type[Record]) -> Callable[[Preparation], Preparation]:
    """Run the function on what was sent (by attribute) before the transaction of a create begins, for what is slow. The
    hooks find what it returns as ``write.prepared``; it is discarded when the transaction comes to nothing."""

    def register(preparation: Preparation) -> Preparation:
        preparations[model] = preparation
        return preparation

    return register


def on_create(model: type[Record]) -> Callable[[Hook], Hook]:
    """Run the function before a record of ``model`` is inserted."""
    return _registering("create", model)


def on_update(model: type[Record]) -> Callable[[Hook], Hook]:
    """Run the function before changes of a record of ``model`` are written."""
    return _registering("update", model)


def on_delete(model: type[Record]) -> Callable[[Hook], Hook]:
    """Run the function before a record of ``model`` is deleted."""
    return _registering("delete", model)


def on_read(model: type[Record]) -> Callable[[Reading], Reading]:
    """Run the function after a caller has read a record of ``model`` (by wire name) by its id; what it writes is in a
    transaction of its own."""

    def register(hook: Reading) -> Reading:
        readings[model].append(hook)
        return hook

    return register


def run(event: str, record: Record, write: Write) -> None:
    """Run the hooks of ``event`` (create, update or delete) on ``record``, in the order they were declared."""
    for hook in _hooks[event, type(record)]:
        hook(record, write)


def require(condition: bool, field_name: str, message: str) -> None:
    """Refuse the write with ``message`` on the wire name ``field_name`` unless ``condition`` holds."""
    if not condition:
        raise Invalid({field_name: [message]})


def _registering(event: str, model: type[Record]) -> Callable[[Hook], Hook]:
    def register(hook: Hook) -> Hook:
        _hooks[event, model].append(hook)
        return hook

    return register
