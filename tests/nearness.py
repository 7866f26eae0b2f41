"""Which tests are near to a change: those that have changed, and those of what it is about, by names, by imports and by
the rooms that they are of."""

from __future__ import annotations

import ast
import logging
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import grimp

from config import ROOT
from tests.durations import Durations

SOURCES = ("rowgate", "app", "blueprints", "schemas")
# What requests pass through, and what therefore is shown by mechanisms on model after model.
HOT = ("app/engine/", "app/auth/", "app/foundation/", "app/runtime/", "blueprints/", "schemas/")
# The tests of what is no module.
TESTS_OF = {
    "app/templates/": ("tests/account/", "tests/mail/"),
    "app/translations/": ("tests/account/",),
    "clients/": ("tests/end_to_end/test_typed_",),
    "config.py": ("tests/test_config.py",),
    "docs/": ("tests/end_to_end/test_documentation.py", "tests/bench/test_documentation.py"),
    "migrations/": ("tests/migrations/", "tests/engine/test_schema_version.py"),
    "studio/": ("tests/studio/",),
}
# Folders of tests that are called otherwise than the rooms that they are of.
MIRRORS = {
    "tests/account": ("blueprints.account",),
    "tests/attacks": ("app.runtime",),
    "tests/end_to_end": ("app.commands", "app.runtime", "app.factory"),
    "tests/faults": ("app.runtime",),
    "tests/migrations": ("app.schema.histories", "app.schema.upgrade_locks"),
    "tests/plugins": ("app.plugins",),
    "tests/studio": ("blueprints.console", "blueprints.records.catalogue"),
}
# Their tests start whole services or browsers, and are asked later than others that are about as close.
SLOW = {"attacks", "bench", "end_to_end", "faults", "migrations", "publishing", "studio"}
LATER = 4
# The rank up to which what imports a part, or is of its room, is run before all tests that are quick.
CLOSE = 2
# Words of names that say nothing of what a module is about.
VAGUE = {"", "app", "blueprint", "describe", "hook", "init", "model", "page", "py", "schema", "setting", "test"}


@dataclass(frozen=True)
class Change:
    """The files that differ from a commit, as git names them."""

    files: tuple[str, ...]

    @classmethod
    def since(cls, commit: str) -> Self:
        """Return what has changed since ``commit``, committed or not, new files included."""
        new = _git("ls-files", "--others", "--exclude-standard")
        return cls(tuple(sorted({*_git("diff", "--name-only", commit), *new})))

    @property
    def is_hot(self) -> bool:
        """Tell whether requests of any kind may cost or do something else by it."""
        return any(file.startswith(HOT) for file in self.files)

    @property
    def is_wide(self) -> bool:
        """Tell whether it is of more than one domain."""
        rooms = {room for file in self.files if (room := _room(file))}
        return len(rooms) > 1 or any(not (ROOT / room / "plugin.py").exists() for room in rooms)


def near_tests(change: Change) -> list[str]:
    """Return the files of tests to run of ``change``: those that have changed, those that are close, those that need no
    servers and show mechanisms, and the others by how close they are."""
    nearness, durations = Nearness(), Durations.read()
    ranks = nearness.ranks(change.files)
    rings = [
        nearness.changed(change.files),
        [file for file, rank in ranks.items() if rank <= CLOSE],
        _in_folders({each for file in change.files for prefix, of in TESTS_OF.items() if file.startswith(prefix)
                     for each in of}),
        sorted(durations.serverless, key=durations.of),
        sorted(durations.mechanical, key=durations.of) if change.is_hot else [],
        ranks,
    ]  # fmt: skip
    return list(dict.fromkeys(file for ring in rings for file in ring if (ROOT / file).exists()))


class Nearness:
    """How near the tests in ``tree`` are to its sources."""

    def __init__(self, tree: Path = ROOT) -> None:
        self._tree = tree
        logging.getLogger("grimp").setLevel(logging.ERROR)  # of gunicorn.conf.py, which is no module
        sys.path.insert(0, str(tree))  # where the graph looks for packages
        self._graph = grimp.build_graph(*SOURCES, "tests", cache_dir=None)
        sys.path.remove(str(tree))
        self._durations = Durations.read()

    def changed(self, changed: Iterable[str]) -> list[str]:
        """Return the tests among changed files, and those that take something from one that is none."""
        given = {_module(each) for each in changed if each.startswith("tests/")} & self._graph.modules
        found = given | {up for each in given for up in self._graph.find_downstream_modules(each)}
        return sorted(_path(each) for each in found if each.rpartition(".")[2].startswith("test_"))

    def ranks(self, changed: Iterable[str]) -> dict[str, int]:
        """Return how far from changed files the tests are: the closest first, and of those that are as close the quick
        ones."""
        given = [each for each in changed if each.endswith(".py") and each.startswith(SOURCES)]
        near = self._distances({_module(each) for each in given} & self._graph.modules)
        rooms = {part: near[module] for module in reversed(near) for part in _with_parents(module)}
        words = {word for each in given for word in _words(each)}
        keys = {file: key for file in self._imports if (key := self._key(file, near, rooms, words))}
        return {file: key[0] for file, key in sorted(keys.items(), key=lambda each: (each[1], each[0]))}

    def _key(
        self, file: str, near: dict[str, int], rooms: dict[str, int], words: set[str]
    ) -> tuple[int, int, float, int] | None:
        """How far a file of tests is from the place, by its name, by what it imports, and by the room that it is of;
        how many of its words are those of the place, how long it takes, and how much of what is close it imports."""
        imported = [near[module] for module in self._imports[file] if module in near]
        found = [2 * each for each in imported] + [
            2 * rooms[each] + bool(rooms[each]) for each in _mirrored(file) if each in rooms
        ]
        alike = len(words & _words(file))
        found += [0] if alike else []
        if not found:
            return None
        rank = min(found) + LATER * (Path(file).parts[1] in SLOW)
        return rank, -alike, self._durations.of(file), -len([each for each in imported if each <= 1])

    def _distances(self, modules: set[str]) -> dict[str, int]:
        """The modules above, by how many imports they are away. What stands on HTTP is asked by the tests of the room
        that it serves, so the modules of that are as close as what imports it."""
        found, edge = dict.fromkeys(modules, 0), modules
        while edge:
            edge = {up for each in edge for up in self._graph.find_modules_that_directly_import(each)} - {*found}
            found |= dict.fromkeys(edge, 1 + max(found.values()))
        serving = [each for each in modules if not each.startswith("app")]
        below = {down for each in serving for down in self._graph.find_modules_directly_imported_by(each)}
        rooms = Counter(each.split(".")[1] for each in below if each.startswith("app."))
        if rooms:
            served = {each for each in below if each.startswith(f"app.{rooms.most_common(1)[0][0]}.")}
            found |= dict.fromkeys(served - {*modules}, 1)
        return dict(sorted(found.items(), key=lambda item: item[1]))

    @cached_property
    def _imports(self) -> dict[str, set[str]]:
        """What each file of tests imports of the sources."""
        return {file: _imported(self._tree / file) & self._graph.modules for file in _files(self._tree)}


def _files(tree: Path) -> list[str]:
    """The files of tests of a tree; those of a plugin that is kept below run as its own project alone."""
    found = (path.relative_to(tree) for path in (tree / "tests").rglob("test_*.py"))
    return sorted(str(path) for path in found if path.parts.count("tests") == 1)


def _imported(path: Path) -> set[str]:
    """Modules that a file imports, and names out of modules."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    return found


def _mirrored(file: str) -> list[str]:
    """The packages and modules that a file of tests is of, by its folder and those above."""
    parts = Path(file).parts[1:-1]
    if parts and (top := f"tests/{parts[0]}") in MIRRORS:
        return list(MIRRORS[top])
    above = [] if parts and parts[0] in SOURCES else ["app"]
    return [".".join([*above, *parts[:length]]) for length in range(1, len(parts) + 1)]


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _with_parents(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts) + 1)]


def _words(file: str) -> set[str]:
    """What a file is about, by its name and its folders."""
    words = {each.removesuffix("s") for each in re.split(r"\W|_", file)} - VAGUE
    return {each.removesuffix("ing") for each in words}


def _path(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def _room(file: str) -> str:
    """Return the folder of sources that a reader takes for one thing; none for what is no source."""
    top, *rest = Path(file).parts
    return f"{top}/{rest[0]}" if top == "app" and len(rest) > 1 else top if top in SOURCES else ""


def _in_folders(prefixes: set[str]) -> list[str]:
    return [file for file in _files(ROOT) if any(file.startswith(prefix) for prefix in prefixes)]


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()
