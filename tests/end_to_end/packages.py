"""The generated clients, made once in each run of the tests, whoever of its processes needs them first."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from config import ROOT

CLIENTS = ROOT / "clients"
TSC = CLIENTS / "typescript" / "node_modules" / "typescript" / "bin" / "tsc"
BIN = Path(sys.executable).parent


def run(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@contextmanager
def once(what: str, test_run: str) -> Iterator[bool]:
    """Whether ``what`` is still to be done in this run of the tests; other processes wait meanwhile."""
    path = ROOT / "build" / f"{what}.run"
    path.parent.mkdir(exist_ok=True)
    with path.open("a+") as stamp:
        fcntl.flock(stamp, fcntl.LOCK_EX)
        stamp.seek(0)
        is_first = stamp.read() != test_run
        yield is_first
        stamp.truncate(0)
        stamp.write(test_run)


@pytest.fixture(scope="session")
def made(testrun_uid):
    """Both clients, generated and built."""
    with once("clients", testrun_uid) as is_first:
        report = run("make", "--no-print-directory", "clients", cwd=ROOT) if is_first else ""
        assert "warning" not in report.lower(), report


@pytest.fixture(scope="session")
def compiled(made, testrun_uid):
    """The TypeScript examples, compiled with ``tsc --strict``."""
    with once("examples", testrun_uid) as is_first:
        if is_first:
            run(BIN / "node", TSC, "--project", CLIENTS / "typescript" / "examples", "--strict")
    return CLIENTS / "typescript" / "build"


@pytest.fixture(scope="session")
def interpreter(made, tmp_path_factory):
    """A Python that has the package installed, and mypy."""
    folder = tmp_path_factory.mktemp("python")
    (wheel,) = (CLIENTS / "python" / "dist").glob("*.whl")
    run(BIN / "uv", "venv", "--quiet", folder)
    run(BIN / "uv", "pip", "install", "--quiet", "--system-certs", "--python", folder / "bin" / "python", wheel, "mypy")
    return folder / "bin" / "python"


@pytest.fixture(scope="session")
def mypy(interpreter):
    """A call of ``mypy --strict`` that knows the package as it is installed."""
    folder = interpreter.parent
    return [folder / "mypy", "--strict", "--config-file", "", "--cache-dir", folder.parent / "cache"]


@pytest.fixture(scope="session")
def checked(mypy):
    """The Python examples, checked with ``mypy --strict``."""
    examples = CLIENTS / "python" / "examples"
    run(*mypy, *examples.glob("*.py"), cwd=examples)
    return examples
