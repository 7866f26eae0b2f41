"""Small changes of a module, each of which makes it wrong in one place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

TURNED = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
# Calls that only write a line for people to read.
TALKING = {"debug", "info", "warning", "error", "exception", "critical", "log"}
# Arguments of declarations that are texts of help.
TEXTS = {"help", "description", "short_help", "epilog", "summary", "metadata"}
MOST_LINES = 4
# What stands in a probe for telling that it is reached, which is false.
REACHED = "{reached}"


@dataclass(frozen=True, slots=True)
class Change:
    """The ``text`` that takes the place of what is between two offsets of a source; ``probe`` reaches the same place
    and leaves it as it is, but for REACHED."""

    kind: str
    start: int
    end: int
    text: str
    probe: str

    def applied(self, source: bytes, text: str | None = None) -> bytes:
        return source[: self.start] + (self.text if text is None else text).encode() + source[self.end :]


def changes(source: bytes) -> list[Change]:
    """Every change of ``source``, in the order of the places. A few do not compile."""
    found = {(each.start, each.end, each.text): each for each in _Finder(source).found()}
    return [each for _, each in sorted(found.items())]


def compiles(source: bytes) -> bool:
    try:
        compile(source, "changed", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


class _Finder:
    """Looks for plain places: annotations, docstrings, texts, logging and representations are none."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def found(self) -> Iterator[Change]:
        yield from self._under(ast.parse(self._source))

    def _under(self, node: ast.AST) -> Iterator[Change]:
        if _is_skipped(node):
            return
        for kind, changed, text in self._of(node):
            if node_lines(changed) <= MOST_LINES:
                yield self._change(kind, changed, text)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "type_params", "format_spec"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from self._under(child)

    def _of(self, node: ast.AST) -> Iterator[tuple[str, ast.AST, str]]:
        """Changes as their kinds, the nodes that are replaced, and by what."""
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in TURNED:
                turned = f"{self._text(left)} {TURNED[type(operator)]} {self._text(right)}"
                yield "comparison turned round", node, turned
            case ast.BoolOp(op=operator, values=values):
                other = " or " if isinstance(operator, ast.And) else " and "
                yield "and/or swapped", node, "(" + other.join(self._text(each) for each in values) + ")"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield "not removed", node, f"bool({self._text(operand)})"
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right) if not _is_text(left) | _is_text(right):
                sign = "-" if isinstance(node.op, ast.Add) else "+"
                yield "+/- swapped", node, f"{self._text(left)} {sign} {self._text(right)}"
            case ast.Constant(value=value) if type(value) in (int, float):
                yield "number raised", node, repr(value + 1)
            case ast.Return(value=value) if value is not None and not _is_none(value):
                yield "nothing returned", value, "None"
            case ast.Expr(value=ast.Call()):
                yield "call removed", node, "None"
            case ast.Set(elts=values) | ast.List(elts=values, ctx=ast.Load()) if values:
                left_over = ", ".join(self._text(each) for each in values[1:])
                empty = "set()" if isinstance(node, ast.Set) else "[]"
                shape = "{%s}" if isinstance(node, ast.Set) else "[%s]"
                yield "element dropped", node, shape % left_over if left_over else empty
            case ast.arguments():
                for default in [*node.defaults, *node.kw_defaults]:
                    if isinstance(default, ast.Constant) and type(default.value) in (bool, str):
                        other = not default.value if type(default.value) is bool else default.value + "?"
                        yield "default changed", default, repr(other)
        condition = getattr(node, "test", None)
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            yield "condition never", condition, "False"
        if isinstance(node, ast.If | ast.IfExp):
            yield "condition always", condition, "True"
        if isinstance(node, ast.comprehension):
            yield from (("condition always", each, "True") for each in node.ifs)

    def _change(self, kind: str, node: ast.AST, text: str) -> Change:
        start, end = self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)
        return Change(kind, start, end, text, f"({REACHED} or {self._text(node)})")

    def _text(self, node: ast.AST) -> str:
        start, end = self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)
        text = self._source[start:end].decode()
        # Parentheses are no part of what they hold.
        return f"({text})" if isinstance(node, ast.expr) and not isinstance(node, _WHOLE) else text

    def _offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column


_WHOLE = (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.Subscript, ast.Set, ast.List, ast.Dict, ast.Starred)


def node_lines(node: ast.AST) -> int:
    return int(node.end_lineno) - int(node.lineno) + 1


def _is_skipped(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.JoinedStr() | ast.Assert() | ast.Match() | ast.AnnAssign(value=None):
            return True
        case ast.FunctionDef(name="__repr__") | ast.Import() | ast.ImportFrom():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name))) if name in TALKING:
            return True
        case ast.keyword(arg=name) if name in TEXTS:
            return True
    return False


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
