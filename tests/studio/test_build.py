"""The built studio in the repository is what its sources make, so that nobody needs Node to serve it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from config import ROOT

STUDIO, BUILT = ROOT / "studio", ROOT / "app" / "static" / "studio"


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run(*command: str) -> None:
    found = subprocess.run(command, cwd=STUDIO, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_sources_compile_strictly():
    run("node", "node_modules/typescript/bin/tsc", "--noEmit")


def test_the_files_that_are_served_are_those_that_the_sources_make(tmp_path):
    run("node", "node_modules/vite/bin/vite.js", "build", "--outDir", str(tmp_path / "built"))
    assert files(tmp_path / "built") == files(BUILT), "make studio, and commit what it makes"
