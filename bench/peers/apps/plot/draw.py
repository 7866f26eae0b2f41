"""Draw the processor time of peers relative to Rowgate: python draw.py peers.json peers.svg."""

import json
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
mpl.rcParams.update({"svg.hashsalt": "rowgate", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10})

from matplotlib import pyplot as plt  # noqa: E402

source, target = map(Path, sys.argv[1:])
result = json.loads(source.read_text())
reference = result["peers"]["rowgate"]["works"]
titles = {
    "item": "item", "list": "list of 20\nwith count", "filtered": "filtered\nlist", "create": "create",
    "update": "update", "deep": "skip 900", "big": "list of\n100,000",
    "uncounted": "100,000,\nno count",
}  # fmt: skip
shown = [peer for name, peer in result["peers"].items() if name not in ("bare", "rowgate", "rowgate-key")]
works = [work for work in titles if work in reference]
width = 0.8 / len(shown)

figure, axes = plt.subplots(figsize=(10, 4.6))
for place, peer in enumerate(shown):
    at = [number - 0.4 + width * (place + 0.5) for number in range(len(works))]
    ratios = [peer["works"][work]["ratio"] for work in works]
    bars = axes.bar(at, ratios, width * 0.92, label=peer["title"], color=f"C{place}")
    axes.bar_label(bars, [f"{ratio:.1f}" for ratio in ratios], fontsize=7, padding=2)
axes.axhline(1, color="black", linewidth=1)
axes.text(-0.48, 1.02, "Rowgate", ha="center", va="bottom", fontsize=8)
axes.set_xticks(range(len(works)), [titles[work] for work in works])
axes.set_ylabel("processor time relative to Rowgate")
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False, fontsize=8, ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.16))
figure.tight_layout()
figure.savefig(target, metadata={"Date": None})
