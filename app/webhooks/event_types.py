"""Event types: ``crm.deal.update``. In what is asked for, a trailing ``*`` stands for all parts behind it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from app.engine.changes.feed import open_models
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record

OPERATIONS = ("create", "update", "delete")
TEST = "webhook.test"


def event_type(model: str, operation: str) -> str:
    """Return the type of an event about a record of ``model``."""
    return f"{model.replace('/', '.')}.{operation}"


def is_heard(wanted: Iterable[str], type: str) -> bool:
    """Whether ``type`` is among what is wanted."""
    return any(_matches(pattern, type) for pattern in wanted)


def models_heard(wanted: Collection[str], principal: Principal) -> dict[str, type[Record]]:
    """Return the models of which the caller may hear, and of which an event is wanted, by name."""
    return {
        name: model
        for name, model in open_models(principal).items()
        if any(is_heard(wanted, event_type(name, operation)) for operation in OPERATIONS)
    }


def means_nothing(pattern: str, principal: Principal) -> bool:
    """Whether no event that the caller may hear of is meant by ``pattern``."""
    return not models_heard([pattern], principal)


def _matches(pattern: str, type: str) -> bool:
    return pattern in ("*", type) or (pattern.endswith(".*") and type.startswith(pattern[:-1]))
