"""The catalogue: ten domains, their models, and nothing else. A model joins by standing in its domain's module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from app.models import (
    ai,
    ai_agent,
    ai_rag,
    ai_research,
    analytics,
    auth,
    crm,
    internal,
    notification,
    platform,
    storage,
)
from app.models.ai import answering, chats
from app.models.auth import identity, keys, organizations
from app.models.base import Base, Record
from app.models.indexes import complete


@dataclass(frozen=True)
class Domain:
    """A group of models under one path."""

    name: str
    summary: str
    models: tuple[type[Record], ...]


def _domain(name: str, package: ModuleType, *parts: ModuleType) -> Domain:
    """Collect the models that ``parts`` of ``package`` (or the package, when it is one module) declare, in order."""
    models = [
        value
        for module in parts or (package,)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Record) and value.__module__ == module.__name__
    ]
    return Domain(name, " ".join((package.__doc__ or "").split()), tuple(models))


DOMAINS = (
    _domain("ai", ai, chats, answering),
    _domain("ai-agent", ai_agent),
    _domain("ai-rag", ai_rag),
    _domain("ai-research", ai_research),
    _domain("analytics", analytics),
    _domain("auth", auth, identity, keys, organizations),
    _domain("crm", crm),
    _domain("storage", storage),
    _domain("notification", notification),
    _domain("platform", platform),
)


def every_model() -> Iterator[type[Record]]:
    """All models with routes, domain by domain."""
    for domain in DOMAINS:
        yield from domain.models


for _model in (
    *every_model(),
    *(value for value in vars(internal).values() if isinstance(value, type) and value.__module__ == internal.__name__),
):
    complete(_model)

metadata = Base.metadata
