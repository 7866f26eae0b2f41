"""Compiled encoders: the columns that each kind of reader gets of a model, and rows as JSON bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import orjson
from sqlalchemy import Boolean, cast
from sqlalchemy.sql.elements import ColumnElement

from app.engine.declare.fields import ADMIN_READS, RETURNED_ONCE, SCOPE_READS, UNLISTED
from app.engine.declare.principal import Reader
from app.engine.declare.record import Field, Record
from app.foundation import clock

Row = Sequence[Any]


def dumps(value: Any) -> bytes:
    """Encode as JSON: ids as text, times in UTC with milliseconds."""
    return orjson.dumps(value, default=_plain, option=orjson.OPT_PASSTHROUGH_DATETIME)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return clock.wire(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


class Representation(dict[str, Any]):
    """A record as its reader sees it, by wire name, with the ``version`` of its row."""

    __slots__ = ("version",)

    def __init__(self, record: Mapping[str, Any], version: int) -> None:
        super().__init__(record)
        self.version = version


@dataclass(frozen=True)
class RowDecoder:
    """How a row becomes a record: the values of ``names``, and where the answer depends on the row, whether it is the
    reader's own; of other rows only ``fields_for_non_owners`` are shown."""

    names: tuple[str, ...]
    fields_for_non_owners: frozenset[str] | None

    def record(self, row: Row, start: int = 0) -> dict[str, Any]:
        """Name the values of one row, whose record begins at ``start``."""
        record = dict(zip(self.names, row[start:], strict=False))
        if self.fields_for_non_owners is not None and not row[start + len(self.names)]:
            return {name: value for name, value in record.items() if name in self.fields_for_non_owners}
        return record

    def records(self, rows: Sequence[Row], start: int = 0) -> list[dict[str, Any]]:
        if self.fields_for_non_owners is None:
            names = self.names
            return [dict(zip(names, row[start:], strict=False)) for row in rows]
        return [self.record(row, start) for row in rows]


@dataclass(frozen=True)
class Projection(RowDecoder):
    """What one kind of reader gets of a model: ``columns`` to select, in the order of the shape."""

    columns: tuple[ColumnElement[Any], ...]

    def representation(self, row: Row) -> Representation:
        """The record in a row that ends in its version."""
        return Representation(self.record(row), row[-1])


@cache
def view(model: type[Record], reader: Reader, *, listed: bool = False) -> Projection:
    """Compile the view of ``model`` for ``reader``; ``listed`` leaves out what only the single record has."""
    shown = shown_fields(model, reader, listed=listed)
    columns = [selected(model, field).label(field.attribute) for field in shown]
    outside = fields_for_non_owners(model, reader)
    if outside is not None:
        columns.append(cast(model.policy.scope.own(model, reader), Boolean).label("is_own"))
    return Projection(tuple(field.name for field in shown), outside, tuple(columns))


@cache
def shown_fields(model: type[Record], reader: Reader, *, listed: bool) -> tuple[Field, ...]:
    """The fields that ``reader`` gets of a record, or with ``listed`` of one in a list."""
    return tuple(field for field in model.fields().values() if _shown(field, reader, listed))


def _shown(field: Field, reader: Reader, listed: bool) -> bool:
    spec = field.spec
    if not spec.readable or RETURNED_ONCE in spec.flags or (field.virtual and field.virtual.expression is None):
        return False
    if ADMIN_READS in spec.flags and reader is not Reader.ADMIN:
        return False
    return not (listed and UNLISTED in spec.flags)


def selected(row: Any, field: Field) -> ColumnElement[Any]:
    """What is selected of ``field`` from ``row``, a model or an alias of one."""
    if field.virtual is not None and field.virtual.expression is not None:
        return field.virtual.expression(row)
    return field.spec.kind.selected(getattr(row, field.attribute))


@cache
def fields_for_non_owners(model: type[Record], reader: Reader) -> frozenset[str] | None:
    """Names that ``reader`` sees of rows outside the own scope, or None where all rows look alike."""
    if reader is Reader.ADMIN:
        return None
    if colleague_fields := model.policy.scope.colleague_fields:
        return frozenset(colleague_fields)
    fields = model.fields().values()
    if not any(SCOPE_READS in field.spec.flags for field in fields):
        return None
    return frozenset(field.name for field in fields if SCOPE_READS not in field.spec.flags)
