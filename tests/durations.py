"""How long tests take, by file and by function; files that take long begin first, so that no process ends long before
the others. ``make test DURATIONS=1`` measures them anew."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any

import pytest

from config import ROOT

FILE = ROOT / "tests" / "durations.json"
# Seconds under which a function is not named, and those of a file that is new.
WORTH_NAMING, UNKNOWN = 1.0, 10.0


class Recorder:
    """Adds up the seconds of tests and, apart from them, of what is set up and taken down for them."""

    def __init__(self) -> None:
        self._known = json.loads(FILE.read_text()) if FILE.exists() else {"files": {}, "functions": {}}
        self._taken = {kind: defaultdict[str, Counter[str]](Counter) for kind in self._known}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        part = "tests" if report.when == "call" else "setup"
        file, _, function = report.nodeid.partition("[")[0].partition("::")
        for kind, name in (("files", file), ("functions", f"{file}::{function}")):
            self._taken[kind][name][part] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Add what this run has measured to what is known of other tests: those that run alone are a run of theirs."""
        written: dict[str, Any] = {}
        for kind, taken in self._taken.items():
            sums = {name: Counter(parts) for name, parts in self._known[kind].items()}
            for name, parts in taken.items():
                sums[name] = sums.get(name, Counter()) + parts
            dearest = sorted(sums.items(), key=lambda each: -each[1].total())
            least = WORTH_NAMING if kind == "functions" else 0.0
            written[kind] = {
                name: {part: round(seconds, 1) for part, seconds in sorted(parts.items())}
                for name, parts in dearest
                if parts.total() >= least
            }
        FILE.write_text(json.dumps(written, indent=1) + "\n")


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests, those of files that take long first."""
    known = json.loads(FILE.read_text())["files"] if FILE.exists() else {}
    taken = {file: sum(parts.values()) for file, parts in known.items()}
    return sorted(items, key=lambda item: -taken.get(item.nodeid.partition("::")[0], UNKNOWN))
