"""Plots of results, drawn by a program in an environment of its own: the service needs no matplotlib."""

from __future__ import annotations

from pathlib import Path

from bench.peers.peer import APPS, BUILD, Unavailable, run, virtual_environment
from config import ROOT


def draw(program: str, result: Path, plot: Path) -> None:
    """Draw ``result`` into ``plot``; where that cannot be had here, say so and leave the plot as it is."""
    try:
        binaries = virtual_environment(BUILD / "plot", APPS / "plot" / "requirements.txt")
        command = [str(binaries / "python"), str(APPS / "plot" / program), str(result), str(plot)]
        run(command, folder=ROOT, log=BUILD / "plot" / "draw.log")
    except Unavailable as reason:
        print(f"bench: the plot is not drawn anew: {reason}")
