"""Processor time and memory of a server with all its processes, from /proc (proc_pid_stat(5), proc_pid_smaps(5))."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

TICKS = os.sysconf("SC_CLK_TCK")


def family(root: int) -> list[int]:
    """A process and everything that it started, as far as it lives."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(root)
        return [root, *(child.pid for child in process.children(recursive=True))]
    return []


def cpu_seconds(roots: Iterable[int]) -> float:
    """Processor time that these processes and their descendants took, with that of children which have ended."""
    ticks = 0
    for root in roots:
        for process in family(root):
            with suppress(OSError):
                stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
                ticks += sum(map(int, stat[11:15]))
    return ticks / TICKS


def memory(roots: Iterable[int]) -> float:
    """MiB in memory, pages that several processes share divided among them (PSS)."""
    kilobytes = 0
    for root in roots:
        for process in family(root):
            with suppress(OSError):
                for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
                    if line.startswith("Pss:"):
                        kilobytes += int(line.split()[1])
    return kilobytes / 1024
