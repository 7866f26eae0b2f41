"""Changes of a module where it stands: what is asked for is put in, and all else stays as it was, to the last blank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import libcst as cst


def with_field(text: str, model: str, lines: Sequence[str], imports: Mapping[str, Iterable[str]]) -> str:
    """Put columns behind the last one of the class ``model``, with what they import; raises LookupError where the
    module has no such class."""
    module = cst.parse_module(text)
    added = [cst.parse_statement(line, module.config_for_parsing) for line in lines]
    body = [_with_columns(each, added) if _is_class(each, model) else each for each in module.body]
    if not any(_is_class(each, model) for each in module.body):
        raise LookupError(model)
    return _with_imports(module.with_changes(body=body), imports).code


def with_model(text: str, model: str, imports: Mapping[str, Iterable[str]]) -> str:
    """Put a class behind the last statement of a module, with what it imports."""
    module = _with_imports(cst.parse_module(text), imports)
    return f"{module.code.rstrip()}\n\n\n{model.rstrip()}\n"


def with_test(text: str, package: str, model: str) -> str:
    """Name ``model`` in the list ``MODELS`` of a module of tests; raises LookupError where it has none."""
    module = cst.parse_module(text)
    named = _Tests(model)
    module = module.visit(named)
    if not named.is_done:
        raise LookupError("MODELS")
    return _with_imports(module, {package: (model,)}).code


def _is_class(statement: Any, name: str) -> bool:
    is_class = isinstance(statement, cst.ClassDef) and isinstance(statement.body, cst.IndentedBlock)
    return is_class and statement.name.value == name


def _with_columns(model: Any, added: Sequence[Any]) -> Any:
    body = list(model.body.body)
    columns = [place for place, each in enumerate(body) if _is_column(each)]
    place = columns[-1] + 1 if columns else len(body)
    body[place:place] = added
    return model.with_changes(body=model.body.with_changes(body=body))


def _is_column(statement: Any) -> bool:
    """Whether a statement is ``name: Mapped[…] = …``."""
    if not isinstance(statement, cst.SimpleStatementLine) or not isinstance(statement.body[0], cst.AnnAssign):
        return False
    kind = statement.body[0].annotation.annotation
    return isinstance(kind, cst.Subscript) and isinstance(kind.value, cst.Name) and kind.value.value == "Mapped"


class _Tests(cst.CSTTransformer):
    def __init__(self, model: str) -> None:
        super().__init__()
        self.model, self.is_done = model, False

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign:  # noqa: N802
        (target, *others), value = updated_node.targets, updated_node.value
        is_list = not others and isinstance(target.target, cst.Name) and target.target.value == "MODELS"
        if not is_list or not isinstance(value, cst.List):
            return updated_node
        self.is_done = True
        elements = list(value.elements)
        added = cst.Element(cst.Name(self.model))
        elements = _appended(elements, added)
        return updated_node.with_changes(value=value.with_changes(elements=elements))


def _appended(elements: list[Any], added: Any) -> list[Any]:
    """``added`` behind the last of ``elements``, with the commas that these have."""
    if not elements:
        return [added]
    between, last = _comma_between(elements), elements[-1]
    end, ahead = _blanks(last.comma), _blanks(between)
    if end is not None and ahead is not None:  # what is said behind the last one stays there
        own = last.comma.with_changes(whitespace_after=end.with_changes(last_line=ahead.last_line, indent=ahead.indent))
        return [*elements[:-1], last.with_changes(comma=own), added.with_changes(comma=_without_comment(last.comma))]
    return [*elements[:-1], last.with_changes(comma=between), added.with_changes(comma=last.comma)]


def _comma_between(elements: Sequence[Any]) -> Any:
    """What stands between two elements, without a comment of one of them."""
    if len(elements) > 1:
        return _without_comment(elements[0].comma)
    return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _without_comment(comma: Any) -> Any:
    blanks = _blanks(comma)
    if blanks is None:
        return comma
    return comma.with_changes(whitespace_after=blanks.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=()))


def _blanks(comma: Any) -> cst.ParenthesizedWhitespace | None:
    """The end of the line behind a comma, where it has one."""
    blanks = comma.whitespace_after if isinstance(comma, cst.Comma) else None
    return blanks if isinstance(blanks, cst.ParenthesizedWhitespace) else None


def _with_imports(module: cst.Module, imports: Mapping[str, Iterable[str]]) -> cst.Module:
    for package, names in imports.items():
        for name in dict.fromkeys(names):
            module = _with_import(module, package, name)
    return module


def _with_import(module: cst.Module, package: str, name: str) -> cst.Module:
    known = _names(module)
    if name in known:
        if known[name] != package:
            raise LookupError(f"{name}, which the module has from {known[name]}, and not from {package}")
        return module
    body = list(module.body)
    froms = [(place, found) for place, each in enumerate(body) if (found := _from(each)) is not None]
    for place, found in froms:
        if _path(found.module) == package and not isinstance(found.names, cst.ImportStar):
            statement: Any = body[place]
            changed = found.with_changes(names=_inserted(list(found.names), name))
            body[place] = statement.with_changes(body=[changed, *statement.body[1:]])
            return module.with_changes(body=body)
    made = cst.parse_statement(f"from {package} import {name}")
    body.insert(_place(froms, package, _behind_imports(body)), made)
    return module.with_changes(body=body)


def _inserted(aliases: list[cst.ImportAlias], name: str) -> list[cst.ImportAlias]:
    """A name among those of an import: constants, classes and functions, each by the alphabet."""
    added = cst.ImportAlias(cst.Name(name))
    place = next((place for place, each in enumerate(aliases) if _rank(each.evaluated_name) > _rank(name)), None)
    if place is None:
        return _appended(aliases, added)
    return [*aliases[:place], added.with_changes(comma=_comma_between(aliases)), *aliases[place:]]


def _rank(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)


def _from(statement: Any) -> cst.ImportFrom | None:
    """The import of names that a statement is."""
    first = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    return first if isinstance(first, cst.ImportFrom) else None


def _path(node: Any) -> str:
    return "" if node is None else cst.Module([]).code_for_node(node)


def _place(froms: Sequence[tuple[int, Any]], package: str, end: int) -> int:
    """Where a new import stands: behind those that come before it by the alphabet, but for ``__future__``, which leads
    its own part."""
    before = [place for place, each in froms if _path(each.module) != "__future__" and _path(each.module) < package]
    others = [place for place, each in froms if _path(each.module) != "__future__"]
    if before:
        return before[-1] + 1
    return others[0] if others else max(end, froms[-1][0] + 1 if froms else 0)


def _behind_imports(body: Sequence[Any]) -> int:
    """Where the docstring and the imports of a module end."""
    found = 0
    for place, each in enumerate(body):
        first = each.body[0] if isinstance(each, cst.SimpleStatementLine) else None
        is_docstring = place == 0 and isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString)
        if is_docstring or isinstance(first, cst.Import):
            found = place + 1
    return found


def _names(module: cst.Module) -> dict[str, str]:
    """The names that a module has at its top, and the modules that they are imported from; its own are from itself."""
    found: dict[str, str] = {}
    for statement in module.body:
        if isinstance(statement, cst.FunctionDef | cst.ClassDef):
            found[statement.name.value] = "itself"
        for part in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(part, cst.ImportFrom) and not isinstance(part.names, cst.ImportStar):
                for alias in part.names:
                    called = alias.evaluated_alias or alias.evaluated_name
                    same = called == alias.evaluated_name
                    found[called] = _path(part.module) if same else f"{_path(part.module)}.{alias.evaluated_name}"
    return found
