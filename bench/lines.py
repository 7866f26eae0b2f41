"""Files and lines of the project of ``rowgate new``, of Conduit and of a rental, beside the same for others:
``python -m bench.lines``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from config import ROOT

APPS = ROOT / "bench" / "peers" / "apps"
PARTS = {
    "Models, validation and policy": r"models\.py|serializers\.py|schemas\.py|permissions\.py|pb_migrations/",
    "Routes": r"routes\.|urls\.py|views\.py|filters\.py|articles\.py|people\.py|http\.py|pb_hooks/conduit",
    "Hooks and jobs": r"hooks\.py|jobs\.|remind\.py|crontab|pb_hooks/(hooks|tasks|rental)",
    "Mails": r"mails|templates/",
    "Configuration": r"plugin\.py|pyproject|env\.example|settings\.py|wsgi\.py|manage\.py|requirements\.txt",
    "Generated migrations": r"migrations/0\d+_",
    "Tests": r"test",
}
# What all of them would have alike, and nobody counts as theirs.
ASIDE = r"README|Makefile|Containerfile|gitignore|__pycache__|^clients/"
PROJECTS = {
    "Rowgate": ROOT / "app" / "ops" / "project",
    "Django REST Framework": APPS / "tasks_django",
    "PocketBase": APPS / "tasks_pocketbase",
}
CONDUIT = {
    "Rowgate": ROOT / "examples" / "conduit",
    "Django REST Framework": APPS / "conduit_django",
    "PocketBase": APPS / "conduit_pocketbase",
}
RENTAL = {
    "Rowgate": ROOT / "examples" / "rental",
    "Django REST Framework": APPS / "rental_django",
    "PocketBase": APPS / "rental_pocketbase",
}


def code_lines(text: str) -> int:
    """Lines that are neither blank nor comments; docstrings are comments."""
    text = re.sub(r'^\s*""".*?"""\s*$', "", text, flags=re.DOTALL | re.MULTILINE)
    return sum(not re.match(r"\s*($|#|//)", line) for line in text.splitlines())


def counted(folder: Path) -> dict[str, tuple[int, int]]:
    """Files with code, and their lines, of each part."""
    found = dict.fromkeys(reversed(PARTS), (0, 0))
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        name = str(path.relative_to(folder))
        lines = code_lines(path.read_text()) if not re.search(ASIDE, name) else 0
        if lines:
            part = next(part for part in found if re.search(PARTS[part], name))
            found[part] = (found[part][0] + 1, found[part][1] + lines)
    return {part: found[part] for part in PARTS}


def table(projects: Mapping[str, Path] = PROJECTS, *, without: Sequence[str] = ()) -> str:
    """A table of the documentation, without some of its parts and those that no project has."""
    columns = [counted(folder) for folder in projects.values()]
    parts = [part for part in PARTS if part not in without and any(column[part][0] for column in columns)]
    rows = [[part, *(_shown(*column[part]) for column in columns)] for part in parts]
    written = [[column[part] for part in parts if part != "Generated migrations"] for column in columns]
    sums = [_shown(sum(files for files, _ in each), sum(lines for _, lines in each)) for each in written]
    lines = [["Files / lines", *projects], ["---"] * (len(projects) + 1), *rows, ["Written, in all", *sums]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _shown(files: int, lines: int) -> str:
    return f"{files} / {lines}" if files else "none"


if __name__ == "__main__":
    print(table(), *(table(each, without=["Tests"]) for each in (CONDUIT, RENTAL)), sep="\n\n")
