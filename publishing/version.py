"""make version TO=x.y.z: writes the version everywhere it stands, dates its changes, and keeps its description.

The clients bear the version of the service whose description they are made of.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from config import ROOT
from publishing import PublishingError
from publishing.changelog import dated, sections

CHANGELOG = "CHANGELOG.md"
PATTERN = re.compile(r"(\d+)\.(\d+)\.(\d+)")
NUMBER = r"(\d+\.\d+\.\d+)"
# By file, what stands in front of each version in it. The second of the npm lock file is that of the package itself.
PLACES: Mapping[str, tuple[str, ...]] = {
    "config.py": (r'^VERSION = "',),
    "clients/python/pyproject.toml": (r'^version = "',),
    "clients/typescript/package.json": (r'^  "version": "',),
    "clients/typescript/package-lock.json": (
        r'^  "version": "',
        r'^      "name": "@rowgate/client",\n      "version": "',
    ),
}


def main() -> int:
    """Write the version that the command line names; returns the exit status."""
    version = "".join(sys.argv[1:])
    try:
        write(ROOT, version, datetime.now(UTC).date().isoformat())
    except PublishingError as error:
        print(f"rowgate: {error}", file=sys.stderr)
        return 1
    print(f"rowgate: this is {version}: look at the difference, commit it, and run make dist")
    return 0


def found(root: Path) -> dict[str, list[str]]:
    """By file, the versions that stand in it."""
    return {
        name: [version for before in places for version in re.findall(before + NUMBER, (root / name).read_text(), re.M)]
        for name, places in PLACES.items()
    }


def write(root: Path, version: str, date: str) -> None:
    """Make ``root`` that version; changes nothing where it raises PublishingError."""
    (present,) = found(root)["config.py"]
    changelog = (root / CHANGELOG).read_text()
    if _parts(version) <= _parts(present) or version in sections(changelog):
        raise PublishingError(f"{version} is not greater than {present}, which this is")
    texts = {CHANGELOG: dated(changelog, version, date)}
    for name, places in PLACES.items():
        texts[name] = (root / name).read_text()
        for before in places:
            texts[name], times = re.subn(f"({before}){NUMBER}", rf"\g<1>{version}", texts[name], flags=re.M)
            if times != 1:
                raise PublishingError(f"{name} has its version {times} times where it should have it once")
    texts[f"docs/releases/{version}.json"] = _description(root)
    for name, text in texts.items():
        (root / name).write_text(text)


def _parts(version: str) -> tuple[int, ...]:
    match = PATTERN.fullmatch(version)
    if match is None:
        raise PublishingError(f"A version is three numbers, as in make version TO=1.2.3, and not {version!r}")
    return tuple(map(int, match.groups()))


def _description(root: Path) -> str:
    """docs/openapi.json without spaces: `make breaking` compares with what the last version kept."""
    description = json.loads((root / "docs" / "openapi.json").read_text())
    return json.dumps(description, separators=(",", ":"), ensure_ascii=False) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
