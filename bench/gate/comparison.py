"""What was counted against what is recorded: where they differ, by how much, and through which functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Figures = Mapping[str, Any]
SHOWN = 12
OURS = ("app.", "blueprints.", "schemas.")
# Recorded beside the others: where calls come from, and what depends on the processor.
NOT_JUDGED = ("functions", "instructions")


def differences(recorded: Mapping[str, Figures], counted: Mapping[str, Figures], *, calls: bool = True) -> list[str]:
    """A line for each figure that is another than the recorded one, with the functions behind it; calls are left out
    where another Python counted them, which makes others."""
    lines = [f"{name}: is recorded, and counted no more" for name in recorded if name not in counted]
    for name, figures in counted.items():
        if name not in recorded:
            lines.append(f"{name}: is not recorded yet")
        else:
            lines.extend(_of_operation(name, recorded[name], figures, calls=calls))
    return lines


def _of_operation(name: str, before: Figures, after: Figures, *, calls: bool) -> Iterator[str]:
    for figure in after:
        if figure in NOT_JUDGED or (figure == "calls" and not calls) or _is_alike(figure, before, after):
            continue
        yield f"{name}: {figure} {_change(before.get(figure, 0), after[figure])}"
        if figure == "calls":
            yield from _by_function(before["functions"], after["functions"])


def _is_alike(figure: str, before: Figures, after: Figures) -> bool:
    """Whether a figure is as recorded. A statement is sent under the number by which its connection prepared it. Which
    connection is lent differs from run to run, and with it, by one, the digits of that number."""
    allowed = after["statements"] if figure == "bytes to PostgreSQL" else 0
    return figure in before and abs(after[figure] - before[figure]) <= allowed


def _by_function(before: Mapping[str, int], after: Mapping[str, int]) -> Iterator[str]:
    changed = {each: after.get(each, 0) - before.get(each, 0) for each in before.keys() | after.keys()}
    ordered = sorted(
        (each for each, by in changed.items() if by),
        key=lambda each: (-abs(changed[each]), not each.startswith(OURS), each),
    )
    for each in ordered[:SHOWN]:
        yield f"    {each} {_change(before.get(each, 0), after.get(each, 0))}"
    if ordered[SHOWN:]:
        yield f"    and {len(ordered) - SHOWN} further functions"


def _change(before: int, after: int) -> str:
    return f"{before} -> {after} ({after - before:+})"
