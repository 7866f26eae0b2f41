"""The names that plugins may use: those of the package ``rowgate``. They stay, or go with a warning for one minor
version; anything else is private.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from app.engine.declare import catalogue
from app.foundation.deprecation import RENAMED, Renamed
from app.foundation.former_paths import OF_0_3, SINCE, UNTIL, names_of
from app.plugins import Plugin

# Where public names are, in the order of the reference; a name that is in two of them is that of the first.
DOORS = (
    "rowgate",
    "rowgate.accounts",
    "rowgate.mail",
    "rowgate.http",
    "rowgate.schemas",
    "rowgate.kinds",
    "rowgate.commands",
)
MODELS, KIT = "rowgate.models", "rowgate.testing"
OURS = ("rowgate", "app", "blueprints", "schemas", "config", "wsgi", "migrations")
KIT_OF_0_3 = "app.testing"


@dataclass(frozen=True)
class Use:
    """The use of a name of ours in a file of a plugin."""

    file: Path
    line: int
    name: str
    problem: str
    is_going: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.name} {self.problem}"


@cache
def public() -> dict[str, tuple[str, ...]]:
    """Return the public names by module, without those of models and of the test kit."""
    return {door: tuple(import_module(door).__all__) for door in DOORS}


@cache
def moved() -> dict[str, Renamed]:
    """Return what names of 0.3 are called now, by their old ones with the module."""
    return {f"{module}.{name}": new for module in OF_0_3 for name, new in names_of(module).items()}


def warn(plugins: Sequence[Plugin]) -> None:
    """Warn of the names that plugins of others use and that go with another version, where they use them."""
    for plugin in plugins:
        for use in () if plugin.is_ours else uses(plugin):
            if use.is_going:
                warnings.warn_explicit(f"{use.name} {use.problem}", DeprecationWarning, str(use.file), use.line)


def uses(plugin: Plugin) -> list[Use]:
    """What ``plugin`` uses that is gone, going, or private."""
    return [use for file in files(plugin) for use in _of_file(file)]


def files(plugin: Plugin) -> list[Path]:
    """The files of the packages that the plugin is made of."""
    named = [module.__name__ for module in (*plugin.models, *plugin.hooks)]
    named += [name.partition(":")[0] for name in (*plugin.blueprints, *plugin.commands)]
    found: dict[Path, None] = {}
    for name in dict.fromkeys(each.partition(".")[0] for each in named):
        spec = find_spec(name)
        for folder in (spec.submodule_search_locations if spec else None) or ():
            found |= dict.fromkeys(sorted(Path(folder).rglob("*.py")))
        if spec and spec.origin and not spec.submodule_search_locations:
            found[Path(spec.origin)] = None
    return list(found)


def _of_file(file: Path) -> Iterator[Use]:
    tree = ast.parse(file.read_text(), str(file))
    modules: dict[str, str] = {}
    for line, module, name, alias in _imports(tree):
        if not name:
            yield Use(file, line, module, "is imported whole: import the names that you use")
        elif f"{module}.{name}" in OF_0_3 or f"{module}.{name}" in DOORS:
            modules[alias] = f"{module}.{name}"
        else:
            yield from _use(file, line, module, name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield from _use(file, node.lineno, modules[node.value.id], node.attr)


def _imports(tree: ast.Module) -> Iterator[tuple[int, str, str, str]]:
    """Return the imports of ours: line, module, name, and what it is called here; the name is empty for a module as
    such."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name, "", "") for each in node.names if _is_ours(each.name))
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module and _is_ours(node.module):
            yield from ((node.lineno, node.module, each.name, each.asname or each.name) for each in node.names)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in OURS


def now_called(module: str, name: str) -> Renamed | None:
    """Return what a name is called now that was public under ``module`` and goes with another version."""
    if not _is_ours(module):
        return None
    if module == KIT_OF_0_3 or module.startswith(f"{KIT_OF_0_3}."):
        at = module.replace(KIT_OF_0_3, KIT)
        home = at if _loaded(at) else KIT
        return Renamed(f"{home}.{name}", SINCE, UNTIL) if name == "*" or hasattr(_loaded(home), name) else None
    if any((each.__module__, each.__name__) == (module, name) for each in catalogue.every_model()):
        return Renamed(f"{MODELS}.{name}", SINCE, UNTIL)
    return moved().get(f"{module}.{name}") or RENAMED.get(f"{module}.{name}")


def _use(file: Path, line: int, module: str, name: str) -> Iterator[Use]:
    called = f"{module}.{name}"
    if new := now_called(module, name):
        told = f"is called {new.instead} since {new.since}, and goes with {new.until}"
        yield Use(file, line, called, told, is_going=True)
    elif problem := _problem(module, name):
        yield Use(file, line, called, problem)


def _problem(module: str, name: str) -> str:
    loaded = _loaded(module)
    if loaded is None or not (name == "*" or hasattr(loaded, name) or _loaded(f"{module}.{name}")):
        return "is gone"
    is_kit = module == KIT or module.startswith((f"{KIT}.", f"{KIT_OF_0_3}."))
    return "" if is_kit or module == MODELS or name in public().get(module, ()) else "is private"


def _loaded(module: str) -> ModuleType | None:
    try:
        return import_module(module)
    except ModuleNotFoundError:
        return None
