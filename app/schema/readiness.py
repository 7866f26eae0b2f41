"""The readiness check: it answers within two seconds, whatever part is frozen.

The looks at the parts run beside the request, which waits for them only so long; one look is shared by all who ask at
the same time, so that asking costs nothing however often it is done.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from flask import Flask, current_app

from app.engine.changes import status
from app.engine.changes.status import LogStatus
from app.foundation.errors import Failure
from app.runtime import metrics, rate_limits
from app.schema import versions as schema_version

# Seconds that an answer waits for a look.
WAIT = 1.0
UNREACHABLE, UNKNOWN = "unreachable", "unknown"
SERVING = (schema_version.State.CURRENT, schema_version.State.NEWER)


@dataclass
class Probe:
    """A look at one part: at most one runs at a time."""

    app: Flask
    find: Callable[[], Any]
    found: Any = None
    done: threading.Event = field(default_factory=threading.Event)
    running: bool = False
    _starting: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Begin to look, unless somebody does already."""
        with self._starting:
            if not self.running:
                self.running = True
                self.done.clear()
                threading.Thread(target=self._run, name="readiness", daemon=True).start()

    def result(self, default: Any, until: float | None = None) -> Any:
        """What is found now, or ``default`` when that takes longer than WAIT, or than ``until`` that moment."""
        self.start()
        patience = WAIT if until is None else max(0.0, until - time.monotonic())
        return self.found if self.done.wait(patience) else default

    def _run(self) -> None:
        try:
            with self.app.app_context():
                self.found = self.find()
        finally:
            self.running = False
            self.done.set()


def init_app(app: Flask) -> None:
    """Prepare the looks at the parts of ``app``."""
    finds: dict[str, Callable[[], Any]] = {
        "schema": _schema, "redis": _redis, "jobs": metrics.jobs, "changes": _changes,
    }  # fmt: skip
    app.extensions["readiness"] = {name: Probe(app, find) for name, find in finds.items()}


def measured() -> tuple[Sequence[Any], LogStatus | None]:
    """The jobs in the database and the state of the log of changes, for the metrics; nothing of what does not answer
    soon."""
    return _together(("jobs", ()), ("changes", None))


def parts() -> dict[str, str]:
    """The state of each part that the service needs."""
    schema, log = _together(("schema", None), ("changes", None))
    found = {
        "database": "ok" if schema else UNREACHABLE,
        "migrations": str(schema or UNKNOWN),
        "redis": "ok" if _looks()["redis"].result(default=False) else UNREACHABLE,
    }
    if log is not None and log.ends_soon:
        found["changes"] = f"partitions for {log.days} days"
    return found


def can_serve(found: dict[str, str]) -> bool:
    """Whether requests for data can be answered: without Redis, and with a newer schema, they can."""
    return found["database"] == "ok" and found["migrations"] in SERVING


def _together(*wanted: tuple[str, Any]) -> Any:
    """What several looks find within the time of one, or their defaults."""
    until = time.monotonic() + WAIT
    for name, _ in wanted:
        _looks()[name].start()
    return tuple(_looks()[name].result(default, until) for name, default in wanted)


def _looks() -> dict[str, Probe]:
    return current_app.extensions["readiness"]


def _schema() -> schema_version.State | None:
    try:
        return schema_version.state()
    except Failure:
        return None


def _redis() -> bool:
    return rate_limits.counter().is_reachable()


def _changes() -> LogStatus | None:
    if not current_app.config["SETTINGS"].changes_days:
        return None
    try:
        return status.look()
    except Failure:
        return None
