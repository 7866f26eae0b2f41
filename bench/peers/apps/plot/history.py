"""Draw what operations cost from version to version: python history.py history.json history.svg."""

import json
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
mpl.rcParams.update({"svg.hashsalt": "rowgate", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10})
from matplotlib import pyplot as plt  # noqa: E402

source, target = map(Path, sys.argv[1:])
records = json.loads(source.read_text())["records"]
figure, panels = plt.subplots(1, 2, figsize=(10, 4.2), sharex=True)
lines = []
for axes, name, title in zip(
    panels, ("calls", "instructions"), ("calls of Python functions", "instructions"), strict=True
):
    for place, operation in enumerate(records[-1]["operations"]):
        costs = [record["operations"].get(operation, {}).get(name) for record in records]
        first = next((cost for cost in costs if cost), None)
        ratios = [cost / first if cost else float("nan") for cost in costs] if first else [float("nan")] * len(costs)
        (line,) = axes.plot(range(len(records)), ratios, marker=".", color=f"C{place}", label=operation)
        lines += [line] if axes is panels[0] else []
    axes.axhline(1, color="black", linewidth=0.6)
    for place, record in enumerate(records):
        if record["version"]:
            axes.axvline(place, color="grey", linewidth=0.6, linestyle=":")
    named = [(place, record["version"]) for place, record in enumerate(records) if record["version"]]
    axes.set_xticks([place for place, _ in named], [version for _, version in named])
    axes.set_title(f"{title}, relative to the first record", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
low, high = min(axes.get_ylim()[0] for axes in panels), max(axes.get_ylim()[1] for axes in panels)
for axes in panels:
    axes.set_ylim(low, high)
figure.legend(handles=lines, frameon=False, fontsize=8, ncols=9, loc="lower center")
figure.tight_layout(rect=(0, 0.06, 1, 1))
figure.savefig(target, metadata={"Date": None})
