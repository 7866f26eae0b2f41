"""make dist: everything that is published of a version, in ``dist``, made of the last commit.

It is built in a copy of the commit, so that nothing gets in that is not committed, and the times in the files are that
of the commit: the same commit gives the same bytes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from config import ROOT
from publishing import PublishingError, bill
from publishing.archives import SUMS, pack, write_sums
from publishing.changelog import UNRELEASED, is_empty, release_text
from publishing.version import CHANGELOG, found

NAME = "rowgate"
DIST = ROOT / "dist"
BIN = ROOT / ".venv" / "bin"
NPM = Path("clients", "typescript")
STUDIO = Path("studio")
PIP_OPTIONS = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation")
# The image is made of these and the wheel.
IMAGE = {"Containerfile": "deploy/image/Containerfile", "requirements.lock": "requirements.lock"}


def main() -> int:
    """Build everything; returns the exit status."""
    try:
        with tempfile.TemporaryDirectory(prefix="rowgate-dist-") as folder:
            build = Build.of_last_commit(Path(folder))
            for sentence in build.doubts():
                print(f"rowgate: {sentence}", file=sys.stderr)
            build.run()
    except (PublishingError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", None) or ""
        print(f"rowgate: {said}{error}", file=sys.stderr)
        return 1
    print((DIST / SUMS).read_text(), end="")
    return 0


@dataclass(frozen=True)
class Build:
    """One commit, laid out in a folder of its own, and where its files go."""

    source: Path
    into: Path
    version: str
    when: int

    @classmethod
    def of_last_commit(cls, folder: Path) -> Build:
        source, into = folder / "source", folder / "dist"
        into.mkdir()
        with tarfile.open(fileobj=BytesIO(_said("git", "archive", "HEAD"))) as archive:
            archive.extractall(source, filter="data")
        (source / ".venv").symlink_to(ROOT / ".venv")
        versions = {version for each in found(source).values() for version in each}
        if len(versions) != 1:
            raise PublishingError(f"The files name several versions ({', '.join(sorted(versions))}): run make version")
        return cls(source, into, versions.pop(), int(_said("git", "log", "-1", "--format=%ct")))

    def doubts(self) -> list[str]:
        """What whoever publishes this may not have meant."""
        changed = _said("git", "status", "--porcelain").strip()
        noted = not is_empty(self._changelog)
        return [
            *(["what is not committed is not in it"] if changed else []),
            *([f"CHANGELOG.md has changes under {UNRELEASED} that {self.version} does not name"] if noted else []),
        ]

    def run(self) -> None:
        """Make every file, then put them in place of those that were there."""
        text = release_text(self._changelog, self.version)
        (self.into / "RELEASE.md").write_text(text)
        self.wheel()
        self.source_archive()
        self.image()
        self.clients()
        self.bills()
        write_sums(self.into)
        shutil.rmtree(DIST, ignore_errors=True)
        shutil.copytree(self.into, DIST)

    @property
    def _changelog(self) -> str:
        return (self.source / CHANGELOG).read_text()

    @property
    def _wheel_path(self) -> Path:
        return self.into / f"{NAME}-{self.version}-py3-none-any.whl"

    def wheel(self) -> None:
        """The service as a package that serves."""
        copy = self.into.parent / "wheel"
        shutil.copytree(self.source, copy, symlinks=True)
        self._do(BIN / "pip", "wheel", *PIP_OPTIONS, "--wheel-dir", self.into, ".", folder=copy)

    def source_archive(self) -> None:
        """What is committed, and the wheel's metadata, which is what makes it a source archive to Python's tools."""
        stem = f"{NAME}-{self.version}"
        metadata = self.into.parent / "PKG-INFO"
        with zipfile.ZipFile(self._wheel_path) as wheel:
            metadata.write_bytes(wheel.read(f"{stem}.dist-info/METADATA"))
        files = _said("git", "ls-tree", "-r", "-z", "--name-only", "HEAD").decode().split("\0")[:-1]
        members = {f"{stem}/{name}": self.source / name for name in files}
        pack(self.into / f"{stem}.tar.gz", {**members, f"{stem}/PKG-INFO": metadata}, self.when)

    def image(self) -> None:
        """What an image is built of: ``podman build`` in the folder where it is unpacked."""
        members = {name: self.source / path for name, path in IMAGE.items()}
        members[self._wheel_path.name] = self._wheel_path
        pack(self.into / f"{NAME}-{self.version}-image.tar.gz", members, self.when)

    def clients(self) -> None:
        """The packages of both clients, generated from the description of the commit."""
        # The environment is there, however old the copied lock files look.
        self._do("make", "--no-print-directory", "-o", ".venv/dev", "clients")
        self._do("npm", "pack", "--silent", "--pack-destination", self.into, folder=self.source / NPM)
        for wheel in (self.source / "clients" / "python" / "dist").glob("*.whl"):
            shutil.copy(wheel, self.into)

    def bills(self) -> None:
        """What the service and the npm package are installed with, and what the studio is built of."""
        when = datetime.fromtimestamp(self.when, UTC).isoformat().replace("+00:00", "Z")
        bills = {NAME: bill.of_python(NAME, self.version, (self.source / "requirements.lock").read_text(), when)}
        for stem, folder in ((f"{NAME}-client", NPM), (f"{NAME}-studio", STUDIO)):
            lock = json.loads((self.source / folder / "package-lock.json").read_text())
            bills[stem] = bill.of_npm(lock, when)
        for stem, content in bills.items():
            (self.into / f"{stem}-{self.version}.cdx.json").write_text(json.dumps(content, indent=1) + "\n")

    def _do(self, *command: Any, folder: Path | None = None) -> None:
        # Packers note who may read a file: that must not depend on who packs.
        subprocess.run(
            [*map(str, command)], cwd=folder or self.source, env=self._environment, check=True, capture_output=True,
            text=True, umask=0o022,
        )  # fmt: skip

    @property
    def _environment(self) -> Mapping[str, str]:
        # make passes its own options on in variables that would meet ours.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        path = f"{BIN}{os.pathsep}{kept.get('PATH', '')}"
        return {**kept, "PATH": path, "SOURCE_DATE_EPOCH": str(self.when), "PYTHONHASHSEED": "0"}


def _said(*command: str) -> bytes:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout


if __name__ == "__main__":
    raise SystemExit(main())
