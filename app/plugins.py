"""Plugins: what a domain brings, and how the domains of the product are found and loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from types import ModuleType

from app.engine import catalogue
from app.engine.catalogue import Domain
from app.engine.record import Base, Record
from app.jobs import registry
from app.jobs.registry import Job, Periodic

# In the order in which they are listed and described.
PRODUCT = (
    "ai", "ai_agent", "ai_rag", "ai_research", "analytics", "auth", "crm", "storage", "notification", "platform",
    "teams",
)  # fmt: skip


@dataclass(frozen=True)
class Plugin:
    """A domain as the application takes it.

    ``models`` are the modules that declare its models, in the order in which they are listed; tables in them that are
    no records have no routes. ``hooks`` are the modules that subscribe to writes and other events where they are
    imported. ``jobs`` are what rows ask for, by name; ``periodic`` is what the clock does.
    """

    name: str
    summary: str
    models: Sequence[ModuleType] = ()
    hooks: Sequence[ModuleType] = ()
    jobs: Mapping[str, Job] = field(default_factory=dict)
    periodic: Sequence[Periodic] = ()

    def tables(self) -> Iterator[type[Base]]:
        """Every table that the modules of ``models`` declare, in their order."""
        for module in self.models:
            for value in vars(module).values():
                if isinstance(value, type) and issubclass(value, Base) and value.__module__ == module.__name__:
                    yield value


@cache
def load() -> tuple[Plugin, ...]:
    """Load the plugins of the product, once in a process, and fill the catalogue with them."""
    found = tuple(_plugin(f"app.{name}.plugin") for name in PRODUCT)
    for plugin in found:
        tables = tuple(plugin.tables())
        records = tuple(table for table in tables if issubclass(table, Record))
        rest = tuple(table for table in tables if not issubclass(table, Record))
        catalogue.add(Domain(plugin.name, plugin.summary, records), rest)
        registry.add(plugin.jobs, plugin.periodic)
    return found


def _plugin(module: str) -> Plugin:
    loaded: Plugin = import_module(module).plugin
    return loaded
