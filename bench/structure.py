"""The size and shape of the code, now or at a commit: ``python -m bench.structure [COMMIT]``.

Rooms by their lines and the statements of their syntax trees, modules and functions by their length, imports between
rooms, cycles of modules, and how functions are named.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from pathlib import Path
from statistics import median, quantiles

from config import ROOT

PACKAGES = ("rowgate", "app", "blueprints", "schemas")
PARTICIPLE = re.compile(r"_?[a-z]+(ed|ing|en|wn|ght|ade|old|ound)$")


def modules(root: Path) -> dict[str, ast.Module]:
    """Return the modules of the packages below ``root``, by name."""
    files = chain.from_iterable((root / package).rglob("*.py") for package in PACKAGES)
    named = {path.relative_to(root).with_suffix("").as_posix(): path for path in files}
    kept = {name: path for name, path in named.items() if "/project/" not in name and "." not in path.stem}
    return {
        name.replace("/", ".").removesuffix(".__init__"): ast.parse(path.read_text()) for name, path in kept.items()
    }


def room_of(module: str) -> str:
    """Return the room that a module is in: two names of ``app``, three of its engine, one of the others."""
    parts = module.split(".")
    depth = 1 if parts[0] != "app" else 3 if parts[:2] == ["app", "engine"] else 2
    return ".".join(parts[:depth])


def statements(tree: ast.AST) -> int:
    """Count the statements of a syntax tree, without docstrings."""
    return sum(isinstance(node, ast.stmt) and not _is_text(node) for node in ast.walk(tree))


def length(node: ast.AST) -> int:
    """Count the lines from the first to the last statement of a module or function."""
    body = getattr(node, "body", [])
    first = node.lineno if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else 1
    return (body[-1].end_lineno or 0) - first + 1 if body else 0


def imports(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """Return the modules that each module imports when it is loaded."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, tree in trees.items():
        typing = {each for node in ast.walk(tree) if _is_for_types(node) for each in ast.walk(node)}
        for node in (each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom) and each not in typing):
            for each in node.names:
                whole = f"{node.module}.{each.name}"
                found[name] |= {whole if whole in trees else node.module or ""} & trees.keys() - {name}
    return found


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that import each other, however far around (Tarjan's components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for each in graph.get(name, ()):
            if each not in index:
                visit(each)
            if each in stack:
                low[name] = min(low[name], low[each])
        if low[name] == index[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for name in list(graph):
        if name not in index:
            visit(name)
    return found


def report(root: Path) -> Iterator[str]:
    """Yield the lines of the report on the code below ``root``."""
    trees = modules(root)
    functions = [
        each
        for tree in trees.values()
        for each in ast.walk(tree)
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    lengths = {name: length(tree) for name, tree in trees.items()}
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    for name, tree in trees.items():
        rooms[room_of(name)].update(modules=1, lines=lengths[name], statements=statements(tree))
    yield "room                      modules  lines  statements"
    for room in sorted(rooms):
        yield f"{room:<25} {rooms[room]['modules']:>7} {rooms[room]['lines']:>6} {rooms[room]['statements']:>11}"
    total = sum(rooms.values(), Counter())
    yield f"{'in all':<25} {total['modules']:>7} {total['lines']:>6} {total['statements']:>11}"
    of_functions = _spread([length(each) for each in functions])
    yield f"lines of a module: {_spread(list(lengths.values()))}; of a function: {of_functions}"
    longest = sorted(lengths, key=lambda name: -lengths[name])[:10]
    yield "longest: " + ", ".join(f"{name} {lengths[name]}" for name in longest)
    graph = imports(trees)
    arrows = {(room_of(name), room_of(each)) for name, found in graph.items() for each in found}
    yield f"arrows between rooms: {sum(one != other for one, other in arrows)}; cycles of modules: {len(cycles(graph))}"
    named = sum(bool(PARTICIPLE.fullmatch(each.name)) for each in functions)
    yield f"functions: {len(functions)}, of them named by a bare participle: {named}"


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _spread(values: list[int]) -> str:
    return f"median {median(values):g}, p90 {quantiles(values, n=10)[-1]:g}"


def main(commit: str = "") -> None:
    """Print the report on the working tree, or on ``commit``."""
    if not commit:
        print("\n".join(report(ROOT)))
        return
    packed = subprocess.run(["git", "archive", commit, *PACKAGES], cwd=ROOT, check=False, capture_output=True)
    if packed.returncode:  # before there was a front door
        packed = subprocess.run(["git", "archive", commit, *PACKAGES[1:]], cwd=ROOT, check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
        print("\n".join(report(Path(folder))))


if __name__ == "__main__":
    main(*sys.argv[1:])
