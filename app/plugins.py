"""Plugins: what a domain brings, and the loading of the product's domains and of those that ``PLUGINS`` names."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from flask import Flask
from packaging.requirements import InvalidRequirement, Requirement

import config
from app import extension_points as points
from app.engine.declare import catalogue, relations
from app.engine.declare.catalogue import Domain
from app.engine.declare.declarations import check_references
from app.engine.declare.record import Base, Record
from app.engine.declare.settings import SETTINGS
from app.engine.write.idempotency import PlatformIdempotencyKey
from app.engine.write.kept_bytes import PlatformKeptBytes
from app.extension_points import Channel, Report, SignIn, Tool
from app.foundation import errors
from app.foundation.errors import Failure
from app.foundation.former_paths import serve_former_paths
from app.jobs import registry
from app.jobs.registry import Continuous, Job, Periodic
from app.product import PRODUCT, of_product
from app.schema import histories
from app.schema.histories import History
from config import VERSION, Setting, SettingError, Settings

ENTRY_POINTS = "rowgate.plugins"
# What plugins require of the service is a version of this.
DISTRIBUTION = "rowgate"
MAX_NAME_LENGTH = 40
NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")


@dataclass(frozen=True)
class Plugin:
    """A domain as the application takes it. Names of things above the domain are strings, ``package.module:name``.

    ``requires`` names what it needs, as packages do (PEP 508): ``rowgate>=0.3``, or another plugin. ``models`` are the
    modules that declare its models, in the order in which they are listed; tables in them that are no records have no
    routes. ``hooks`` are the modules that subscribe to writes and other events where they are imported. ``blueprints``
    name functions that build a blueprint of routes written by hand, ``commands`` those of the command line. ``jobs``
    are queued jobs by name, ``periodic`` those on a schedule, ``continuous`` what goes on in each worker of them.
    ``notifications`` are types of notifications, ``channels`` ways in which they reach people, ``mails`` the folder of
    its templates of mails, ``sign_in`` ways of signing in, ``errors`` the failures of its own, ``reports`` the
    statements of reports by their kind, ``tools`` those for agents, None for one of ours that is switched off,
    ``settings`` what is read from the environment. ``migrations`` is the folder of its migrations, by default the one
    beside its first module of models. ``studio`` is a folder whose ``index.js`` adds components of its own to the
    studio, ``sample`` one of sample data. ``init_app`` is called with each application that is built, before its routes
    are added.
    """

    name: str
    summary: str = ""
    version: str = VERSION
    requires: str | Sequence[str] = ()
    models: Sequence[ModuleType] = ()
    hooks: Sequence[ModuleType] = ()
    blueprints: Sequence[str] = ()
    commands: Sequence[str] = ()
    jobs: Mapping[str, Job] = field(default_factory=dict)
    periodic: Sequence[Periodic] = ()
    continuous: Sequence[Continuous] = ()
    notifications: Sequence[str] = ()
    channels: Mapping[str, Channel] = field(default_factory=dict)
    mails: str | Path = ""
    sign_in: Mapping[str, SignIn] = field(default_factory=dict)
    errors: Sequence[type[Failure]] = ()
    reports: Mapping[str, Report] = field(default_factory=dict)
    tools: Mapping[str, Tool | None] = field(default_factory=dict)
    settings: Sequence[Setting] = ()
    migrations: str | Path = ""
    studio: str | Path = ""
    sample: str | Path = ""
    init_app: Callable[[Flask], None] | None = None

    @property
    def is_ours(self) -> bool:
        """Whether it is one of the product's own."""
        return self.name.replace("-", "_") in PRODUCT

    @property
    def requirements(self) -> list[Requirement]:
        """What it needs; raises SettingError for what cannot be read."""
        named = [self.requires] if isinstance(self.requires, str) else self.requires
        try:
            return [Requirement(each) for each in named]
        except InvalidRequirement as error:
            raise SettingError(f"The plugin {self.name} requires what cannot be read: {error}") from None

    @property
    def history(self) -> History:
        """Its migrations, apart from Rowgate's own."""
        beside = [Path(module.__file__).parent / "migrations" for module in self.models if module.__file__]
        folder = Path(self.migrations) if self.migrations else next(iter(beside), None)
        return History(self.name, folder, tuple(table.__tablename__ for table in self.tables()), self.version)

    def tables(self) -> Iterator[type[Base]]:
        """Every table that the modules of ``models`` declare, in their order."""
        for module in self.models:
            for value in vars(module).values():
                if getattr(value, "__module__", "") == module.__name__ and hasattr(value, "__table__"):
                    yield value

    def names(self) -> dict[str, list[str]]:
        """The names of what it brings, by the kind of thing, without those that it brings none of."""
        found = {
            "models": [table.__tablename__ for table in self.tables()],
            "hooks": [module.__name__ for module in self.hooks],
            "jobs": [*self.jobs, *(each.name for each in self.periodic), *(each.name for each in self.continuous)],
            "errors": list(dict.fromkeys(each.code for each in self.errors)),
            "settings": [each.name.upper() for each in self.settings],
            "mails": points.mail_kinds(self.mails),
            "tools": [name for name, tool in self.tools.items() if tool is not None],
        }
        listed = ("blueprints", "commands", "notifications", "channels", "sign_in", "reports")
        plain = {name: list(getattr(self, name)) for name in listed}
        return {each.name: names for each in fields(self) if (names := (found | plain).get(each.name))}


_loaded: dict[str, Plugin] = {}
_OWN_NAMES = {
    "settings": [*(each.name.upper() for each in fields(Settings)), *(each.name.upper() for each in SETTINGS)],
    "errors": [*errors.CODES],
    "models": [PlatformIdempotencyKey.__tablename__, PlatformKeptBytes.__tablename__],
    "jobs": [*registry.OWN_NAMES],
    "sign_in": [*points.OWN_PROVIDERS],
    "channels": [*points.OWN_CHANNELS],
    "tools": [*points.OWN_TOOLS],
}


def load(names: Sequence[str] = (), domains: Sequence[str] = ()) -> tuple[Plugin, ...]:
    """Load the plugins of the product and those called ``names``, each once in a process, and return them: of the
    product all, or those called ``domains`` with what they require. Only what is named is loaded, an entry point of the
    group ``rowgate.plugins`` or else a module with a ``plugin``; nothing is loaded because it is installed. Raises
    SettingError for a name that is neither, and for two plugins that bring the same."""
    serve_former_paths()
    if not _loaded:
        config.declare(SETTINGS)
    ours = of_product(domains)
    for name, plugin in ours.items():
        if name not in _loaded:
            _add(name, plugin)
    found = {name: _found(name) for name in names if name not in _loaded}
    for name in _dependency_order(found):
        _add(name, found[name])
        if any(found[name].tables()):
            histories.OF_PLUGINS.append(found[name].history)
    check_references([mapper.class_ for mapper in Base.registry.mappers])
    relations.derive(list(catalogue.every_model()))
    return tuple(_loaded[name] for name in _loaded if name in {*ours, *names})


def resolve(name: str) -> Any:
    """The object behind ``package.module:name``."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


def _add(name: str, plugin: Plugin) -> None:
    _check(plugin)
    _check_name_conflicts(plugin)
    tables = tuple(plugin.tables())
    records = tuple(table for table in tables if issubclass(table, Record))
    rest = tuple(table for table in tables if not issubclass(table, Record))
    config.declare(plugin.settings)
    points.add(plugin)
    errors.register(plugin.errors)
    catalogue.add(Domain(plugin.name, plugin.summary, records), rest)
    registry.add(plugin.jobs, plugin.periodic, plugin.continuous)
    _loaded[name] = plugin


def _found(name: str) -> Plugin:
    """The plugin that PLUGINS names: an entry point, or else the ``plugin`` of a module."""
    for entry in entry_points(group=ENTRY_POINTS, name=name):
        with _importing(name):
            return _checked(name, entry.load())
    try:
        with _importing(name):
            module = import_module(name)
    except ModuleNotFoundError:
        raise SettingError(f"PLUGINS names {name}, which is neither an entry point nor a module") from None
    return _checked(name, getattr(module, "plugin", None))


def _checked(name: str, found: Any) -> Plugin:
    if not isinstance(found, Plugin):
        raise SettingError(f"PLUGINS names {name}, a module without a plugin")
    return found


@contextmanager
def _importing(name: str) -> Iterator[None]:
    """Say where a plugin fails to be imported; passes a ModuleNotFoundError about itself."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise
        raise _import_failed(name, error) from error
    except Exception as error:
        raise _import_failed(name, error) from error


def _import_failed(name: str, error: Exception) -> SettingError:
    twice = re.match(r"Table '(\w+)' is already defined", str(error))
    if twice:
        return SettingError(f"{_owner_of(twice[1])} and the plugin {name} both bring models {twice[1]}")
    frames = [each for each in traceback.extract_tb(error.__traceback__) if not each.filename.startswith("<frozen")]
    where = f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else name
    if isinstance(error, SyntaxError) and error.filename:
        where = f"{error.filename}, line {error.lineno}"
    return SettingError(f"The plugin {name} cannot be imported: {type(error).__name__}: {error} ({where})")


def _owner_of(table: str) -> str:
    owner = next((each.name for each in _loaded.values() if table in {own.__tablename__ for own in each.tables()}), "")
    return f"The plugin {owner}" if owner else "Rowgate"


def _dependency_order(found: Mapping[str, Plugin]) -> list[str]:
    """The names in an order in which each plugin comes after those that it requires; raises SettingError for what is
    not there, another version, or a circle."""
    known = {plugin.name: plugin for plugin in (*_loaded.values(), *found.values())}
    sorter: TopologicalSorter[str] = TopologicalSorter()
    names = {plugin.name: name for name, plugin in found.items()}
    for plugin in found.values():
        _check_requirements(plugin, known)
        sorter.add(plugin.name, *(each.name for each in plugin.requirements if each.name in names))
    try:
        return [names[each] for each in sorter.static_order()]
    except CycleError as error:
        raise SettingError(f"The plugins require each other in a circle: {' > '.join(error.args[1])}") from None


def _check_requirements(plugin: Plugin, known: Mapping[str, Plugin]) -> None:
    for each in plugin.requirements:
        if each.name != DISTRIBUTION and each.name not in known:
            raise SettingError(f"The plugin {plugin.name} requires {each.name}, which PLUGINS does not name")
        version = VERSION if each.name == DISTRIBUTION else known[each.name].version
        if not each.specifier.contains(version, prereleases=True):
            raise SettingError(f"The plugin {plugin.name} requires {each}, and this is {each.name} {version}")


def _check(plugin: Plugin) -> None:
    """Refuse a plugin that is not complete; raises SettingError."""
    if not NAME.fullmatch(plugin.name) or len(plugin.name) > MAX_NAME_LENGTH:
        raise SettingError(
            f"The name of a plugin has lowercase letters, digits and hyphens, {MAX_NAME_LENGTH} at most: {plugin.name}"
        )
    for name in (*plugin.channels, *plugin.sign_in, *plugin.tools):
        if not NAME.fullmatch(name) or len(name) > MAX_NAME_LENGTH:
            raise SettingError(f"The plugin {plugin.name} brings {name}, which is no name: {NAME.pattern}")
    for table in plugin.tables():
        for name in ("policy", "domain", "segment") if issubclass(table, Record) else ():
            if not hasattr(table, name):
                raise SettingError(f"The model {table.__name__} of the plugin {plugin.name} has no {name}")


def _check_name_conflicts(plugin: Plugin) -> None:
    """Refuse a plugin that brings a name which is taken; raises SettingError."""
    # In the names of tables of versions, hyphens are underscores.
    if plugin.name.replace("-", "_") in {each.name.replace("-", "_") for each in _loaded.values()}:
        raise SettingError(f"Two plugins are called {plugin.name}")
    brought = _names(plugin)
    takers = {f"the plugin {each.name}": _names(each) for each in _loaded.values()}
    if not plugin.is_ours:
        takers = {"Rowgate": _OWN_NAMES} | takers
    for other, theirs in takers.items():
        for kind, names in brought.items():
            if kind != "hooks" and (taken := set(names) & set(theirs.get(kind, ()))):
                raise SettingError(
                    f"{other[0].upper()}{other[1:]} and the plugin {plugin.name} both bring {kind} {min(taken)}"
                )


def _names(plugin: Plugin) -> dict[str, list[str]]:
    records = [table for table in plugin.tables() if issubclass(table, Record)]
    return plugin.names() | {
        "domains": [each.domain for each in records],
        "paths": [each.collection_path() for each in records],
        "classes": [each.__name__ for each in records],  # the description has schemas and operations by these
    }
