"""The catalogue of domains and their models, filled by the plugins that are loaded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.engine.declare.declarations import check_names
from app.engine.declare.indexes import complete
from app.engine.declare.record import Base, Record


@dataclass(frozen=True)
class Domain:
    """A group of models under one path."""

    name: str
    summary: str
    models: tuple[type[Record], ...]


DOMAINS: list[Domain] = []


def add(domain: Domain, internal: tuple[type[Base], ...] = ()) -> None:
    """Add a domain with its models, and tables of it that have no routes; raises SettingError for what is misspelt."""
    for model in (*domain.models, *internal):
        check_names(model)
        complete(model)
    if domain.models:
        DOMAINS.append(domain)


def every_model() -> Iterator[type[Record]]:
    """All models with routes, domain by domain."""
    for domain in DOMAINS:
        yield from domain.models
