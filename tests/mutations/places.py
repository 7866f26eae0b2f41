"""Places of the sources that are changed, drawn over all rooms by a seed and kept in a file."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.mutations.changes import REACHED, Change, changes, compiles

FILE = Path(__file__).with_name("places.json")
SEED, COUNT = 20, 60
FOLDERS = ("app", "blueprints", "schemas")


class Gone(Exception):
    """A place is not in the sources any more."""


@dataclass(frozen=True, slots=True)
class Place:
    """Whole lines of a file, by which they are found when it has moved on, what takes their place, and what tells that
    they are reached."""

    file: str
    line: int
    kind: str
    before: str
    after: str
    probe: str

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line} {self.kind}"

    def found(self, tree: Path) -> tuple[Path, int]:
        """The file and the offset of what is changed: the nearest one to the line, or the only one elsewhere."""
        path, lines = tree / self.file, self.before + "\n"
        text = path.read_text() if path.exists() else ""
        offsets = _offsets(text, lines)
        if offsets:
            return path, min(offsets, key=lambda each: abs(text.count("\n", 0, each) + 1 - self.line))
        others = [(each, offset) for each in sources(tree) for offset in _offsets(each.read_text(), lines)]
        if len(others) != 1:
            raise Gone(self.name)
        return others[0]

    def change(self, tree: Path) -> None:
        """Make the place wrong."""
        self._write(tree, self.after)

    def reach(self, tree: Path, mark: Path) -> None:
        """Have the place make the file ``mark`` when it is reached."""
        self._write(tree, self.probe.replace(REACHED, f"__import__('pathlib').Path({str(mark)!r}).touch()"))

    def _write(self, tree: Path, text: str) -> None:
        path, offset = self.found(tree)
        source = path.read_text()
        path.write_text(source[:offset] + text + source[offset + len(self.before) :])


def sources(tree: Path) -> list[Path]:
    return sorted(path for folder in FOLDERS for path in (tree / folder).rglob("*.py"))


def room(file: str) -> str:
    """The room of a file: a folder under app, or app itself, blueprints and schemas."""
    parts = Path(file).parts
    return f"app/{parts[1]}" if parts[0] == "app" and len(parts) > 2 else parts[0]


def drawn(tree: Path, count: int = COUNT, seed: int = SEED) -> list[Place]:
    """Draw ``count`` places: one of each room, and the others as rooms have lines."""
    chance = random.Random(seed)
    files: dict[str, list[Path]] = defaultdict(list)
    for path in sources(tree):
        files[room(str(path.relative_to(tree)))].append(path)
    sizes = {name: sum(len(each.read_text().splitlines()) for each in paths) for name, paths in files.items()}
    places: list[Place] = []
    for name, share in _shares(sizes, count).items():
        places += _of_room(tree, files[name], share, chance)
    return places


def kept() -> list[Place]:
    return [Place(**each) for each in json.loads(FILE.read_text())]


def keep(places: Sequence[Place]) -> None:
    FILE.write_text(json.dumps([asdict(each) for each in places], indent=1) + "\n")


def _shares(sizes: dict[str, int], count: int) -> dict[str, int]:
    """How many of ``count`` places each room has, by the largest remainders."""
    left, total = count - len(sizes), sum(sizes.values())
    exact = {name: left * size / total for name, size in sizes.items()}
    shares = {name: 1 + int(each) for name, each in exact.items()}
    for name in sorted(exact, key=lambda each: int(exact[each]) - exact[each])[: count - sum(shares.values())]:
        shares[name] += 1
    return shares


def _of_room(tree: Path, paths: Sequence[Path], count: int, chance: random.Random) -> list[Place]:
    """Draw lines that can be changed, and one change of each."""
    lines: dict[tuple[Path, int], list[Change]] = defaultdict(list)
    for path in paths:
        source = path.read_bytes()
        for change in changes(source):
            lines[path, source.count(b"\n", 0, change.start) + 1].append(change)
    places: list[Place] = []
    for path, line in chance.sample(sorted(lines), len(lines)):
        change = chance.choice(lines[path, line])
        if len(places) < count and compiles(change.applied(path.read_bytes())):
            places.append(_place(tree, path, line, change))
    return sorted(places, key=lambda each: (each.file, each.line))


def _place(tree: Path, path: Path, line: int, change: Change) -> Place:
    source = path.read_bytes()
    begin = source.rfind(b"\n", 0, change.start) + 1
    end = source.find(b"\n", change.end)
    within = Change(change.kind, change.start - begin, change.end - begin, change.text, change.probe)
    before = source[begin:end]
    after, probe = within.applied(before).decode(), within.applied(before, change.probe).decode()
    return Place(str(path.relative_to(tree)), line, change.kind, before.decode(), after, probe)


def _offsets(text: str, lines: str) -> list[int]:
    """Where ``lines`` begin in ``text``, as whole lines."""
    found, at = [], text.find(lines)
    while at >= 0:
        if at == 0 or text[at - 1] == "\n":
            found.append(at)
        at = text.find(lines, at + 1)
    return found
