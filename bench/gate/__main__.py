"""make gate: count what operations cost, and hold it against ``bench/gate.json``; ``--write`` records it anew."""

from __future__ import annotations

import subprocess
import sys
from argparse import ArgumentParser
from platform import python_version_tuple
from typing import Any

import orjson

from bench.gate.comparison import differences
from bench.gate.instructions import instructions
from bench.gate.parts import parts
from config import ROOT

RECORD = ROOT / "bench" / "gate.json"
PYTHON = ".".join(python_version_tuple()[:2])
MAX_LENGTH = 120.0


def main() -> int:
    """Count; returns 1 where something is another than recorded."""
    parser = ArgumentParser(prog="python -m bench.gate", description=__doc__)
    parser.add_argument("--write", action="store_true", help="record it, with instructions where valgrind is")
    given = parser.parse_args()
    counted = count()
    if given.write:
        _write(counted)
        return 0
    recorded = orjson.loads(RECORD.read_bytes())
    same_python = recorded["python"] == PYTHON
    if not same_python:
        print(f"gate: calls were recorded by Python {recorded['python']}, and this is {PYTHON}: they are not compared")
    found = differences(recorded["operations"], counted, calls=same_python)
    for line in found:
        print(line)
    if found:
        print("\ngate: if this is meant, record it in the same commit: make gate")
    return 1 if found else 0


def count() -> dict[str, Any]:
    """What every operation costs, on servers of its own."""
    with parts() as environment:
        command = [sys.executable, "-m", "bench.gate.subject"]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True, timeout=MAX_LENGTH
        )
    counted: dict[str, Any] = orjson.loads(done.stdout)
    return counted


def _write(counted: dict[str, Any]) -> None:
    taken = instructions()
    for name, number in taken.items():
        counted[name]["instructions"] = number
    record = {"python": PYTHON, "operations": counted}
    RECORD.write_bytes(orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")
    print(f"gate: recorded in {RECORD.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
