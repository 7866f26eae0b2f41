"""What a connected client never does, whatever its person may do: it speaks with the words of whoever wrote what it has
read. It changes no accounts, makes nothing public, and has no address called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.engine.declare.fields import CALLED
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read.grant_parser import APART
from app.foundation.errors import Forbidden


def refuse(model: type[Record], principal: Principal, written: Mapping[str, Any] | None = None) -> None:
    """Refuse a connected client that would write such values by attribute, or delete a record; raises Forbidden."""
    if not principal.is_client:
        return
    if model.domain == APART:
        raise Forbidden("A connected client changes no accounts and organizations")
    for name, value in (written or {}).items():
        if any(value in values for values in _publishing(model, name)):
            raise Forbidden("A connected client makes nothing public")
        if value is not None and CALLED in model.fields()[name].spec.flags:
            raise Forbidden("A connected client has no address called")


def _publishing(model: type[Record], name: str) -> Iterable[Iterable[Any]]:
    """The values of a column that make a record of ``model`` public."""
    return (part.public[name] for part in model.policy.scope.parts() if part.public and name in part.public)
