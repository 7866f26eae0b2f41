"""Exports: all rows of a list as CSV, newline-delimited JSON or a JSON array, which PostgreSQL writes as it reads them.

An export shows what the caller gets of single records, of the rows that the caller's list has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import types
from sqlalchemy.types import TypeEngine

from app.engine.declare.fields import ENCRYPTED
from app.engine.declare.kinds import Enum
from app.engine.declare.principal import Principal, Reader
from app.engine.declare.record import Field, Record
from app.engine.read import encoding, fragments, pages
from app.engine.read.conditions import Source
from app.engine.read.encoding import guards, shown_fields
from app.engine.read.ordering import newest_first, order_by, sort_terms
from app.engine.read.query import CacheKey, Query
from app.engine.read.statements import Statement, statement_cache
from app.engine.transfer import spreadsheets
from app.engine.transfer.copying import Client, copied, reset

# What ``clock.wire`` writes. As text a moment loses zeros at its end; the microsecond keeps all digits, of which 23 end
# with the milliseconds. to_char takes a third longer.
WIRE_MOMENT = "replace(left((({} AT TIME ZONE 'UTC') + interval '1 microsecond')::text, 23), ' ', 'T') || 'Z'"
# The operations that grants have to allow of a row and a field.
EXPORTING = ("list", "export")
# JSON has no control characters, so that COPY quotes nothing.
AS_CSV, AS_JSON = "FORMAT csv", "FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01'"


class ExportFormat(StrEnum):
    """What an export is written as."""

    CSV = "csv"
    NDJSON = "ndjson"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class ExportQuery:
    """What is exported: the rows, order and fields of ``query``; ``safe`` keeps spreadsheets from running cells."""

    query: Query
    form: ExportFormat = ExportFormat.CSV
    safe: bool = True

    @property
    def key(self) -> CacheKey:
        query = self.query
        sort = tuple([key.key for key in query.sort])
        return (
            query.where.key,
            bool(query.search),
            sort,
            query.selection.key,
            self.form is ExportFormat.CSV,
            self.safe,
        )


@dataclass(frozen=True)
class Frame:
    """What stands around rows: ``ending`` behind the last one, if there is one."""

    opening: bytes = b""
    between: bytes = b"\n"
    ending: bytes = b"\n"
    closing: bytes = b""


FRAMES = {
    ExportFormat.CSV: Frame(between=b"\r\n", ending=b"\r\n"),
    ExportFormat.NDJSON: Frame(),
    ExportFormat.JSON: Frame(b"[\n", b",\n", b"\n", b"]\n"),
}


class Export:
    """The bytes of an export, in blocks. Made once the first of them is there, so that what fails until then is an
    ordinary failure; what fails later resets the connection to ``client``. ``rows`` counts those handed out. Raises
    as ``copied`` does."""

    def __init__(
        self, model: type[Record], principal: Principal, asked: ExportQuery, client: Client | None = None
    ) -> None:
        self.rows = 0
        self._client = client
        self._blocks = self._written(model, principal, asked, client)
        self._first = next(self._blocks, b"")

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield self._first
            yield from self._blocks
        except Exception:
            if self._client is not None:
                reset(self._client.socket)
            raise

    def close(self) -> None:
        """End the statement, if it runs."""
        self._blocks.close()  # type: ignore[attr-defined]

    def _written(
        self, model: type[Record], principal: Principal, asked: ExportQuery, client: Client | None
    ) -> Iterator[bytes]:
        statement = statement_cache.get(
            (model, principal.reader, "export", asked.key), lambda: _compiled(model, principal.reader, asked)
        )
        query = asked.query
        binds = {**statement.fixed, **pages.bound_values(query.where, query.search), **principal.binds}
        frame = FRAMES[asked.form]
        header = ",".join(field.name for field in _fields(model, principal.reader, query)).encode() + frame.between
        held = header if asked.form is ExportFormat.CSV else frame.opening
        with copied(statement.sql, binds, principal, client) as blocks:
            for rows in filter(None, blocks):
                # One block is held back, so that whoever reads the last one keeps no connection from others.
                if self.rows:
                    yield held
                held = (frame.between if self.rows else held) + frame.between.join(rows)
                self.rows += len(rows)
        yield held + (frame.ending if self.rows else b"") + frame.closing


def _fields(model: type[Record], reader: Reader, query: Query) -> list[Field]:
    names = query.selection.names
    shown = shown_fields(model, reader, listed=False, operations=EXPORTING)
    plain = [each for each in shown if ENCRYPTED not in each.spec.flags]
    return [each for each in plain if names is None or each.name in names or each.name == "id"]


def _compiled(model: type[Record], reader: Reader, asked: ExportQuery) -> Statement:
    source, query = Source(model, reader), asked.query
    fields = _fields(model, reader, query)
    where = pages.conditions(source, query, EXPORTING)
    order = sort_terms(source, query.sort or newest_first(model))
    columns: list[str] = []
    guarded: dict[str, int] = {}
    for index, guard in enumerate(guards(model, reader, EXPORTING)):
        guarded |= dict.fromkeys(guard.names, index)
        columns.append(f"{source.guard(model, EXPORTING, index, source.alias)} AS guard_{index}")
    for field in fields:
        value = source.put(fragments.selected(model, field.attribute), source.alias)
        is_csv = asked.form is ExportFormat.CSV
        cell = _cell(model, field, value, safe=asked.safe) if is_csv else _member(model, field, value)
        columns.append(f'{cell} AS "{field.name}"')
    tables, by = " ".join([source.table, *source.joins]), order_by(order, [each.value for each in order])
    rows = f"SELECT {', '.join(columns)} FROM {tables} WHERE {' AND '.join(where)} ORDER BY {by}"
    answer = _cells if asked.form is ExportFormat.CSV else _objects
    form = AS_CSV if asked.form is ExportFormat.CSV else AS_JSON
    return Statement(f"COPY ({answer(rows, fields, guarded)}) TO STDOUT ({form})", source.fixed)


def _type(model: type[Record], field: Field) -> TypeEngine[Any]:
    found = encoding.selected(model, field).type
    return field.spec.kind.column_type() if isinstance(found, types.NullType) else found


def _cell(model: type[Record], field: Field, value: str, *, safe: bool) -> str:
    """The text of a cell; null is an empty one, and PostgreSQL writes an empty text as ``""``."""
    if (own := field.spec.kind.as_cell(value)) is not None:
        return own
    match _type(model, field):
        case types.Boolean():
            return f"{value}::text"
        case types.DateTime():
            return WIRE_MOMENT.format(value)
        case types.ARRAY():
            return spreadsheets.guarded_json(f"to_json({value})") if safe else f"to_json({value})"
        case types.JSON():
            given = f"nullif({value}, 'null')"
            return spreadsheets.guarded_json(given) if safe else given
        case types.String() if safe and not isinstance(field.spec.kind, Enum):
            return spreadsheets.guarded(value)
        case _:
            return value


def _member(model: type[Record], field: Field, value: str) -> str:
    """What becomes a member of a JSON object; all but moments is on the wire as PostgreSQL has it."""
    if (own := field.spec.kind.as_member(value)) is not None:
        return own
    return WIRE_MOMENT.format(value) if isinstance(_type(model, field), types.DateTime) else value


def _cells(rows: str, fields: Sequence[Field], guarded: Mapping[str, int]) -> str:
    """The cells of each row, empty where the row does not show the field."""
    if not guarded:
        return rows
    cells = (
        f'CASE WHEN found.guard_{guarded[field.name]} THEN found."{field.name}" END'
        if field.name in guarded
        else f'found."{field.name}"'
        for field in fields
    )
    return f"SELECT {', '.join(cells)} FROM ({rows}) AS found"


def _objects(rows: str, fields: Sequence[Field], guarded: Mapping[str, int]) -> str:
    """An object for each row, with the fields that the row shows."""
    if not guarded:
        return f"SELECT row_to_json(found) FROM ({rows}) AS found"
    members = []
    for field in fields:
        member = f"""'"{field.name}":' || coalesce(to_json(found."{field.name}")::text, 'null')"""
        shown = f"CASE WHEN found.guard_{guarded[field.name]} THEN {member} END" if field.name in guarded else member
        members.append(shown)
    return f"SELECT '{{' || concat_ws(',', {', '.join(members)}) || '}}' FROM ({rows}) AS found"
