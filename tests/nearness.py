"""Which tests are near to a change: those of what has changed, of its room, and of the rooms that import it."""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import grimp

from config import ROOT
from tests.durations import Durations

PACKAGES = ("app", "blueprints", "schemas", "tests", "bench", "publishing")
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
        rooms = {room for file in self.files if (room := _room(file)) and not room.startswith("tests")}
        return len(rooms) > 1 or any(not (ROOT / room / "plugin.py").exists() for room in rooms)

    @cached_property
    def modules(self) -> frozenset[str]:
        """Return the names of the modules that it touches."""
        return frozenset(_module(file) for file in self.files if file.endswith(".py") and file.startswith(PACKAGES))


def near_tests(change: Change) -> list[str]:
    """Return the files of tests that are near to ``change``, the nearest first and of two equally near the faster."""
    durations = Durations.read()
    near: dict[str, int] = {}
    for distance, files in enumerate(_rings(change, durations)):
        for file in files:
            near.setdefault(file, distance)
    return sorted(near, key=lambda file: (near[file], durations.of(file)))


def _rings(change: Change, durations: Durations) -> Iterator[set[str]]:
    """Give the tests in rings around ``change``, from the nearest to the farthest."""
    logging.getLogger("grimp").setLevel(logging.ERROR)  # it tells of the settings of gunicorn, which no module has
    graph = grimp.build_graph(*PACKAGES, cache_dir=str(ROOT / ".venv" / "imports"))
    touched = change.modules & graph.modules
    importers = {each for module in touched for each in graph.find_modules_that_directly_import(module)}
    support = {module for module in touched if module.startswith("tests.")}
    yield _tests(support | {each for module in support for each in graph.find_downstream_modules(module)})
    yield _in_folders({_folder_of_tests(file) for file in change.files})
    yield _tests(importers)
    yield _in_folders({each for file in change.files for prefix, of in TESTS_OF.items() if file.startswith(prefix)
                       for each in of})  # fmt: skip
    yield durations.serverless
    if change.is_hot:
        yield durations.mechanical
    yield _in_folders({_folder_of_tests(_path(each)) for each in importers})


def _tests(modules: set[str]) -> set[str]:
    return {_path(each) for each in modules if each.rpartition(".")[2].startswith("test_")}


def _in_folders(prefixes: set[str]) -> set[str]:
    found = (str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py"))
    return {file for file in found if any(prefix and file.startswith(prefix) for prefix in prefixes)}


def _room(file: str) -> str:
    """Return the folder that a reader takes for one thing; none for what is no source."""
    top, *rest = Path(file).parts
    return f"{top}/{rest[0]}" if top == "app" and len(rest) > 1 else top if top in PACKAGES else ""


def _folder_of_tests(file: str) -> str:
    """Return where the tests of a room are; none for what is a test itself."""
    room = _room(file)
    return "" if room in ("", "tests") else f"tests/{room.removeprefix('app/')}/"


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _path(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()
