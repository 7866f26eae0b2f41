"""Imports of names that are called otherwise now, rewritten in a file of a plugin: ``rowgate plugins check --fix``."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from app.ops.public_names import files, now_called
from app.plugins import Plugin

WIDTH = 120
COMMENT = re.compile(rb"[ \t]*#[^\n]*")


@dataclass
class Edits:
    """What changes in a file: ``new`` names to import, by module, and ``comments`` behind those imports; and ``pieces``
    of the text, each a start, an end (in bytes) and a replacement. ``first`` is where the first such import began."""

    new: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    comments: dict[str, str] = field(default_factory=dict)
    pieces: list[tuple[int, int, str]] = field(default_factory=list)
    first: int = -1

    def drop(self, begin: int, end: int, remaining: str) -> None:
        """Take an import out, but for what is ``remaining``."""
        self.pieces.append((begin, end, remaining))
        self.first = begin if self.first < 0 else min(self.first, begin)


def fix(plugins: Sequence[Plugin]) -> Iterator[Path]:
    """Rewrite the files of ``plugins``, and give those that have changed."""
    for file in dict.fromkeys(file for plugin in plugins for file in files(plugin)):
        text = file.read_text()
        new = rewritten(text)
        if new != text:
            file.write_text(new)
            yield file


def rewritten(text: str) -> str:
    """Return the text of a module with public names imported from where they are now, and called what they are called.
    Names that are private or gone are left as they are."""
    data = text.encode()
    tree, offsets = ast.parse(text), _line_offsets(data)
    found, bound = Edits(), set(_bound(tree))
    renamed: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            begin, end = _span(node, offsets)
            comment = COMMENT.match(data, end)
            left, modules = _rewrite_import(node, tree, offsets, found, renamed, bound)
            if modules:
                found.drop(begin, comment.end() if comment else end, left)
                found.comments |= dict.fromkeys(modules, comment[0].decode() if comment else "")
    for name in (each for each in ast.walk(tree) if isinstance(each, ast.Name) and each.id in renamed):
        found.pieces.append((*_span(name, offsets), renamed[name.id]))
    return _applied(data, found).decode()


def _rewrite_import(
    node: ast.ImportFrom,
    tree: ast.Module,
    offsets: list[int],
    found: Edits,
    renamed: dict[str, str],
    bound: set[str],
) -> tuple[str, set[str]]:
    """Return what stays of an import, and the modules that have the rest now."""
    stays, modules = [], set()
    for alias in node.names:
        new = now_called(node.module or "", alias.name) if node.level == 0 else None
        if new is not None:
            module, _, name = new.instead.rpartition(".")
            modules.add(module)
            # A name that stands for something else, too, is kept as it is.
            called = alias.asname or (alias.name if {alias.name, name} & bound else name)
            found.new[module].add(name if called == name else f"{name} as {called}")
            if called == name != alias.name:
                renamed[alias.name] = name
        elif used := _rewrite_module(f"{node.module}.{alias.name}", alias, tree, offsets, found):
            modules |= used
        else:
            stays.append(f"{alias.name} as {alias.asname}" if alias.asname else alias.name)
    return f"from {node.module} import {', '.join(stays)}" if stays else "", modules


def _rewrite_module(
    module: str, alias: ast.alias, tree: ast.Module, offsets: list[int], found: Edits
) -> set[str]:  # fmt: skip
    """Rewrite what is used of an imported module where all of it has moved, and return the modules that have it now."""
    called = alias.asname or alias.name
    used = [
        node for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == called
    ]  # fmt: skip
    names = [each for each in ast.walk(tree) if isinstance(each, ast.Name) and each.id == called]
    new = [now_called(module, node.attr) for node in used]
    if not used or len(used) != len(names) or not all(new):
        return set()
    modules = set()
    for node, each in zip(used, new, strict=True):
        module, _, name = each.instead.rpartition(".") if each else ("", "", "")
        modules.add(module)
        found.new[module].add(name)
        found.pieces.append((*_span(node, offsets), name))
    return modules


def _bound(tree: ast.Module) -> Iterator[str]:
    """Return the names that a module binds otherwise than by imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _applied(data: bytes, found: Edits) -> bytes:
    if found.first >= 0:
        lines = "\n".join(_lines(found))
        begin, end, left = next(each for each in found.pieces if each[0] == found.first)
        found.pieces.remove((begin, end, left))
        found.pieces.append((begin, end, f"{left}\n{lines}" if left else lines))
    for begin, end, new in sorted(found.pieces, reverse=True):
        # A statement of which nothing is left takes its line with it.
        whole = not new and data[end : end + 1] == b"\n"
        data = data[:begin] + new.encode() + data[end + whole :]
    return data


def _lines(found: Edits) -> Iterator[str]:
    for module in sorted(found.new):
        names = sorted(found.new[module], key=_sorted_as_constants)
        line = f"from {module} import {', '.join(names)}"
        if len(line) > WIDTH:
            line = "\n".join((f"from {module} import (", *(f"    {name}," for name in names), ")"))
        yield line + found.comments.get(module, "")


def _sorted_as_constants(name: str) -> tuple[int, str]:
    """Sort constants first, then classes, then functions, as isort does."""
    plain = name.partition(" as ")[0]
    return (0 if plain.isupper() else 1 if plain[0].isupper() else 2), plain


def _line_offsets(data: bytes) -> list[int]:
    return list(accumulate((len(line) + 1 for line in data.split(b"\n")), initial=0))


def _span(node: ast.stmt | ast.expr, offsets: list[int]) -> tuple[int, int]:
    """Return where the text of a node begins and ends, in bytes."""
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return offsets[node.lineno - 1] + node.col_offset, offsets[end_line - 1] + end_column
