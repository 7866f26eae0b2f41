"""Instructions of the processor that an operation takes, by callgrind: repeatable, but only where valgrind is, and
another count on other processors. They are recorded, and not judged."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.gate.parts import STEPS, parts
from config import ROOT

TOTALS = re.compile(r"^totals: (\d+)$", re.MULTILINE)


def instructions() -> dict[str, int]:
    """By operation; nothing where there is no valgrind. Takes a minute or two."""
    if shutil.which("valgrind") is None:
        return {}
    with parts() as environment, tempfile.TemporaryDirectory() as folder:
        command = [
            "valgrind", "--tool=callgrind", "--instr-atstart=no", "--quiet", f"--callgrind-out-file={folder}/out",
            sys.executable, "-m", "bench.gate.subject", "--step-by-step",
        ]  # fmt: skip
        with subprocess.Popen(
            command, cwd=ROOT, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as subject:
            return _counted(subject, Path(folder))


def _counted(subject: subprocess.Popen[str], folder: Path) -> dict[str, int]:
    assert subject.stdin is not None
    assert subject.stdout is not None
    taken = {}
    while name := subject.stdout.readline().strip():
        _control(subject.pid, "-i", "on")
        _control(subject.pid, "--zero")
        print(file=subject.stdin, flush=True)
        subject.stdout.readline()
        _control(subject.pid, "--dump")
        newest = max(folder.glob("out.*"), key=lambda dump: int(dump.suffix[1:]))
        taken[name] = int(TOTALS.findall(newest.read_text())[0]) // STEPS
        print(file=subject.stdin, flush=True)
    return taken


def _control(process_id: int, *command: str) -> None:
    subprocess.run(["callgrind_control", *command, str(process_id)], check=True, capture_output=True)
