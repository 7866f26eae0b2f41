"""How long tests take, by file and by function, and which need no servers or show a mechanism on model after model.

Files that take long begin first, so that no process ends long before the others. They are measured anew by
``make test ALL=1 DURATIONS=1``.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import pytest

from bench.documentation import fill
from config import ROOT

FILE, PAGE = ROOT / "tests" / "durations.json", ROOT / "CONTRIBUTING.md"
# Seconds under which a function is not named, and those of a file that is new.
WORTH_NAMING, UNKNOWN = 1.0, 10.0
# What of a file of mechanisms is left on the fewest models, about.
ON_FEWEST_MODELS = 0.25
# What is told of a test beside its duration.
SERVERLESS, MECHANICAL = "serverless", "mechanical"

Seconds = dict[str, Counter[str]]


@dataclass
class Durations:
    """The seconds of tests and, apart from them, of what is set up and taken down for them."""

    files: Seconds = field(default_factory=lambda: defaultdict(Counter))
    functions: Seconds = field(default_factory=lambda: defaultdict(Counter))
    serverless: set[str] = field(default_factory=set)
    mechanical: set[str] = field(default_factory=set)

    @classmethod
    def read(cls) -> Self:
        """Return what was measured, which is nothing where there is no file."""
        kept: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
        seconds = [defaultdict(Counter, {name: Counter(parts) for name, parts in kept.get(kind, {}).items()})
                   for kind in ("files", "functions")]  # fmt: skip
        return cls(*seconds, *(set(kept.get(kind, ())) for kind in (SERVERLESS, MECHANICAL)))

    def of(self, file: str) -> float:
        """Return how long a file takes on the fewest models, in seconds."""
        taken = self.files[file].total() if file in self.files else UNKNOWN
        return taken * (ON_FEWEST_MODELS if file in self.mechanical else 1)

    def table(self, number: int = 20) -> str:
        """Return the functions that take longest, as the page for contributors shows them."""
        dearest = sorted(self.functions.items(), key=lambda each: -each[1].total())[:number]
        rows = (f"| {name} | {parts['tests']:.0f} | {parts['setup']:.0f} |" for name, parts in dearest)
        return "\n".join(("| Function | seconds | set-up |", "| --- | --- | --- |", *rows))

    def write(self) -> None:
        """Keep them, and show the dearest."""
        kept = {
            "files": _dearest(self.files, 0.0),
            "functions": _dearest(self.functions, WORTH_NAMING),
            SERVERLESS: sorted(self.serverless),
            MECHANICAL: sorted(self.mechanical),
        }
        FILE.write_text(json.dumps(kept, indent=1) + "\n")
        fill("test", self.read().table(), PAGE)


class Recorder:
    """Adds what this run takes to what is known of other tests: those that run alone are a run of theirs."""

    def __init__(self) -> None:
        self._durations = Durations.read()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        part = "tests" if report.when == "call" else "setup"
        file, _, function = report.nodeid.partition("[")[0].partition("::")
        self._durations.files[file][part] += report.duration
        self._durations.functions[f"{file}::{function}"][part] += report.duration
        told = dict(report.user_properties)
        if MECHANICAL in told:
            self._durations.mechanical.add(file)
        if SERVERLESS in told:
            self._durations.serverless.add(file)

    def pytest_sessionfinish(self) -> None:
        self._durations.write()


def in_order(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return the tests, those of files that take long first."""
    taken = {file: parts.total() for file, parts in Durations.read().files.items()}
    return sorted(items, key=lambda item: -taken.get(item.nodeid.partition("::")[0], UNKNOWN))


def _dearest(seconds: Seconds, least: float) -> dict[str, dict[str, float]]:
    dearest = sorted(seconds.items(), key=lambda each: -each[1].total())
    return {
        name: {part: round(each, 1) for part, each in sorted(parts.items())}
        for name, parts in dearest
        if parts.total() >= least
    }
