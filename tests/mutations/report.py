"""What came of the changes, as a table.

python -m tests.mutations.report BEFORE.jsonl [AFTER.jsonl]
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one change, and the test that caught it."""

    name: str
    change: str
    outcome: str
    by: str = ""
    seconds: float = 0.0
    tests: int = 0
    is_whole: bool = True
    is_deep: bool = False

    @property
    def is_open(self) -> bool:
        """Whether other tests may catch it yet."""
        return self.outcome in ("survived", "not reached") and not self.is_deep

    def told(self) -> str:
        return self.by or f"{self.outcome}, of {'all' if self.is_whole else 'the first'} {self.tests} tests"


def read(file: Path) -> list[Result]:
    """The last result of each change."""
    lines = file.read_text().splitlines() if file.exists() else []
    return [*{each.name: each for each in (Result(**json.loads(line)) for line in lines)}.values()]


def table(title: str, results: Sequence[Result]) -> str:
    counts = Counter(each.outcome for each in results)
    told = ", ".join(f"{number} {outcome}" for outcome, number in counts.items())
    lines = [
        f"{title}: {told} of {len(results)}",
        "",
        "| Place | Change | Caught by | Seconds |",
        "| --- | --- | --- | ---: |",
    ]
    for each in results:
        cells = " | ".join(_cell(text) for text in (each.name, each.change, each.told()))
        lines.append(f"| {cells} | {each.seconds:.0f} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def lost(before: Sequence[Result], after: Sequence[Result]) -> list[str]:
    """The changes that were caught before and are not any more."""
    still = {each.name for each in after if each.outcome == "caught"}
    return [each.name for each in before if each.outcome == "caught" and each.name not in still]


if __name__ == "__main__":
    found = {Path(name).stem: read(Path(name)) for name in sys.argv[1:]}
    print("\n\n".join(table(title, results) for title, results in found.items()))
    if len(found) > 1:
        print("\nCaught no more:", "; ".join(lost(*[*found.values()][:2])) or "none")
