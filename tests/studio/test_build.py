"""The built studio in the repository is what its sources make, so that nobody needs Node to serve it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from config import ROOT

pytestmark = pytest.mark.full

PERMISSIVE = {"MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "MIT AND ISC AND BSD-3-Clause", "OFL-1.1"}
STUDIO, BUILT = ROOT / "studio", ROOT / "app" / "static" / "studio"


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run(*command: str) -> None:
    found = subprocess.run(command, cwd=STUDIO, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_sources_compile_strictly():
    run("node", "node_modules/typescript/bin/tsc", "--noEmit")


def test_what_the_files_are_made_of_may_be_passed_on_and_is_named_beside_them():
    licences = set(re.findall(r"^## .+ - \S+ \((.+)\)$", (BUILT / "licenses.md").read_text(), re.MULTILINE))
    assert "MIT" in licences
    assert licences <= PERMISSIVE


def test_the_files_that_are_served_are_those_that_the_sources_make(tmp_path):
    run("node", "node_modules/vite/bin/vite.js", "build", "--outDir", str(tmp_path / "built"))
    assert files(tmp_path / "built") == files(BUILT), "make studio, and commit what it makes"
