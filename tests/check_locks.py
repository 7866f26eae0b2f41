"""Fails when a lock file no longer fits setup.cfg: compiling it again, from what it pins, must change nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from config import ROOT

OPTIONS = (
    "--quiet", "--generate-hashes", "--universal", "--python-version", "3.11",
    "--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-build-isolation", "--system-certs",
)  # fmt: skip
OF_SERVICE = ("--extra", "local-embeddings", "--extra", "office-documents")
LOCKS = {
    "requirements.lock": OF_SERVICE,
    "requirements-dev.lock": (*OF_SERVICE, "--extra", "dev", "-c", "requirements.lock"),
}


def main() -> int:
    stale = [name for name, extra in LOCKS.items() if not is_current(name, extra)]
    for name in stale:
        print(f"{name} does not fit setup.cfg: run make lock")
    return len(stale)


def is_current(name: str, extra: tuple[str, ...]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / name
        shutil.copy(ROOT / name, again)
        command = [str(Path(sys.executable).parent / "uv"), "pip", "compile", *OPTIONS, *extra, "setup.cfg"]
        subprocess.run([*command, "-o", str(again)], cwd=ROOT, check=True)
        return pins(again) == pins(ROOT / name)


def pins(path: Path) -> list[str]:
    """The lines that decide what is installed; comments name the file that was written."""
    return [line for line in path.read_text().splitlines() if not line.lstrip().startswith("#")]


if __name__ == "__main__":
    sys.exit(main())
