"""Hooks: functions of a model that run inside its writes, before they reach the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from app.engine.principal import Principal
from app.engine.record import Record
from app.foundation.errors import Invalid

if TYPE_CHECKING:
    from app.engine.unit_of_work import Unit


@dataclass(slots=True)
class Write:
    """One create, update or delete within a ``unit``: what was sent (by attribute), what stood there before, and what
    was prepared before the transaction began."""

    unit: Unit
    given: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)
    prepared: Any = None

    def changed(self, *attributes: str) -> bool:
        """Whether an update gives one of ``attributes`` another value than it had."""
        return any(name in self.before for name in attributes)

    def entered(self, attribute: str, record: Record, *states: str) -> bool:
        """Whether an update moves ``attribute`` into one of ``states``."""
        return attribute in self.before and getattr(record, attribute) in states


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
