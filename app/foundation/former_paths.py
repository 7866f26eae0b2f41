"""The paths by which plugins imported public names in 0.3: they lead to the front door, with a warning, for one minor
version."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any

from app.foundation.deprecation import Renamed, renamed

SINCE, UNTIL = "0.4", "0.5"
DOOR, HTTP, SCHEMAS = "rowgate", "rowgate.http", "rowgate.schemas"
# What was public, by where it was, and through which door it comes now.
OF_0_3: dict[str, tuple[str, str]] = {
    "app.plugins": (DOOR, "Plugin"),
    "config": (DOOR, "Setting"),
    "app.engine.record": (DOOR, "Record Base"),
    "app.engine.fields": (
        DOOR,
        "string long_text integer number boolean timestamp json strings vector enum reference virtual After Made "
        "CALLER_USER CALLER_ORGANIZATION NOW READ_ONLY WRITE_ONLY IMMUTABLE HIDDEN FILTERABLE SORTABLE UNLISTED "
        "ENCRYPTED RETURNED_ONCE ADMIN_READS ADMIN_WRITES SCOPE_READS MONEY PERCENT BYTES FILE",
    ),
    "app.engine.kinds": ("rowgate.kinds", "String LongText Integer Number Boolean Timestamp Strings Enum"),
    "app.engine.indexes": (DOOR, "unique index sorted_by"),
    "app.engine.policy": (DOOR, "Policy Rule Owner Organization Parent Public SessionOnly"),
    "app.engine.hooks": (
        DOOR,
        "Write on_create on_update on_delete on_read on_create_many on_update_many on_delete_many prepare refusing "
        "require",
    ),
    "app.engine.unit_of_work": (DOOR, "Unit run_unit"),
    "app.engine.principal": (DOOR, "Principal SYSTEM"),
    "app.engine.preconditions": (DOOR, "Precondition UNCONDITIONAL"),
    "app.engine.encoding": (DOOR, "Representation"),
    "app.engine.database": (DOOR, "reading after_unit"),
    "app.engine.statements": (DOOR, "within"),
    "app.engine.query": (DOOR, "PLAIN"),
    "app.engine.pages": (DOOR, "list_page"),
    "app.engine.records": (DOOR, "get"),
    "app.engine.events": (DOOR, "Event"),
    "app.foundation.errors": (
        DOOR,
        "Failure Invalid NotFound Forbidden Unavailable RateLimited UniqueViolation ForeignKeyViolation",
    ),
    "app.foundation.clock": (DOOR, "now wire"),
    "app.foundation.outbound": (DOOR, "Outbound"),
    "app.jobs.registry": (DOOR, "Job Periodic as_unit failing"),
    "app.jobs.queue": (DOOR, "defer"),
    "app.notification.routing": (DOOR, "notify notify_all notification_routed"),
    "app.auth.authentication": (HTTP, "caller caller_if_any credentials_required session_welcome open_to_all"),
    "app.commands.groups": ("rowgate.commands", "Command Group as_json show"),
    "blueprints.base": (HTTP, "Blueprint answer wanted"),
    "blueprints.declarations": (HTTP, "Operation Body Answer serve"),
    "blueprints.replies": (HTTP, "Reply carry_out"),
    "schemas.derive": (SCHEMAS, "WireSchema read_schema create_schema update_schema"),
    "schemas.fields": (SCHEMAS, "Text Email Url Identifier Whole Number Flag Moment Json Items Strings"),
}
CALLED_OTHERWISE = {
    "After": "FromNow", "Made": "Factory", "refusing": "failing_at", "within": "driver_connection",
    "wanted": "parse_id", "failing": "mark_failed", "carry_out": "respond",
}  # fmt: skip


def names_of(module: str) -> dict[str, Renamed]:
    """Return what was public in ``module``, and where it is now."""
    door, names = OF_0_3[module]
    return {name: Renamed(f"{door}.{CALLED_OTHERWISE.get(name, name)}", SINCE, UNTIL) for name in names.split()}


class FormerModules(MetaPathFinder, Loader):
    """Finds the modules that are no longer there, and in them nothing but what was public."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return how to load ``name``, of the modules that others have not found."""
        return spec_from_loader(name, self) if name in OF_0_3 else None

    def exec_module(self, module: Any) -> None:
        """Let the module lead to the front door."""
        module.__getattr__ = renamed(module.__name__, names_of(module.__name__))


def serve_former_paths() -> None:
    """Let the paths of 0.3 be imported."""
    if not any(isinstance(each, FormerModules) for each in sys.meta_path):
        sys.meta_path.append(FormerModules())
