"""The rows of a query: which columns stand where, and the records that they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.engine import fragments
from app.engine.conditions import Source
from app.engine.encoding import names_outside, shown_fields
from app.engine.query import Selection
from app.engine.record import Field

Row = Sequence[Any]


@dataclass(frozen=True)
class Layout:
    """A record in a row: the values of ``names``, whether the row is the caller's own where that decides what is shown,
    and the ``references`` that expansions follow, by attribute."""

    names: tuple[str, ...]
    outside: frozenset[str] | None
    references: tuple[str, ...]

    def record(self, row: Row, start: int) -> dict[str, Any]:
        """The record whose columns begin at ``start``."""
        end = start + len(self.names)
        record = dict(zip(self.names, row[start:end], strict=True))
        if self.outside is not None and not row[end]:
            return {name: value for name, value in record.items() if name in self.outside}
        return record

    def records(self, rows: Sequence[Row], start: int) -> list[dict[str, Any]]:
        if self.outside is not None:
            return [self.record(row, start) for row in rows]
        names = self.names
        return [dict(zip(names, row[start:], strict=False)) for row in rows]

    def referred(self, row: Row, start: int) -> dict[str, Any]:
        """The ids that the row refers to, by attribute."""
        at = start + len(self.names) + (self.outside is not None)
        return dict(zip(self.references, row[at:], strict=False))

    @property
    def width(self) -> int:
        return len(self.names) + (self.outside is not None) + len(self.references)


def laid_out(source: Source, selection: Selection, *, listed: bool = True) -> tuple[Layout, list[str]]:
    """The columns that ``selection`` needs of the rows of ``source``: the id, and what the caller gets of the rest."""
    shown = shown_fields(source.model, source.reader, listed=listed)
    fields = [each for each in shown if selection.names is None or each.name in selection.names or each.name == "id"]
    outside = names_outside(source.model, source.reader)
    columns = [source.put(fragments.selected(source.model, field.attribute), source.alias) for field in fields]
    if outside is not None:
        columns.append(source.put(fragments.own(source.model, source.reader), source.alias))
    references = _references(selection)
    columns += [source.value(source.model, field, source.alias) for field in references]
    names = tuple(field.name for field in fields)
    return Layout(names, outside, tuple(field.attribute for field in references)), columns


def _references(selection: Selection) -> list[Field]:
    found = {each.relation.reference.attribute: each.relation.reference for each in selection.expansions
             if not each.relation.many}  # fmt: skip
    return [found[name] for name in sorted(found)]


def named(columns: Sequence[str]) -> str:
    """The columns of a record as a subselect gives them on."""
    return ", ".join(f"{column} AS f{place}" for place, column in enumerate(columns))
