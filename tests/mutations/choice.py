"""Which tests are asked about a place: those of the rooms that import it, the closest first."""

from __future__ import annotations

import ast
import logging
import re
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

import grimp

from tests.durations import Durations
from tests.mutations.places import FOLDERS

# Folders of tests that are called otherwise than the rooms that they are of.
MIRRORS = {
    "tests/account": ("blueprints.account",),
    "tests/attacks": ("app.runtime",),
    "tests/end_to_end": ("app.commands", "app.runtime", "app.factory"),
    "tests/faults": ("app.runtime",),
    "tests/migrations": ("app.engine.histories", "app.engine.upgrade_locks"),
    "tests/plugins": ("app.plugins",),
    "tests/studio": ("blueprints.console", "blueprints.catalogue"),
}
# Their tests start whole services or browsers, and are asked later than others that are about as close.
SLOW = {"attacks", "bench", "end_to_end", "faults", "migrations", "publishing", "studio"}
LATER = 4
# Words of names that say nothing of what a module is about.
VAGUE = {"", "app", "blueprint", "describe", "hook", "init", "model", "page", "py", "schema", "setting", "test"}


class Choice:
    """The tests of the sources in ``tree``."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree
        logging.getLogger("grimp").setLevel(logging.ERROR)  # of gunicorn.conf.py, which is no module
        sys.path.insert(0, str(tree))  # where the graph looks for packages
        self._graph = grimp.build_graph(*FOLDERS, cache_dir=None)
        sys.path.remove(str(tree))
        self._durations = Durations.read()

    def files(self, changed: Iterable[str]) -> list[str]:
        """Files of tests for changed files, the closest first, and of those that are as close the quick ones."""
        given = [each for each in changed if each.endswith(".py")]
        near = self._distances({_module(each) for each in given} & self._graph.modules)
        rooms = {part: near[module] for module in reversed(near) for part in _with_parents(module)}
        words = {word for each in given for word in _words(each)}
        keys = {file: self._key(file, near, rooms, words) for file in self._imports}
        return sorted((file for file, key in keys.items() if key is not None), key=lambda file: (keys[file], file))

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
        paths = sorted((self._tree / "tests").rglob("test_*.py"))
        return {str(path.relative_to(self._tree)): _imported(path) & self._graph.modules for path in paths}


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
    above = [] if parts and parts[0] in FOLDERS else ["app"]
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
