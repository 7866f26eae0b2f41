"""Archives whose bytes follow from what is in them: no time, owner or order of the machine that packs them."""

from __future__ import annotations

import gzip
import hashlib
import tarfile
from collections.abc import Mapping
from pathlib import Path

PLAIN, RUNNABLE = 0o644, 0o755
SUMS = "SHA256SUMS"


def pack(target: Path, members: Mapping[str, Path], when: int) -> None:
    """Write a tar archive, compressed, of files by the names that they get in it."""
    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=when) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, path in sorted(members.items()):
            member = archive.gettarinfo(path, name)
            runs = bool(member.mode & 0o100) and not member.issym()
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mtime, member.mode = when, RUNNABLE if runs else PLAIN
            if member.isreg():
                with path.open("rb") as content:
                    archive.addfile(member, content)
            else:
                archive.addfile(member)


def write_sums(folder: Path) -> None:
    """Write the checksums of every file of a folder, as ``sha256sum --check`` reads them."""
    files = sorted(path for path in folder.iterdir() if path.name != SUMS)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in files]
    (folder / SUMS).write_text("\n".join(lines) + "\n")
