"""Audit: an event for each audited change, emitted in its unit of work; the platform domain stores it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from app.engine.declare.fields import DIGEST, ENCRYPTED, HIDDEN, WRITE_ONLY
from app.engine.declare.principal import Principal
from app.engine.declare.record import BASE_FIELDS, Record
from app.engine.read.encoding import dumps
from app.foundation.events import Event

if TYPE_CHECKING:
    from app.engine.write.unit_of_work import Unit

SECRET = {HIDDEN, WRITE_ONLY, ENCRYPTED, DIGEST}
MAX_TEXT_LENGTH = 2000

# It is the owner's alone, and never part of the audit log.
PRIVATE_ATTRIBUTE = "metadata_"

Values = Mapping[str, Any]


class User(Protocol):
    """A user who acts without a credential yet, as at the sign-in."""

    id: Any
    name: Any


class Target(Protocol):
    """What something was done with: a record, or a row that has no routes of the engine."""

    id: Any

    @classmethod
    def qualified_name(cls) -> str: ...


Actor = Principal | User


@dataclass(frozen=True)
class Entry:
    """What is to be kept: ``action`` is domain.model.verb."""

    actor: Actor
    action: str
    target: Target
    changes: Values
    outcome: str = "success"


noted: Event[[Unit, Entry]] = Event()


def record_write(
    unit: Unit, verb: str, record: Record, before: Values | None = None, *, actor: Actor | None = None
) -> None:
    """Note that ``record`` was created, changed or deleted, by the principal of the unit unless ``actor`` is another;
    ``before`` has what the changed attributes were."""
    names: Iterable[str] = before or ()
    if verb == "create":
        names = _column_attributes(record)
    changes = {
        record.fields()[name].name: {"before": (before or {}).get(name), "after": getattr(record, name)}
        for name in names
        if _may_be_shown(record, name)
    }
    note(unit, f"{_stem(type(record))}.{verb}", record, changes=_plain(changes), actor=actor)


def note(
    unit: Unit,
    action: str,
    target: Target,
    *,
    changes: Values | None = None,
    outcome: str = "success",
    actor: Actor | None = None,
) -> None:
    """Note one thing that was done: ``action`` is domain.model.verb."""
    noted.emit(unit, Entry(actor or unit.principal, action, target, changes or {}, outcome))


def _stem(model: type[Record]) -> str:
    """The start of the names of what can happen to ``model``: ``auth.api_key``."""
    return f"{model.domain}.{model.segment}".replace("-", "_")


def _column_attributes(record: Record) -> list[str]:
    """The attributes that a new record has values in."""
    return [name for name, field in record.fields().items() if field.column is not None and name not in BASE_FIELDS]


def _may_be_shown(record: Record, attribute: str) -> bool:
    field = record.fields()[attribute]
    if field.column is None or field.spec.flags & SECRET or attribute == PRIVATE_ATTRIBUTE:
        return False
    value = getattr(record, attribute)
    return not (isinstance(value, str) and len(value) > MAX_TEXT_LENGTH)


def _plain(changes: Values) -> dict[str, Any]:
    """The changes as plain JSON: ids and times as text."""
    plain: dict[str, Any] = orjson.loads(dumps(changes))
    return plain
