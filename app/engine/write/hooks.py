"""Hooks: functions of a model that run inside its writes, before they reach the database."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from app.engine.declare.record import Record
from app.foundation.errors import Failure, Invalid

if TYPE_CHECKING:
    from app.engine.write.unit_of_work import Unit


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


# A function of a record and its write, or of lists of both.
H = TypeVar("H", bound=Callable[[Any, Any], None])


class Prepared(Protocol):
    """What was made outside of the database for a write."""

    def discard(self) -> None:
        """Remove it; the write has come to nothing."""


Preparation = Callable[[Mapping[str, Any]], Prepared]
preparations: dict[type[Record], Preparation] = {}
_hooks: dict[tuple[str, type[Record]], list[Any]] = defaultdict(list)
_of_many: set[Any] = set()
_callers_only: set[tuple[str, type[Record], Any]] = set()
# The events and models with hooks for what the service itself writes.
for_service: set[tuple[str, type[Any]]] = set()
# The fields without a change of which a hook is not asked, by event and model: one function may be a hook of several.
_changing: dict[tuple[str, type[Record], Any], frozenset[str]] = {}


def prepare(model: type[Record]) -> Callable[[Preparation], Preparation]:
    """Run the function, which may be slow, on what was sent (by attribute) before the transaction of a create. The
    hooks find what it returns as ``write.prepared``; it is discarded when the transaction comes to nothing."""

    def register(preparation: Preparation) -> Preparation:
        preparations[model] = preparation
        return preparation

    return register


def on_create(model: type[Record], *, many: bool = False, callers_only: bool = False) -> Callable[[H], H]:
    """Run the function before a record of ``model`` is inserted, with the record and its write; with ``many``, with the
    lists of all of one request. Records that the service itself makes, as at the sign-up, come to it before the commit,
    unless it is for ``callers_only``."""
    return _hook_decorator("create", model, many=many, callers_only=callers_only)


def on_update(
    model: type[Record], *, changing: Sequence[str] = (), many: bool = False, callers_only: bool = False
) -> Callable[[H], H]:
    """Run the function before changes of a record of ``model`` are written; with ``changing``, where one of these
    attributes changes. To hooks of many, the database has what stood there before. A record that is read from it anew
    loses its changes. The rest is as with ``on_create``."""
    return _hook_decorator("update", model, many=many, callers_only=callers_only, changing=changing)


def on_delete(model: type[Record], *, many: bool = False, callers_only: bool = False) -> Callable[[H], H]:
    """Run the function before a record of ``model`` is deleted. It does not run for what the database deletes with it
    by cascade. The rest is as with ``on_create``."""
    return _hook_decorator("delete", model, many=many, callers_only=callers_only)


def on_create_many(model: type[Record]) -> Callable[[H], H]:
    """An older spelling of ``on_create(model, many=True)``."""
    return _deprecated_spelling(on_create(model, many=True), "on_create(Model, many=True)")


def on_update_many(model: type[Record], *, changing: Sequence[str] = ()) -> Callable[[H], H]:
    """An older spelling of ``on_update(model, many=True)``."""
    return _deprecated_spelling(on_update(model, many=True, changing=changing), "on_update(Model, many=True)")


def on_delete_many(model: type[Record]) -> Callable[[H], H]:
    """An older spelling of ``on_delete(model, many=True)``."""
    return _deprecated_spelling(on_delete(model, many=True), "on_delete(Model, many=True)")


def run(
    event: str, model: type[Record], records: Sequence[Record], writes: Sequence[Write], *, by_service: bool = False
) -> None:
    """Run the hooks of ``event`` (create, update or delete) on ``records``, in the order they were declared."""
    for hook in _hooks[event, model]:
        if by_service and (event, model, hook) in _callers_only:
            continue
        if hook in _of_many:
            if any(_is_asked(event, model, hook, write) for write in writes):
                hook(records, writes)
        else:
            for record, write in zip(records, writes, strict=True):
                if _is_asked(event, model, hook, write):
                    hook(record, write)


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
    """Within a hook of many, have a failure in here refuse the record at ``index``."""
    try:
        yield
    except Failure as failure:
        failure.record_index = index
        raise


def require(condition: bool, field_name: str, message: str) -> None:
    """Refuse the write with ``message`` on the wire name ``field_name`` unless ``condition`` holds."""
    if not condition:
        raise Invalid({field_name: [message]})


def _is_asked(event: str, model: type[Record], hook: Any, write: Write) -> bool:
    watched = _changing.get((event, model, hook))
    return watched is None or write.changed(*watched)


def _hook_decorator(
    event: str, model: type[Record], *, many: bool, callers_only: bool, changing: Sequence[str] = ()
) -> Callable[[H], H]:
    def register(hook: H) -> H:
        _hooks[event, model].append(hook)
        if many:
            _of_many.add(hook)
        if callers_only:
            _callers_only.add((event, model, hook))
        else:
            for_service.add((event, model))
        if changing:
            _changing[event, model, hook] = frozenset(changing)
        return hook

    return register


def _deprecated_spelling(register: Callable[[H], H], spelling: str) -> Callable[[H], H]:
    warnings.warn(f"It is {spelling} since 0.4; this spelling goes with 0.5", DeprecationWarning, stacklevel=3)
    return register
