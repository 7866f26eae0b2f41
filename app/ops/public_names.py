"""The names that plugins may use: they stay, or go with a warning for one minor version. Anything else is private.

Every model that has routes is public as well, to be referred to and subscribed to.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from app.engine import catalogue
from app.foundation.deprecation import RENAMED
from app.plugins import Plugin

# By module, in the order in which the reference lists them.
PUBLIC: dict[str, tuple[str, ...]] = {
    "app.plugins": ("Plugin",),
    "config": ("Setting",),
    "app.engine.record": ("Record", "Base"),
    "app.engine.fields": (
        "string", "long_text", "integer", "number", "boolean", "timestamp", "json", "strings", "vector", "enum",
        "reference", "virtual", "After", "Made", "CALLER_USER", "CALLER_ORGANIZATION", "NOW", "READ_ONLY", "WRITE_ONLY",
        "IMMUTABLE", "HIDDEN", "FILTERABLE", "SORTABLE", "UNLISTED", "ENCRYPTED", "RETURNED_ONCE", "ADMIN_READS",
        "ADMIN_WRITES", "SCOPE_READS", "MONEY", "PERCENT", "BYTES", "FILE",
    ),
    "app.engine.kinds": ("String", "LongText", "Integer", "Number", "Boolean", "Timestamp", "Strings", "Enum"),
    "app.engine.indexes": ("unique", "index", "sorted_by"),
    "app.engine.policy": ("Policy", "Rule", "Owner", "Organization", "Parent", "Public", "SessionOnly"),
    "app.engine.hooks": (
        "Write", "on_create", "on_update", "on_delete", "on_read", "on_create_many", "on_update_many", "on_delete_many",
        "prepare", "refusing", "require",
    ),
    "app.engine.unit_of_work": ("Unit", "run_unit"),
    "app.engine.principal": ("Principal", "SYSTEM"),
    "app.engine.preconditions": ("Precondition", "UNCONDITIONAL"),
    "app.engine.encoding": ("Representation",),
    "app.engine.database": ("reading", "after_unit"),
    "app.engine.statements": ("within",),
    "app.engine.query": ("PLAIN",),
    "app.engine.pages": ("list_page",),
    "app.engine.records": ("get",),
    "app.engine.events": ("Event",),
    "app.foundation.errors": (
        "Failure", "Invalid", "NotFound", "Forbidden", "Unavailable", "RateLimited", "UniqueViolation",
        "ForeignKeyViolation",
    ),
    "app.foundation.clock": ("now", "wire"),
    "app.foundation.outbound": ("Outbound",),
    "app.jobs.registry": ("Job", "Periodic", "as_unit", "failing"),
    "app.jobs.queue": ("defer",),
    "app.notification.routing": ("notify", "notify_all", "notification_routed"),
    "app.auth.authentication": (
        "caller", "caller_if_any", "credentials_required", "session_welcome", "open_to_all",
    ),
    "app.analytics.models": ("AnalyticsReport",),
    "app.commands.groups": ("Command", "Group", "as_json", "show"),
    "blueprints.base": ("Blueprint", "answer", "wanted"),
    "blueprints.declarations": ("Operation", "Body", "Answer", "serve"),
    "blueprints.replies": ("Reply", "carry_out"),
    "schemas.derive": ("WireSchema", "read_schema", "create_schema", "update_schema"),
    "schemas.fields": (
        "Text", "Email", "Url", "Identifier", "Whole", "Number", "Flag", "Moment", "Json", "Items", "Strings",
    ),
}  # fmt: skip
OURS = ("app", "blueprints", "schemas", "config", "wsgi", "migrations")
# The kit is for tests alone; its modules are public as they are.
KIT = "app.testing"


@dataclass(frozen=True)
class Use:
    """The use of a name of ours in a file of a plugin."""

    file: Path
    line: int
    name: str
    problem: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.name} {self.problem}"


def uses(plugin: Plugin) -> list[Use]:
    """What ``plugin`` uses that is gone, going, or private."""
    return [use for file in _files(plugin) for use in _of_file(file)]


def _files(plugin: Plugin) -> list[Path]:
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
        elif f"{module}.{name}" in PUBLIC:
            modules[alias] = f"{module}.{name}"
        elif problem := _problem(module, name):
            yield Use(file, line, f"{module}.{name}", problem)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            module = modules[node.value.id]
            if problem := _problem(module, node.attr):
                yield Use(file, node.lineno, f"{module}.{node.attr}", problem)


def _imports(tree: ast.Module) -> Iterator[tuple[int, str, str, str]]:
    """The imports of ours: line, module, name, and what it is called here; the name is empty for a module as such."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name, "", "") for each in node.names if _is_ours(each.name))
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module and _is_ours(node.module):
            yield from ((node.lineno, node.module, each.name, each.asname or each.name) for each in node.names)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in OURS


def _problem(module: str, name: str) -> str:
    if module == KIT or module.startswith(f"{KIT}."):
        return ""
    loaded = _loaded(module)
    if (renamed := RENAMED.get(f"{module}.{name}")) is not None:
        return f"is called {renamed.instead} since {renamed.since}, and goes with {renamed.until}"
    if loaded is None or not (hasattr(loaded, name) or _loaded(f"{module}.{name}")):
        return "is gone"
    is_model = any((each.__module__, each.__name__) == (module, name) for each in catalogue.every_model())
    return "" if is_model or name in PUBLIC.get(module, ()) else "is private"


def _loaded(module: str) -> ModuleType | None:
    try:
        return import_module(module)
    except ModuleNotFoundError:
        return None
