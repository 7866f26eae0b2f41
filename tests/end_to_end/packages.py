"""The generated clients, made by whoever needs them first and made again when what they are made of has changed."""

from __future__ import annotations

import fcntl
import hashlib
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


# What the clients are made of and by; what is generated is not among it, as git does not keep it.
SOURCES = ("clients", "docs/openapi.json", "requirements-dev.lock", "Makefile")


@contextmanager
def made_again(what: Path) -> Iterator[bool]:
    """Whether ``what`` is to be made, as it is not there or the sources have changed; other processes wait."""
    stamp = ROOT / "build" / f"{what.parent.name}-{what.name}.made-of"
    stamp.parent.mkdir(exist_ok=True)
    with stamp.open("a+") as kept:
        fcntl.flock(kept, fcntl.LOCK_EX)
        kept.seek(0)
        digest = _digest()
        yield not what.exists() or kept.read() != digest
        kept.truncate(0)
        kept.write(digest)


def _digest() -> str:
    """Tell the sources of the clients from others."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *SOURCES, cwd=ROOT)
    digest = hashlib.sha256()
    for name in sorted(filter(None, listed.split("\0"))):
        path = ROOT / name
        digest.update(f"{name}\0".encode() + (path.read_bytes() if path.exists() else b"") + b"\0")
    return digest.hexdigest()


@pytest.fixture(scope="session")
def made():
    """Both clients, generated and built."""
    with made_again(CLIENTS / "python" / "dist") as wanted:
        report = run("make", "--no-print-directory", "clients", cwd=ROOT) if wanted else ""
        assert "warning" not in report.lower(), report


@pytest.fixture(scope="session")
def compiled(made):
    """The TypeScript examples, compiled with ``tsc --strict``."""
    with made_again(CLIENTS / "typescript" / "build") as wanted:
        if wanted:
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
