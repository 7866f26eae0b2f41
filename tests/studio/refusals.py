"""The sentences by which the service refuses records, out of its sources: the studio has them in its languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from config import ROOT

# Where it is said what is wrong with records. Account pages and the routes of clients speak for themselves.
REFUSING = (
    "app/**/*hooks.py",
    "app/engine/**/*.py",
    "app/storage/*.py",
    "app/foundation/errors.py",
    "app/auth/errors.py",
    "app/auth/keys/api_keys.py",
    "app/platform/kept.py",
    "app/platform/comments.py",
    "schemas/fields.py",
    "schemas/kinds.py",
    "schemas/derive.py",
    "schemas/people/api_keys.py",
    "schemas/content/views.py",
)
REFUSALS = {"Forbidden", "Conflict", "Invalid", "ValidationError", "require"}


def said(node: ast.AST) -> str:
    """The text that a literal is, with {} for what is filled in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def literals(node: ast.AST) -> Iterator[str]:
    """The texts in a part of a module."""
    if text := said(node):
        yield text
    else:
        for child in ast.iter_child_nodes(node):
            yield from literals(child)


def in_module(path: Path) -> Iterator[str]:
    """The sentences by which a module refuses something."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            is_refusal = getattr(node.func, "id", getattr(node.func, "attr", "")) in REFUSALS
            told = [each.value for each in node.keywords if each.arg == "error"]
            for given in (*(node.args if is_refusal else ()), *told):
                yield from literals(given)


def sentences() -> list[str]:
    """All of them, with {} for what is filled in."""
    found = {
        text.replace("{choices}", "{}")
        for pattern in REFUSING
        for path in ROOT.glob(pattern)
        for text in in_module(path)
    }
    return sorted(text for text in found if re.match(r"[A-Za-z{].* ", text))
