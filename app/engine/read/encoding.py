"""Compiled encoders: the columns that each kind of reader gets of a model, and rows as JSON bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache, partial
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Boolean, cast, true
from sqlalchemy.sql.elements import ColumnElement

from app.engine.declare.fields import ADMIN_READS, ENCRYPTED, RETURNED_ONCE, SCOPE_READS, UNLISTED
from app.engine.declare.principal import Reader
from app.engine.declare.record import Field, Record
from app.engine.declare.scope import Scope, both
from app.foundation import clock, durations
from app.foundation.crypto import vault

Row = Sequence[Any]
# What an answer is for, in the words of grants: it shows what they leave for all of these.
Operations = tuple[str, ...]
READING, LISTING = ("read",), ("list",)
# Readers with grants have shapes without end; what was compiled for the latest is kept.
STATEMENTS_KEPT = 1024


def dumps(value: Any) -> bytes:
    """Encode as JSON: ids as text, times in UTC with milliseconds."""
    return orjson.dumps(value, default=_plain, option=orjson.OPT_PASSTHROUGH_DATETIME)


# What the values of fields become that JSON has no form for.
WIRE: Mapping[type, Callable[[Any], str]] = {
    datetime: clock.wire, date: date.isoformat, time: time.isoformat, timedelta: durations.iso,
    Decimal: "{:f}".format, IPv4Address: str, IPv6Address: str, IPv4Network: str, IPv6Network: str,
}  # fmt: skip


def _plain(value: Any) -> Any:
    write = WIRE.get(type(value))
    if write is None:
        raise TypeError(f"{type(value).__name__} has no JSON form")
    return write(value)


class Representation(dict[str, Any]):
    """A record as its reader sees it, by wire name, with the ``version`` of its row. The values are Python's, such as
    UUID and datetime, of which ``answer`` makes JSON."""

    __slots__ = ("version",)

    def __init__(self, record: Mapping[str, Any], version: int) -> None:
        super().__init__(record)
        self.version = version


class WorkedOut(NamedTuple):
    """A value of a record that Python makes of others of it, which are called ``of``."""

    name: str
    of: tuple[str, ...]
    make: Callable[..., Any]


@dataclass(frozen=True)
class Completion:
    """What Python does with a record that was read: it makes values, and leaves those of ``beside`` out, which are
    selected for that alone."""

    made: tuple[WorkedOut, ...]
    beside: tuple[Field, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What is made."""
        return tuple(each.name for each in self.made)

    def complete(self, record: dict[str, Any], hidden: Collection[str] = ()) -> None:
        """Complete a record that does not show what is ``hidden``."""
        for each in self.made:
            if each.name not in hidden and record.keys() >= set(each.of):
                record[each.name] = each.make(*[record[name] for name in each.of])
        for unasked in self.beside:
            record.pop(unasked.name, None)


@dataclass(frozen=True)
class RowDecoder:
    """How a row becomes a record: the values of ``names``, then for each of ``guards`` whether the row shows its
    fields; and what completes it, where Python makes some of it."""

    names: tuple[str, ...]
    guards: tuple[frozenset[str], ...]
    _: KW_ONLY
    completion: Completion | None = None

    def record(self, row: Row, start: int = 0) -> dict[str, Any]:
        """Name the values of one row, whose record begins at ``start``."""
        record = dict(zip(self.names, row[start:], strict=False))
        for guarded, is_shown in zip(self.guards, row[start + len(self.names) :], strict=False):
            if not is_shown:
                for name in guarded:
                    record.pop(name, None)  # what Python makes is not there yet
        if self.completion is not None:
            shown = row[start + len(self.names) :]
            hidden = [guarded for guarded, is_shown in zip(self.guards, shown, strict=False) if not is_shown]
            self.completion.complete(record, frozenset().union(*hidden))
        return record

    def records(self, rows: Sequence[Row], start: int = 0) -> list[dict[str, Any]]:
        if not self.guards and self.completion is None:
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


@dataclass(frozen=True)
class Guard:
    """Fields, by wire name, that a row shows only where it meets a condition."""

    names: frozenset[str]
    condition: Callable[[Any], ColumnElement[bool]]


@lru_cache(maxsize=STATEMENTS_KEPT)
def view(model: type[Record], reader: Reader, *, filtered: bool = True) -> Projection:
    """Compile the view of single records of ``model`` for ``reader``. Where the rows are not ``filtered`` by what the
    reader may read, as after a write, those of which the reader sees nothing show their id alone."""
    shown = shown_fields(model, reader, listed=False)
    completed = completion(model, reader, shown, READING)
    columns = [selected(model, field).label(field.attribute) for field in shown]
    found = guards(model, reader, READING, filtered=filtered)
    columns += [cast(each.condition(model), Boolean).label(f"guard_{index}") for index, each in enumerate(found)]
    names = tuple(field.name for field in shown)
    return Projection(names, tuple(each.names for each in found), tuple(columns), completion=completed)


def completion(
    model: type[Record], reader: Reader, selected: Sequence[Field], operations: Operations, *,
    names: Collection[str] | None = None, listed: bool = False,
) -> Completion | None:  # fmt: skip
    """What Python makes of records of which ``selected`` are read, of the fields called ``names`` where some are
    chosen; None where it makes nothing."""
    made = [WorkedOut(each.name, (each.name,), _opened) for each in selected if ENCRYPTED in each.spec.flags]
    needed: dict[str, Field] = {}
    for each in computed_fields(model, reader, listed=listed, operations=operations):
        if each.virtual is not None and each.virtual.make is not None and (names is None or each.name in names):
            of = {known.name: known for known in (model.fields()[attribute] for attribute in each.virtual.of)}
            needed |= of
            made.append(WorkedOut(each.name, tuple(of), each.virtual.make))
    chosen = {each.name for each in selected}
    beside = tuple(each for name, each in needed.items() if name not in chosen)
    opened = [WorkedOut(each.name, (each.name,), _opened) for each in beside if ENCRYPTED in each.spec.flags]
    return Completion((*opened, *made), beside) if made else None


def computed_fields(
    model: type[Record], reader: Reader, *, listed: bool, operations: Operations = READING
) -> list[Field]:
    """The fields that Python makes for ``reader``, who sees all that they are made of."""
    seen = {each.attribute for each in shown_fields(model, reader, listed=False, operations=operations)}
    return [
        each
        for each in model.fields().values()
        if each.virtual is not None and each.virtual.make is not None and seen >= set(each.virtual.of)
        and each.spec.readable
        and not (listed and UNLISTED in each.spec.flags) and reader.shows(model, each.name, *operations)
        and (ADMIN_READS not in each.spec.flags or reader.base is Reader.ADMIN)
    ]  # fmt: skip


def _opened(sealed: str | None) -> str | None:
    return None if sealed is None else vault().decrypt(sealed)


def shown_fields(
    model: type[Record], reader: Reader, *, listed: bool, operations: Operations | None = None
) -> tuple[Field, ...]:
    """The fields that ``reader`` gets of a record, or with ``listed`` of one in a list; of those, the ones that grants
    leave for ``operations``."""
    return _shown_fields(model, reader, listed, operations or (LISTING if listed else READING))


@lru_cache(maxsize=STATEMENTS_KEPT)
def _shown_fields(model: type[Record], reader: Reader, listed: bool, operations: Operations) -> tuple[Field, ...]:
    fields = model.fields().values()
    return tuple(
        field
        for field in fields
        if _shown(field, reader, listed) and (field.name == "id" or reader.shows(model, field.name, *operations))
    )


def _shown(field: Field, reader: Reader, listed: bool) -> bool:
    spec = field.spec
    if not spec.readable or RETURNED_ONCE in spec.flags or (field.virtual and field.virtual.expression is None):
        return False
    if ADMIN_READS in spec.flags and reader.base is not Reader.ADMIN:
        return False
    return not (listed and UNLISTED in spec.flags)


def selected(row: Any, field: Field) -> ColumnElement[Any]:
    """What is selected of ``field`` from ``row``, a model or an alias of one."""
    if field.virtual is not None and field.virtual.expression is not None:
        return field.virtual.expression(row)
    return field.spec.kind.selected(getattr(row, field.attribute))


@lru_cache(maxsize=STATEMENTS_KEPT)
def guards(
    model: type[Record], reader: Reader, operations: Operations = LISTING, *, filtered: bool = True
) -> tuple[Guard, ...]:
    """What hides fields of some of the rows that ``reader`` gets for ``operations``; fields that the same rows show
    share a guard. Where the rows are ``filtered``, what all of their grants show needs none."""
    names: dict[tuple[Hashable, ...], set[str]] = defaultdict(set)
    shown = shown_fields(model, reader, listed=False, operations=operations)
    for field in (*shown, *computed_fields(model, reader, listed=False, operations=operations)):
        granted = reader.field_grants(model, field.name, *operations, filtered=filtered) if field.name != "id" else ()
        if (key := (_is_for_owners(model, field, reader), _read_rule(field, reader), granted)) != (False, None, ()):
            names[key].add(field.name)
    return tuple(Guard(frozenset(each), partial(_guard, model, reader, key)) for key, each in names.items())


def _is_for_owners(model: type[Record], field: Field, reader: Reader) -> bool:
    """Whether only rows of the own scope show ``field``."""
    if reader.base is Reader.ADMIN:
        return False
    colleague_fields = model.policy.scope.colleague_fields
    return SCOPE_READS in field.spec.flags or bool(colleague_fields and field.name not in colleague_fields)


def _read_rule(field: Field, reader: Reader) -> Scope | None:
    return None if reader.base is Reader.ADMIN else field.spec.read


def _guard(model: type[Record], reader: Reader, key: tuple[Any, ...], row: Any) -> ColumnElement[bool]:
    is_for_owners, rule, granted = key
    own = model.policy.own(row, reader) if is_for_owners else true()
    met = both(own, rule.visible(row, reader.base) if rule is not None else true())
    return both(met, reader.granted_by(row, granted))
