"""The catalogue of domains and their models, filled by the plugins that are loaded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flask import current_app, has_app_context

from app.engine.declare.declarations import check_names
from app.engine.declare.fields import ENCRYPTED
from app.engine.declare.indexes import add_indexes
from app.engine.declare.record import Base, Record
from app.foundation.events import Event


@dataclass(frozen=True)
class Domain:
    """A group of models under one path."""

    name: str
    summary: str
    models: tuple[type[Record], ...]


# A model has been added.
model_added: Event[[type[Record]]] = Event()
# How JSON names what is stored encrypted and read.
SEALED: set[bytes] = set()
# All that are loaded in this process.
DOMAINS: list[Domain] = []


def add(domain: Domain, internal: tuple[type[Base], ...] = ()) -> None:
    """Add a domain with its models, and tables of it that have no routes; raises SettingError for what is misspelt."""
    for model in (*domain.models, *internal):
        check_names(model)
        add_indexes(model)
    for record in domain.models:
        model_added.emit(record)
        SEALED.update(
            f'"{field.name}":'.encode()
            for field in record.fields().values()
            if ENCRYPTED in field.spec.flags and field.spec.readable
        )
    if domain.models:
        DOMAINS.append(domain)


def domains() -> list[Domain]:
    """Return the domains of the current application; outside of one, all that are loaded."""
    served = current_app.extensions.get("domains") if has_app_context() else None
    return DOMAINS if served is None else [domain for domain in DOMAINS if domain.name in served]


def every_model() -> Iterator[type[Record]]:
    """Yield the models of ``domains``, domain by domain."""
    for domain in domains():
        yield from domain.models


def find_model(name: str) -> type[Record] | None:
    """Return the model of ``every_model`` with this name, such as ``crm/contact``."""
    return next((model for model in every_model() if model.qualified_name() == name), None)
