"""The result: raw figures for programs, and tables and a plot in the documentation."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import orjson

from bench import documentation
from bench.peers.measure import Counted, Figures
from bench.peers.peer import Peer
from bench.peers.product import Rowgate
from bench.peers.works import WORKS
from bench.plot import draw
from config import ROOT

RESULT = ROOT / "bench" / "results" / "peers.json"
PLOT = ROOT / "docs" / "images" / "peers.svg"


def document(
    peers: Sequence[Peer],
    missing: Mapping[str, str],
    figures: Mapping[tuple[str, str], Figures],
    counted: Mapping[tuple[str, str], Counted],
    started: Mapping[str, tuple[float, float]],
    sizes: Mapping[str, float],
) -> dict[str, Any]:
    """Everything that was measured, with what it depends on."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{os.cpu_count()} cores ({_processor()}), {platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
        "missing": dict(missing),
        "peers": {peer.name: _of_peer(peer, figures, counted, started, sizes) for peer in peers},
    }


def _of_peer(
    peer: Peer,
    figures: Mapping[tuple[str, str], Figures],
    counted: Mapping[tuple[str, str], Counted],
    started: Mapping[str, tuple[float, float]],
    sizes: Mapping[str, float],
) -> dict[str, Any]:
    works = {}
    for work in WORKS:
        found = figures.get((peer.name, work.name))
        if found is not None:
            reference = figures[Rowgate.name, work.name]
            works[work.name] = _of_work(found, reference, counted.get((peer.name, work.name)))
    described: dict[str, Any] = {"title": peer.title, "version": peer.version(), "note": peer.note, "works": works}
    if peer.name in started:
        seconds, cpu = started[peer.name]
        described["first_answer"] = {"seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2)}
        described["memory_mib"] = round(sizes[peer.name])
    return described


def _of_work(found: Figures, reference: Figures, counted: Counted | None) -> dict[str, Any]:
    # Each round against the same round: what the machine did meanwhile, it did to both.
    ratios = [ours / theirs for ours, theirs in zip(found.cpu_ms, reference.cpu_ms, strict=True)]
    measured = {
        "ratio": round(median(ratios), 2),
        "cpu_ms": round(found.cost, 3),
        "server_cpu_ms": round(median(found.server_ms), 3),
        "requests_per_second": round(median(found.per_second)),
        "p50_ms": round(median(found.p50), 2),
        "p99_ms": round(median(found.p99), 2),
    }
    if counted is not None:
        measured |= {"statements": round(counted.statements, 1), "round_trips": round(counted.round_trips, 1)}
    rounds = {"cpu_ms": found.cpu_ms, "requests_per_second": found.per_second, "p50_ms": found.p50, "p99_ms": found.p99}
    return measured | {"rounds": {name: [round(each, 3) for each in values] for name, values in rounds.items()}}


def _processor() -> str:
    found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1].strip() if found else platform.machine()


def tables(result: Mapping[str, Any]) -> str:
    """The result as Markdown."""
    parts = [
        f"Measured on {result['date']}: {result['machine']}, Python {result['python']}; {_rounds(result)} rounds.",
        "Processor time of a request, server and database together, relative to Rowgate with a session: the median of "
        "the rounds, with the lowest and the highest. Below 1 is cheaper. The last row is in milliseconds.",
        _table(result),
        "![Processor time relative to Rowgate](images/peers.svg)",
        "Memory after all that (PSS of all processes, without PostgreSQL), and the way to the first answer:",
        _starts(result),
        "\n".join(f"- {title} was left out: {reason}." for title, reason in result["missing"].items()),
    ]
    return "\n\n".join(part for part in parts if part)


def _rounds(result: Mapping[str, Any]) -> int:
    return len(result["peers"][Rowgate.name]["works"][WORKS[0].name]["rounds"]["cpu_ms"])


def _table(result: Mapping[str, Any]) -> str:
    """Each peer relative to Rowgate, and Rowgate itself in milliseconds."""
    peers = result["peers"].values()
    measured = [work for work in WORKS if work.shown and any(work.name in peer["works"] for peer in peers)]
    rows = [
        [
            peer["title"],
            *(_ratio(result, peer, work.name) if work.name in peer["works"] else "" for work in measured),
        ]
        for peer in peers
    ]
    own = [f"{result['peers'][Rowgate.name]['works'][work.name]['cpu_ms']:.2f}" for work in measured]
    kept = [row for row in rows if any(row[1:])]
    return _rendered(["", *(work.title for work in measured)], [*kept, [f"{Rowgate.title}, ms", *own]])


def _ratio(result: Mapping[str, Any], peer: Mapping[str, Any], work: str) -> str:
    """The median of the rounds, with the lowest and the highest."""
    found, own = (each["works"][work] for each in (peer, result["peers"][Rowgate.name]))
    if found is own:
        return "1.00"
    ratios = [one / other for one, other in zip(found["rounds"]["cpu_ms"], own["rounds"]["cpu_ms"], strict=True)]
    return f"{found['ratio']:.2f} ({min(ratios):.2f}-{max(ratios):.2f})"


def _starts(result: Mapping[str, Any]) -> str:
    rows = [
        [peer["title"], f"{peer['memory_mib']} MiB", f"{first['seconds']:.2f} s", f"{first['cpu_seconds']:.2f} s"]
        for peer in result["peers"].values()
        if (first := peer.get("first_answer"))
    ]
    return _rendered(["", "memory", "first answer after", "processor time until then"], rows)


def _rendered(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    marks = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, marks, *rows))


def write(result: Mapping[str, Any]) -> None:
    """Keep the raw figures, and show them in the documentation."""
    RESULT.write_bytes(orjson.dumps(result, option=orjson.OPT_INDENT_2) + b"\n")
    documentation.fill("bench-peers", tables(result))
    draw("draw.py", RESULT, PLOT)
