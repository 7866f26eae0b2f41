"""make bench-history: what operations cost from version to version, out of the records of the gate in the git history.

Nothing is measured: calls are what ``bench/gate.json`` had at the time, and instructions are those of callgrind. Each
change of that file is a record. The one that a release of the changelog had bears its version, and the last, which may
not be committed yet, the name of what is to come.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson

from bench.plot import draw
from config import ROOT

RECORD, CHANGES = "bench/gate.json", "CHANGELOG.md"
RESULT = ROOT / "bench" / "results" / "history.json"
PLOT = ROOT / "docs" / "images" / "history.svg"
FIGURES = ("calls", "instructions")
COMING = "Unreleased"
VERSION = re.compile(r"^## (\d+\.\d+\.\d+)\b", re.MULTILINE)

Record = Mapping[str, Any]


def main() -> int:
    """Keep the history, and draw it; returns the exit status."""
    try:
        found = records(ROOT)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"bench: the history cannot be read: {error}", file=sys.stderr)
        return 1
    RESULT.write_bytes(orjson.dumps({"records": found}, option=orjson.OPT_INDENT_2) + b"\n")
    print(table(found))
    draw("history.py", RESULT, PLOT)
    return 0


def records(folder: Path) -> list[Record]:
    """The records in the history of ``folder``, oldest first."""
    releases = _releases(folder)
    found = []
    for line in _git(folder, "log", "--reverse", "--format=%H %cs", "--", RECORD).splitlines():
        commit, date = line.split()
        found.append(_record(_git(folder, "show", f"{commit}:{RECORD}"), date, releases.get(commit, "")))
    today = _record((folder / RECORD).read_text(), "", COMING)
    if found and found[-1]["operations"] == today["operations"]:
        # The same as committed: what is to come costs what the last change has it cost.
        today = {**found[-1], "version": found[-1]["version"] or COMING}
        found.pop()
    return [*found, today]


def _releases(folder: Path) -> dict[str, str]:
    """By the commit of the record that it had, each version that the changelog names."""
    found = {}
    for version in VERSION.findall((folder / CHANGES).read_text()):
        named = _git(folder, "log", "--reverse", "--format=%H", f"-S## {version} ", "--", CHANGES).split()
        if named and (record := _git(folder, "log", "-1", "--format=%H", named[0], "--", RECORD).strip()):
            found[record] = version
    return found


def _record(text: str, date: str, version: str) -> Record:
    operations = {
        name: {figure: figures[figure] for figure in FIGURES if figure in figures}
        for name, figures in orjson.loads(text)["operations"].items()
    }
    return {"version": version, "date": date, "operations": operations}


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def table(found: Sequence[Record]) -> str:
    """Calls of each operation by version, and how much that is of the version before."""
    named = [each for each in found if each["version"]]
    lines = [f"{'calls':<16}" + "".join(f"{each['version']:>20}" for each in named)]
    for name in named[-1]["operations"]:
        calls = [each["operations"].get(name, {}).get("calls") for each in named]
        ratios = ["", *(f" ({after / before:.2f})" if before and after else "" for before, after in pairwise(calls))]
        lines.append(f"{name:<16}" + "".join(f"{f'{n or 0:,}{of}':>20}" for n, of in zip(calls, ratios, strict=True)))
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
