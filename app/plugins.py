"""Plugins: what a domain brings, and the loading of the product's domains and of those that ``PLUGINS`` names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

import config
from app.engine import catalogue, relations
from app.engine.catalogue import Domain
from app.engine.record import Base, Record
from app.engine.settings import SETTINGS
from app.foundation import errors
from app.foundation.errors import Failure
from app.jobs import registry
from app.jobs.registry import Job, Periodic
from config import VERSION, Setting, SettingError

# In the order in which they are listed and described.
PRODUCT = (
    "mail", "ai", "ai_agent", "ai_rag", "ai_research", "analytics", "auth", "crm", "storage", "notification",
    "platform", "teams",
)  # fmt: skip
ENTRY_POINTS = "rowgate.plugins"

# A statement that selects the rows of a report, made from its row.
Report = Callable[[Any], Any]

# Filled by the plugins, for the domains that read them: types of notifications, and reports by their kind.
NOTIFICATION_TYPES: list[str] = []
REPORTS: dict[str, Report] = {}


@dataclass(frozen=True)
class Plugin:
    """A domain as the application takes it. Names of things above the domain are strings, ``package.module:name``.

    ``models`` are the modules that declare its models, in the order in which they are listed; tables in them that are
    no records have no routes. ``hooks`` are the modules that subscribe to writes and other events where they are
    imported. ``blueprints`` name functions that build a blueprint of routes written by hand, ``commands`` what the
    command line gets. ``jobs`` are what rows ask for, by name; ``periodic`` is what the clock does. ``notifications``
    are types of notifications, ``errors`` the failures of its own, ``reports`` the statements of reports by their kind,
    ``settings`` what is read from the environment.
    """

    name: str
    summary: str
    version: str = VERSION
    models: Sequence[ModuleType] = ()
    hooks: Sequence[ModuleType] = ()
    blueprints: Sequence[str] = ()
    commands: Sequence[str] = ()
    jobs: Mapping[str, Job] = field(default_factory=dict)
    periodic: Sequence[Periodic] = ()
    notifications: Sequence[str] = ()
    errors: Sequence[type[Failure]] = ()
    reports: Mapping[str, Report] = field(default_factory=dict)
    settings: Sequence[Setting] = ()

    def tables(self) -> Iterator[type[Base]]:
        """Every table that the modules of ``models`` declare, in their order."""
        for module in self.models:
            for value in vars(module).values():
                if isinstance(value, type) and issubclass(value, Base) and value.__module__ == module.__name__:
                    yield value

    def names(self) -> dict[str, list[str]]:
        """The names of what it brings, by the kind of thing, without those that it brings none of."""
        found = {
            "models": [table.__tablename__ for table in self.tables()],
            "hooks": [module.__name__ for module in self.hooks],
            "jobs": [*self.jobs, *(each.name for each in self.periodic)],
            "errors": list(dict.fromkeys(each.code for each in self.errors)),
            "settings": [each.name.upper() for each in self.settings],
        }
        plain = {name: list(getattr(self, name)) for name in ("blueprints", "commands", "notifications", "reports")}
        return {each.name: names for each in fields(self) if (names := (found | plain).get(each.name))}


_loaded: dict[str, Plugin] = {}


def load(names: Sequence[str] = ()) -> tuple[Plugin, ...]:
    """Load the plugins of the product and those called ``names``, each once in a process, and return all that are
    loaded. Only what is named is loaded, an entry point of the group ``rowgate.plugins`` or else a module with a
    ``plugin``; nothing is loaded because it is installed. Raises SettingError for a name that is neither, and for two
    plugins that bring the same."""
    if not _loaded:
        config.declare(SETTINGS)
    for each in PRODUCT:
        _load(f"app.{each}.plugin", _of_module)
    for name in names:
        _load(name, _of_setting)
    relations.derive(list(catalogue.every_model()))
    return tuple(_loaded.values())


def resolve(name: str) -> Any:
    """The object behind ``package.module:name``."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


def _load(name: str, find: Callable[[str], Plugin]) -> None:
    if name in _loaded:
        return
    plugin = find(name)
    _check_apart(plugin)
    tables = tuple(plugin.tables())
    records = tuple(table for table in tables if issubclass(table, Record))
    rest = tuple(table for table in tables if not issubclass(table, Record))
    config.declare(plugin.settings)
    NOTIFICATION_TYPES.extend(plugin.notifications)
    REPORTS.update(plugin.reports)
    errors.register(plugin.errors)
    catalogue.add(Domain(plugin.name, plugin.summary, records), rest)
    registry.add(plugin.jobs, plugin.periodic)
    _loaded[name] = plugin


def _of_module(name: str) -> Plugin:
    loaded: Plugin = import_module(name).plugin
    return loaded


def _of_setting(name: str) -> Plugin:
    """The plugin that PLUGINS names; an error of its own code passes as it is."""
    for entry in entry_points(group=ENTRY_POINTS, name=name):
        found: Plugin = entry.load()
        return found
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        raise SettingError(f"PLUGINS names {name}, which is neither an entry point nor a module") from None
    plugin = getattr(module, "plugin", None)
    if not isinstance(plugin, Plugin):
        raise SettingError(f"PLUGINS names {name}, a module without a plugin")
    return plugin


def _check_apart(plugin: Plugin) -> None:
    """Refuse a plugin that brings a name which is taken; raises SettingError."""
    if plugin.name in {each.name for each in _loaded.values()}:
        raise SettingError(f"Two plugins are called {plugin.name}")
    for kind, names in plugin.names().items():
        for other in _loaded.values():
            if kind != "hooks" and (taken := set(names) & set(other.names().get(kind, ()))):
                raise SettingError(f"The plugins {other.name} and {plugin.name} both bring {kind} {min(taken)}")
