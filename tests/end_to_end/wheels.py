"""Wheels of the service, as they are published."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from config import ROOT
from tests.end_to_end.service import environment

LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "var", "build", "dist", "node_modules", "__pycache__", ".*_cache")
APART = {"clients", "tests", "bench"}  # at the top: a project that is made has tests, too


def left_out(folder: str, names: list[str]) -> set[str]:
    """What a copy of the source does without."""
    return LEFT_OUT(folder, names) | (APART & {*names} if Path(folder) == ROOT else set())


def run(*command, cwd, seconds=300, **settings):
    """Run a command with the settings of the package index."""
    env = environment(**settings) | {
        name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_"))
    }
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=seconds, check=False)


def build_wheel(folder: Path, change=lambda source: None) -> Path:
    """Build the wheel of a copy of the source in ``folder``, which ``change`` may have changed."""
    shutil.copytree(ROOT, folder / "source", ignore=left_out)
    change(folder / "source")
    offline = ("--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    built = run(sys.executable, "-m", "pip", "wheel", *offline, "--wheel-dir", str(folder), ".", cwd=folder / "source")
    assert built.returncode == 0, built.stderr
    (found,) = folder.glob("*.whl")
    return found
