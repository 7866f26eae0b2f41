"""Keeps the description of the API as this version releases it; `make release` runs it, `make breaking` reads it."""

from __future__ import annotations

import json

from config import ROOT, VERSION


def main() -> None:
    """Write docs/openapi.json, without spaces, under the name of the version."""
    description = json.loads((ROOT / "docs" / "openapi.json").read_text())
    folder = ROOT / "docs" / "releases"
    folder.mkdir(exist_ok=True)
    (folder / f"{VERSION}.json").write_text(json.dumps(description, separators=(",", ":"), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
