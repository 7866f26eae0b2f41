"""Examples of the documentation, run as they stand: a block of `sh`, and what it has to print.

A block of `json` is contained in the last line of what was printed; `"..."` stands for anything. Each line of a block
of `text` is in what was printed.
"""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from typing import Any

from config import ROOT
from tests.end_to_end.service import environment

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = "--- end of what was asked ---"


@dataclass(frozen=True)
class Expected:
    """What a block has to print, as ``json`` or ``text``."""

    kind: str
    text: str


def run(text: str, port: int, *, before: str = "", **settings: str) -> list[tuple[str, Expected]]:
    """Run the examples of a page against the service at ``port``, after ``before``; what was printed, and what had to
    be."""
    script, expected = ["set -euo pipefail", before, f"echo '{MARK}'"], []
    for kind, block in BLOCK.findall(text):
        if kind == "sh":
            script.append(block)
        elif kind in ("json", "text"):
            script.append(f"echo; echo '{MARK}'")
            expected.append(Expected(kind, block))
    done = subprocess.run(
        ["bash", "-c", "\n".join(script).replace("localhost:3001", f"127.0.0.1:{port}")],
        cwd=ROOT, env=environment(**settings), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    printed = done.stdout.split(MARK)[1:-1]
    return list(zip(printed, expected, strict=True))


def check(printed: str, expected: Expected) -> None:
    """Fail unless a block has printed what it had to."""
    if expected.kind == "json":
        wanted, got = json.loads(expected.text), json.loads(printed.strip().splitlines()[-1])
        assert holds(got, wanted), (got, wanted)
    else:
        missing = [line for line in expected.text.splitlines() if line not in printed]
        assert not missing, printed


def holds(got: Any, wanted: Any) -> bool:
    """Whether a value is the wanted one, apart from fields that are not named."""
    if wanted == "...":
        return got is not None
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(name in got and holds(got[name], each) for name, each in wanted.items())
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) == len(wanted) and all(map(holds, got, wanted))
    return bool(got == wanted)
