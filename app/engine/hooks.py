"""Hooks: functions of a model that run inside its writes, before they reach the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from app.engine.principal import Principal
from app.engine.record import Record
from app.foundation.deprecation import Renamed, renamed
from app.foundation.errors import Failure, Invalid

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
HookOfMany = Callable[[Sequence[Any], Sequence[Write]], None]
Reading = Callable[[Mapping[str, Any], Principal], None]


class Prepared(Protocol):
    """What was made outside of the database for a write."""

    def discard(self) -> None:
        """Remove it; the write has come to nothing."""


Preparation = Callable[[Mapping[str, Any]], Prepared]
preparations: dict[type[Record], Preparation] = {}
readings: dict[type[Record], list[Reading]] = defaultdict(list)
_hooks: dict[tuple[str, type[Record]], list[Any]] = defaultdict(list)
_of_many: set[Any] = set()
# The fields without a change of which a hook is not asked, by event and model: one function may be a hook of several.
_changing: dict[tuple[str, type[Record], Any], frozenset[str]] = {}


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


def on_update(model: type[Record], *, changing: Sequence[str] = ()) -> Callable[[Hook], Hook]:
    """Run the function before changes of a record of ``model`` are written; with ``changing``, where one of these
    attributes changes."""
    return _registering("update", model, changing=changing)


def on_delete(model: type[Record]) -> Callable[[Hook], Hook]:
    """Run the function before a record of ``model`` is deleted."""
    return _registering("delete", model)


def on_create_many(model: type[Record]) -> Callable[[HookOfMany], HookOfMany]:
    """Run the function before records of ``model`` are inserted, with all of one request at once."""
    return _registering("create", model, many=True)


def on_update_many(model: type[Record], *, changing: Sequence[str] = ()) -> Callable[[HookOfMany], HookOfMany]:
    """Run the function before changes of records of ``model`` are written, with all of one request at once; with
    ``changing``, where one of these attributes changes in one of them. The database has what stood there before: a
    record that is read from it anew loses its changes."""
    return _registering("update", model, many=True, changing=changing)


def on_delete_many(model: type[Record]) -> Callable[[HookOfMany], HookOfMany]:
    """Run the function before records of ``model`` are deleted, with all of one request at once."""
    return _registering("delete", model, many=True)


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
        if not _is_asked(event, type(record), hook, write):
            continue
        if hook in _of_many:
            hook([record], [write])
        else:
            hook(record, write)


def run_many(event: str, model: type[Record], records: Sequence[Record], writes: Sequence[Write]) -> None:
    """Run the hooks of ``event`` on all ``records`` at once; only where ``takes_many``."""
    for hook in _hooks[event, model]:
        if any(_is_asked(event, model, hook, write) for write in writes):
            hook(records, writes)


def takes_many(event: str, model: type[Record]) -> bool:
    """Whether every hook of ``event`` takes many records at once. Otherwise each is written before the next one, as a
    hook may look at what is there."""
    return all(hook in _of_many for hook in _hooks[event, model])


def has_any(event: str, model: type[Record]) -> bool:
    """Whether ``event`` has hooks."""
    return bool(_hooks[event, model])


def watched(event: str, model: type[Record]) -> frozenset[str] | None:
    """The attributes whose changes have hooks; None where every change has."""
    fields = [_changing.get((event, model, hook)) for hook in _hooks[event, model]]
    return None if None in fields else frozenset().union(*filter(None, fields))


def prepared(unit: Unit, model: type[Record], given: Mapping[str, Any]) -> Any:
    """What is made for a create before the transaction begins; discarded should the unit come to nothing."""
    if model not in preparations:
        return None
    made = preparations[model](given)
    unit.on_rollback(made.discard)
    return made


@contextmanager
def failing_at(index: int) -> Iterator[None]:
    """What fails in here refuses the record at ``index`` of those that a hook of many has got."""
    try:
        yield
    except Failure as failure:
        failure.place = index
        raise


def require(condition: bool, field_name: str, message: str) -> None:
    """Refuse the write with ``message`` on the wire name ``field_name`` unless ``condition`` holds."""
    if not condition:
        raise Invalid({field_name: [message]})


def _is_asked(event: str, model: type[Record], hook: Any, write: Write) -> bool:
    watched = _changing.get((event, model, hook))
    return watched is None or write.changed(*watched)


def _registering(
    event: str, model: type[Record], *, many: bool = False, changing: Sequence[str] = ()
) -> Callable[[Any], Any]:
    def register(hook: Any) -> Any:
        _hooks[event, model].append(hook)
        if many:
            _of_many.add(hook)
        if changing:
            _changing[event, model, hook] = frozenset(changing)
        return hook

    return register


__getattr__ = renamed(__name__, {"refusing": Renamed("rowgate.failing_at", since="0.4", until="0.5")})
