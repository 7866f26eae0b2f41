"""The rows of a query: which columns stand where, and the records that they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.engine.declare.record import Field
from app.engine.read import fragments
from app.engine.read.conditions import Source
from app.engine.read.encoding import LISTING, Operations, Row, RowDecoder, completion, guards, shown_fields
from app.engine.read.query import Selection


@dataclass(frozen=True)
class Layout(RowDecoder):
    """A record in a row, behind it the ``references`` that expansions follow, by attribute, and where it is
    ``versioned`` its version."""

    references: tuple[str, ...]
    versioned: bool = False

    def referred(self, row: Row, start: int) -> dict[str, Any]:
        """The ids that the row refers to, by attribute."""
        return dict(zip(self.references, row[start + self._references_start :], strict=False))

    @property
    def _references_start(self) -> int:
        return len(self.names) + len(self.guards)

    @property
    def width(self) -> int:
        return self._references_start + len(self.references) + self.versioned

    def versions(self, rows: Sequence[Row], start: int) -> dict[str, int]:
        """The versions of the records in ``rows``, by id."""
        index = self.names.index("id")
        return {str(row[start + index]): row[start + self.width - 1] for row in rows}


def build_layout(
    source: Source, selection: Selection, operations: Operations = LISTING, *, versioned: bool = False
) -> tuple[Layout, list[str]]:
    """The columns that ``selection`` needs of the rows of ``source``: the id, and what the caller gets of the rest for
    ``operations``."""
    shown = shown_fields(source.model, source.reader, listed=True, operations=operations)
    chosen = selection.names
    fields = tuple(each for each in shown if chosen is None or each.name in chosen or each.name == "id")
    completed = completion(source.model, source.reader, fields, operations, names=chosen, listed=True)
    fields += completed.beside if completed is not None else ()
    names = tuple(field.name for field in fields)
    columns = [source.put(fragments.selected(source.model, field.attribute), source.alias) for field in fields]
    guarded = []
    for index, guard in enumerate(guards(source.model, source.reader, operations)):
        if hidden := guard.names.intersection((*names, *(completed.names if completed is not None else ()))):
            guarded.append(hidden)
            columns.append(source.guard(source.model, operations, index, source.alias))
    references = _references(selection)
    columns += [source.value(source.model, field, source.alias, operations) for field in references]
    columns += [f"{source.alias}.row_version"] if versioned else []
    referring = tuple(field.attribute for field in references)
    return Layout(names, tuple(guarded), referring, versioned, completion=completed), columns


def _references(selection: Selection) -> list[Field]:
    found = {each.relation.reference.attribute: each.relation.reference for each in selection.expansions
             if not each.relation.many}  # fmt: skip
    return [found[name] for name in sorted(found)]


def named(columns: Sequence[str]) -> str:
    """The columns of a subselect: ``c AS f0, d AS f1``."""
    return ", ".join(f"{column} AS f{index}" for index, column in enumerate(columns))
