"""The result: a table for people, a verdict on every aim, and a file for programs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

import orjson

from bench import documentation, growth
from bench.measure import DEEP_SKIP, Figures
from bench.subjects import BARE, BY_HAND, ITEM, LIST, TITLES

RESULT = Path(__file__).parent / "results" / "latest.json"
# The share of a core that the bare worker uses on a machine with nothing else to do is nearly all of it.
QUIET = 0.93
LIBRARIES = (
    "Flask", "Flask-Limiter", "Flask-SQLAlchemy", "SQLAlchemy", "Werkzeug", "flask-smorest", "gevent", "gunicorn",
    "marshmallow", "orjson", "psycopg", "redis",
)  # fmt: skip


@dataclass(frozen=True)
class Aim:
    """A ratio to reach, judged by processor time; requests per second depend on what else the machine does."""

    text: str
    least: float
    by_cpu: float
    by_rate: float

    @property
    def is_met(self) -> bool:
        return self.by_cpu >= self.least

    def __str__(self) -> str:
        verdict = "met" if self.is_met else "MISSED"
        return f"{verdict:<7} {self.text}: {self.by_cpu:.2f} by CPU, {self.by_rate:.2f} by requests per second"


@dataclass(frozen=True)
class Deep:
    """Milliseconds of a first and of a deep page, as an admin."""

    first_ms: float
    deep_ms: float
    most: float = 5.0

    @property
    def ratio(self) -> float:
        return self.deep_ms / self.first_ms

    def __str__(self) -> str:
        verdict = "met" if self.ratio < self.most else "MISSED"
        times = f"{self.deep_ms:.1f} ms against {self.first_ms:.1f} ms"
        return f"{verdict:<7} page at skip={DEEP_SKIP} under {self.most:g} x the first: {self.ratio:.2f} ({times})"


@dataclass(frozen=True)
class Memory:
    """MiB of a worker after some numbers of requests."""

    sizes: Mapping[int, float]
    most: float = 1.05

    @property
    def ratio(self) -> float:
        _, before, after = self.sizes.values()
        return after / before

    def __str__(self) -> str:
        return f"{self._verdict:<7} {self.text}: {self.ratio:.3f} ({self._told})"

    @property
    def is_met(self) -> bool:
        return self.ratio <= self.most

    @property
    def text(self) -> str:
        _, before, after = self.sizes
        return f"memory after {after:,} requests at most {self.most:g} x that after {before:,}"

    @property
    def sentence(self) -> str:
        """The sizes, and whether they are what they may be."""
        bound = f"at most {self.most:g} x from the second on"
        return f"Memory of a worker (PSS): {self._told} requests; {bound}: {self._verdict}."

    @property
    def _told(self) -> str:
        return ", ".join(f"{size:.0f} MiB after {number:,}" for number, size in self.sizes.items())

    @property
    def _verdict(self) -> str:
        return "met" if self.is_met else "MISSED"


def aims(figures: Mapping[str, Figures]) -> list[Aim]:
    """What is aimed at, and how far it is reached."""
    return [
        _aim("item GET at least 0.30 of bare", 0.30, figures[ITEM], figures[BARE]),
        _aim("list of 20 at least 0.20 of bare", 0.20, figures[LIST], figures[BARE]),
        _aim("list of 20 at least 1.5 x by hand", 1.5, figures[LIST], figures[BY_HAND]),
    ]


def _aim(text: str, least: float, ours: Figures, other: Figures) -> Aim:
    return Aim(text, least, other.cost / ours.cost, ours.rate / other.rate)


def show(
    figures: Mapping[str, Figures], deep: Deep, points: Sequence[growth.Point], sizes: Mapping[int, float]
) -> None:
    """Print the tables and the verdicts."""
    bare = figures[BARE]
    print(f"\n{'':<22}{'req/s':>9}{'CPU ms':>9}{'of bare, CPU':>14}{'of bare, req/s':>16}")
    for name, each in figures.items():
        ratios = f"{bare.cost / each.cost:>14.2f}{each.rate / bare.rate:>16.2f}"
        print(f"{TITLES[name]:<22}{each.rate:>9.0f}{each.cost:>9.3f}{ratios}")
    shown = len(bare.cpu_ms)
    print(f"\nMedians of {shown} rounds; one gevent worker, {os.cpu_count()} cores shared with load and database.\n")
    for verdict in (*aims(figures), deep, Memory(sizes)):
        print(verdict)
    print(f"\n{_growth_table(points)}")
    if bare.rate * bare.cost / 1000 < QUIET:
        print("\nSomething else kept the machine busy: the workers did not get the processor they could have used.")


def write(
    figures: Mapping[str, Figures], deep: Deep, points: Sequence[growth.Point], sizes: Mapping[int, float]
) -> None:
    """Write the result, with what it depends on and nothing that names the machine."""
    RESULT.parent.mkdir(exist_ok=True)
    memory = Memory(sizes)
    measured = _document(figures, deep, memory) | {
        "memory_mib_after_requests": {str(number): _cut(size) for number, size in sizes.items()},
        "growth": [
            asdict(point) | {"cpu_ms": _cut(point.cpu_ms), "median_ms": _cut(point.median_ms)} for point in points
        ],
    }
    RESULT.write_bytes(orjson.dumps(measured, option=orjson.OPT_INDENT_2) + b"\n")
    told = f"{_growth_table(points)}\n\n{memory.sentence}"
    documentation.fill("bench", f"Measured on {measured['date']}, {measured['cores']} cores.\n\n{told}")


def _growth_table(points: Sequence[growth.Point]) -> str:
    """Milliseconds of the processor by rows in the table, for each work and caller."""
    steps = list(dict.fromkeys(point.rows for point in points))
    lines = [
        "| | sees | " + " | ".join(f"{rows:,} rows" for rows in steps) + " |",
        "| --- | ---: |" + " ---: |" * len(steps),
    ]
    # By work, and by how much is seen: "1,000", "100,000", "all".
    for work, seen in sorted(dict.fromkeys((point.work, point.seen) for point in points), key=_place):
        costs = {point.rows: f"{point.cpu_ms:.2f}" for point in points if (point.work, point.seen) == (work, seen)}
        lines.append(f"| {work} | {seen} | " + " | ".join(costs.get(rows, "") for rows in steps) + " |")
    return "\n".join(lines)


def _place(line: tuple[str, str]) -> tuple[int, int]:
    return growth.WORKS.index(line[0]), growth.SEEN.index(line[1])


def _document(figures: Mapping[str, Figures], deep: Deep, memory: Memory) -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cores": os.cpu_count(),
        "versions": {"Python": python_version(), **{name: version(name) for name in LIBRARIES}},
        "figures": {name: _summary(each, figures[BARE]) for name, each in figures.items()},
        "deep_page": {
            "first_ms": round(deep.first_ms, 2),
            "deep_ms": round(deep.deep_ms, 2),
            "ratio": _cut(deep.ratio),
        },
        "aims": [
            {"aim": aim.text, "met": aim.is_met, "by_cpu": _cut(aim.by_cpu), "by_rate": _cut(aim.by_rate)}
            for aim in aims(figures)
        ]
        + [
            {"aim": f"deep page under {deep.most:g} x the first", "met": deep.ratio < deep.most},
            {"aim": memory.text, "met": memory.is_met, "by_memory": _cut(memory.ratio)},
        ],
    }


def _summary(ours: Figures, bare: Figures) -> dict[str, Any]:
    return {
        "requests_per_second": round(ours.rate, 1),
        "cpu_ms_per_request": _cut(ours.cost),
        "of_bare_by_cpu": _cut(bare.cost / ours.cost),
        "of_bare_by_rate": _cut(ours.rate / bare.rate),
        "requests": ours.requests,
        "rounds": {
            "requests_per_second": [round(each, 1) for each in ours.per_second],
            "cpu_ms_per_request": [_cut(each) for each in ours.cpu_ms],
        },
    }


def _cut(value: float) -> float:
    return round(value, 3)
