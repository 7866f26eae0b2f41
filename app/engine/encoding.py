"""Compiled encoders: the columns that each kind of reader gets of a model, and rows as JSON bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import orjson
from sqlalchemy import Boolean, cast
from sqlalchemy.sql.elements import ColumnElement

from app.engine.fields import ADMIN_READS, RETURNED_ONCE, SCOPE_READS, UNLISTED
from app.engine.policy import Owner
from app.engine.principal import Reader
from app.engine.record import Field, Record
from app.foundation import clock

Row = Sequence[Any]


def dumps(value: Any) -> bytes:
    """Encode as JSON: ids as text, times in UTC with milliseconds."""
    return orjson.dumps(value, default=_plain, option=orjson.OPT_PASSTHROUGH_DATETIME)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return clock.wire(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


@dataclass(frozen=True)
class View:
    """What one kind of reader gets of a model: ``columns`` to select, in the order that ``record`` expects.

    Where the answer depends on the row, its last column says whether the row is the reader's own; of other
    rows only ``names_outside`` are shown.
    """

    columns: tuple[ColumnElement[Any], ...]
    names: tuple[str, ...]
    names_outside: frozenset[str] | None

    def record(self, row: Row) -> dict[str, Any]:
        """Name the values of one selected row."""
        record = dict(zip(self.names, row, strict=False))
        if self.names_outside is not None and not row[len(self.names)]:
            return {name: value for name, value in record.items() if name in self.names_outside}
        return record

    def records(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        if self.names_outside is None:
            names = self.names
            return [dict(zip(names, row, strict=False)) for row in rows]
        return [self.record(row) for row in rows]


@cache
def view(model: type[Record], reader: Reader, *, listed: bool = False) -> View:
    """Compile the view of ``model`` for ``reader``; ``listed`` leaves out what only the single record has."""
    shown = [field for field in model.fields().values() if _shown(field, reader, listed)]
    columns = [_selected(model, field) for field in shown]
    outside = None if reader is Reader.ADMIN else _names_outside(model, shown)
    if outside is not None:
        columns.append(cast(model.policy.scope.own(model, reader), Boolean).label("is_own"))
    return View(tuple(columns), tuple(field.name for field in shown), outside)


def _shown(field: Field, reader: Reader, listed: bool) -> bool:
    spec = field.spec
    if not spec.readable or RETURNED_ONCE in spec.flags or (field.virtual and field.virtual.expression is None):
        return False
    if ADMIN_READS in spec.flags and reader is not Reader.ADMIN:
        return False
    return not (listed and UNLISTED in spec.flags)


def _selected(model: type[Record], field: Field) -> ColumnElement[Any]:
    if field.virtual is not None and field.virtual.expression is not None:
        return field.virtual.expression(model).label(field.attribute)
    column: ColumnElement[Any] = getattr(model, field.attribute)
    selected = field.spec.kind.selected(column)
    return column if selected is column else selected.label(field.attribute)


def _names_outside(model: type[Record], shown: Sequence[Field]) -> frozenset[str] | None:
    """Names that readers see of rows outside their scope, or None where all rows look alike."""
    scope = model.policy.scope
    if isinstance(scope, Owner) and scope.co_members:
        return frozenset(scope.co_members)
    names = frozenset(field.name for field in shown if SCOPE_READS not in field.spec.flags)
    return names if len(names) < len(shown) else None
